"""The audit: does each ✓ of the book hold for other samples, and does a wrong package refute it?

    python -m audit --chapter 07_isomap

executes chapters with other random samples, and with packages that are wrong in one way each; see `__main__`.
"""
