"""Suspensions: one file each, with what is written, what is built, and the bodies that it adds."""
