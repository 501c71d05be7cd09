"""The proof: an original and another program are run, and what they compute is compared, number by number."""
