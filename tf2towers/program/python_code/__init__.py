"""What the recognisers ask of Python code: data flow, functions, slices; nothing of towers or sessions."""
