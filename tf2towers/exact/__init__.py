"""The exact register of `migrate`: small certain edits of names; what a program does is the runtime's affair."""
