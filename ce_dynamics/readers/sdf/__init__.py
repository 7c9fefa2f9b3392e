"""SDFormat, with its closed loops."""
