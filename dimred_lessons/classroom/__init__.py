"""What lessons need besides the methods: data sets, measures of quality and plots."""
