"""A ball that rolls on a plane without slipping."""
