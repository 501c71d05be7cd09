"""What `Session.run` is made of, around the function that computes: known runs, runs in parts, how runs are ended."""
