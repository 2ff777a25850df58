"""The questions of the book for learning platforms: `make questions`."""
