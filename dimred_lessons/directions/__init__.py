"""Methods that project on directions other than those of largest variance; `base` is the frame of two of them."""
