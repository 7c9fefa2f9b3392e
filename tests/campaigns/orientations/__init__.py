"""Random mechanisms in random orientations against the augmented form, with all closures checked."""
