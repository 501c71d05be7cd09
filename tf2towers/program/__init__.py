"""What a TF1 training script is: its towers, inputs, gradients, session loop. Reads; never rewrites."""
