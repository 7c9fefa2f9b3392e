"""How a wheel meets the road: an effective plane, and what of the wheel's motion counts in it."""
