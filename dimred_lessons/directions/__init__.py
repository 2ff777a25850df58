"""Methods that project on directions which are not those of largest variance; `base` is a frame of two of them."""
