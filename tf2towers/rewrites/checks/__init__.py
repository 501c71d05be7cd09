"""What the parts do not show one by one, looked at before anything is written."""
