"""Effects of the numbers of data files on results."""
