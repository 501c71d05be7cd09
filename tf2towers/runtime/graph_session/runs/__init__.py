"""Parts of `Session.run` around the call of the function: repeated, nested, cancelled and failed runs."""
