"""What lessons need besides the methods.

Data sets, measures of quality and plots; explorers, exercises that answer back, and claims that are checked; and the
measurements that pages show without making them again.
"""
