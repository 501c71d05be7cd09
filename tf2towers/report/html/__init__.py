"""Pages as HTML: elements, charts, and the document around them; each page is one file that needs nothing else."""
