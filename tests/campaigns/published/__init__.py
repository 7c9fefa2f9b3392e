"""Published mechanisms, embedded and as DAEs: how well loops stay closed and energy is kept."""
