"""What lessons need besides the methods: data sets with known answers."""
