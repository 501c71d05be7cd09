"""Parts of `Session.run` around the function's call: repeated, nested, cancelled, failed runs."""
