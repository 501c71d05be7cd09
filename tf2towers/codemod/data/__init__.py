"""Tables of old arguments and of private names; symbols.tsv, beside this folder, has the names and today's arguments.

By hand: argument_orders.tsv, keywords.tsv, numpy_names.tsv, requirements.tsv, standalone_keras.tsv,
unserved_arguments.tsv, and the last column of lost_attributes.tsv. Programs in `tables/` write the others:
make_lost_attributes.py, make_private_names.py, make_generated.py, make_only_tf1_keywords.py and
make_librosa_arguments.py.
"""
