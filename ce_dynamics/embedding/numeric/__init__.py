"""Loops without closed form, solved along their hinges."""
