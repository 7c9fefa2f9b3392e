"""Whether numbers of data files change a result."""
