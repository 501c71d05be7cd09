"""What a function of a script certainly is: a plain mean of gradients, an input pipeline."""
