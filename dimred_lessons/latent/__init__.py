"""Methods that explain points by hidden coordinates and noise, and fit a density; `base` holds their frames."""
