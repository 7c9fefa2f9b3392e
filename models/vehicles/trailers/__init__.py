"""Trailers: bodies of their own behind a hitch, with axles like those of the vehicle that tows them."""
