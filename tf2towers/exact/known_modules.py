"""Modules that are known to hold no TF1 code, and libraries that are built on it."""

from __future__ import annotations

import sys
from functools import cache

#: Python 2's standard library under the names that Python 3 has not.
_PYTHON2 = frozenset(
    """
    ConfigParser Cookie HTMLParser Queue SocketServer StringIO Tkinter cPickle cStringIO commands copy_reg dummy_thread
    exceptions httplib md5 sets thread tkMessageBox urllib2 urlparse xmlrpclib __builtin__ _winreg imp distutils asyncore
    asynchat cgi pipes crypt
    """.split()
)

#: Libraries of scripts of that time that have nothing of TensorFlow's graphs in them.
_LIBRARIES = frozenset(
    """
    IPython Levenshtein MySQLdb OpenGL PIL PyQt4 PyQt5 abc absl albumentations apex arff astropy attr audioread
    augmentor bcolz beautifulsoup4 blosc bokeh boto boto3 botocore bs4 bson cachetools caffe catboost chainer click cloudpickle
    cntk colorama coloredlogs comet_ml configargparse cupy cv2 cython cycler dask dateutil deap dill dlib docopt docker
    easydict editdistance einops elasticsearch emoji faiss fasttext fire flask future fuzzywuzzy ftfy gast gensim geopandas
    gin gmpy2 google googleapiclient gputil GPUtil graphviz grpc gym gymnasium h5py hdf5storage hickle hnswlib humanize
    hydra hyperopt imageio imgaug imutils imblearn ipdb ipykernel ipywidgets jieba joblib json5 jsonlines jsonpickle jsonschema
    keyboard kaggle kazoo konlpy langdetect langid leveldb libcst librosa lightgbm lmdb lxml lz4 magenta_midi mako mahotas
    markdown matplotlib mecab MeCab memory_profiler mir_eval mlflow mock moviepy mpi4py mpl_toolkits msgpack
    msgpack_numpy multiprocess munch musdb music21 mxnet natsort neptune netCDF4 networkx nibabel nltk nose notebook nose2
    nose_parameterized numba numexpr numpy nvidia nvidia_smi odf omegaconf onnx onnxruntime opencc opencv_python openpyxl opt_einsum orjson
    orderedset pandas paramiko parameterized parse past pathlib2 patsy path pebble peewee pexpect pika pip pkg_resources plac
    plotly plyfile pomegranate portalocker prettytable pretty_midi progressbar progressbar2 prometheus_client protobuf
    psutil psycopg2 ptvsd pudb pulp pyarrow pyaudio pyautogui pybullet pycocoevalcap pycocotools pycuda pydicom
    pydot pydotplus pyfiglet pygame pyglet pygments pylab pymongo pymysql pynvml pyparsing pypinyin pyquaternion
    pyrouge pysrt pytest pytesseract python_speech_features pythreejs pytz pywt pyworld qdarkstyle rasterio ray rdkit redis regex
    requests resampy retrying rosbag rospy rouge ruamel sacrebleu sacred scandir scikits scipy seaborn
    selenium sentencepiece serial setproctitle setuptools shapely simplejson simpy six sk_image skimage sklearn skopt skvideo
    smart_open snappy sortedcontainers sounddevice soundfile spacy sqlalchemy statsmodels stemming subword_nmt sympy
    tables tabulate tensorboard tensorboardX tensorboard_logger termcolor termios terminaltables texttable tf2towers theano
    thrift threadpoolctl tifffile tiktoken tokenize toml toolz toposort torch torchtext torchvision tornado tqdm traitlets transforms3d twisted deepmind_lab
    trimesh turicreate typing_extensions ujson unidecode unittest2 urllib3 visdom vtk wandb
    wcwidth websocket wget wheel word2vec wordcloud wx xgboost xlrd xlsxwriter xlwt xmltodict xxhash yacs yaml
    yapf zmq zstandard
    """.split()
)

_TF1 = frozenset(
    """
    DLTK DeepSpeech adanet baselines bert_serving cleverhans deepctr deepchem dltk edward garage gpflow
    horovod keras keras_applications keras_contrib keras_preprocessing kfac ludwig magenta mesh_tensorflow
    neupy niftynet object_detection official prettytensor ptn rllab skflow slim sonnet spinup
    stable_baselines t2t tensor2tensor tensorflow_addons tensorflow_estimator tensorflow_datasets tensorflow_federated tensorflow_fold
    tensorflow_gan tensorflow_hub tensorflow_model_analysis tensorflow_probability tensorflow_privacy
    tensorflow_transform tensorflow_serving tensorflowonspark tensorforce tensorlayer tensorlayerx tensorpack tf_agents
    tf_slim tfdeploy tfplot tflearn tfx trfl zhusuan bert transformers_tf keras_bert kerastuner
    """.split()
)


@cache
def is_known(root: str) -> bool:
    """Whether a top-level module is TensorFlow, Python's, or a library without TF1 code."""
    return (
        root in ("tensorflow", "tf2towers", "__main__")
        or root in sys.stdlib_module_names
        or root in _PYTHON2
        or root in _LIBRARIES
        or root.startswith(("nvidia_", "google"))
    )


def is_tf1_library(root: str) -> bool:
    """Whether a top-level module is a library that builds TF1 graphs by itself."""
    return root in _TF1
