"""What stands in the place of each statement of the trainer."""
