"""Generic vehicles, as data: a hatchback, an off-roader, a Formula Student car, a truck."""
