# StopAtStepHook with num_steps, a checkpoint saver by steps, and the final values from the checkpoint.
import sys

import tensorflow as tf


def run():
    with tf.Graph().as_default():
        gs = tf.train.get_or_create_global_step()
        v = tf.get_variable('v', initializer=5.0)
        loss = tf.abs(v) + 0.1 * v * v
        with tf.control_dependencies([loss]):
            gradient = tf.identity(tf.gradients(loss, v)[0])
        train = tf.train.MomentumOptimizer(0.1, 0.5).apply_gradients([(gradient, v)], global_step=gs)
        hooks = [tf.train.StopAtStepHook(num_steps=3),
                 tf.train.CheckpointSaverHook(sys.argv[1], save_steps=2)]
        with tf.train.MonitoredSession(
                session_creator=tf.train.ChiefSessionCreator(checkpoint_dir=sys.argv[1]), hooks=hooks) as sess:
            while not sess.should_stop():
                value, _ = sess.run([loss, train])
                print('%.9g' % value)
    state = tf.train.get_checkpoint_state(sys.argv[1])
    print(state.model_checkpoint_path.split('-')[-1], len(state.all_model_checkpoint_paths))
    print(tf.train.load_variable(sys.argv[1], 'v'), tf.train.load_variable(sys.argv[1], 'global_step'))


run()
run()
