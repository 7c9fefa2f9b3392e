"""A passenger sedan: front drive, double wishbones, rack steering, anti-roll bars."""
