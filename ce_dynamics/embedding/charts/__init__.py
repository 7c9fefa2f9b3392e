"""Loops that none of their hinges leads everywhere: coordinates that change along the way."""
