"""Numbers, arrays of them, and 6-vectors: what everything above is written with."""
