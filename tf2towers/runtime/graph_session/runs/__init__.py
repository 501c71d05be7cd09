"""What `Session.run` is made of, around the function that computes: known runs, how runs are ended."""
