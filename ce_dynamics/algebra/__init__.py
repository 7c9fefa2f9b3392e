"""Numbers, arrays and 6-vectors, on which all other folders build."""
