"""What is only reached where the user asks for it: a TPU, a debugger, what a flag is for that is off by default."""
