"""Methods that lower a cost step by step: each needs a start, and records the path of its objective."""
