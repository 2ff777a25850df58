"""Methods that end in eigenpairs of one matrix built from the data; `base` is their frame."""
