"""Tables of old arguments and of private names; symbols.tsv, beside this folder, has the names and today's arguments.

By hand: argument_orders.tsv, keywords.tsv, unserved_arguments.tsv, and the last column of lost_attributes.tsv. Programs
in `tables/` write the others: make_lost_attributes.py, make_private_names.py and make_generated.py.
"""
