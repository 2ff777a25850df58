"""Methods that go step by step to a place where their cost is low: each needs a start, and shows its path."""
