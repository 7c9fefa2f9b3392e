"""The equations of one loop, and how it is assembled."""
