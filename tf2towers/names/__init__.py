"""What a name in a script means, and what a TF2 program writes for it."""
