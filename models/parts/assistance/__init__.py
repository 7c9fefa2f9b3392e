"""Controllers that assist a driver: each a file here and a section of the vehicle's data."""
