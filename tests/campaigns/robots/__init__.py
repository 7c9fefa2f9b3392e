"""Robots with closed loops from files that the caller has: read, assembled and compared with other means."""
