"""Parts of vehicles, the roads under them and the manoeuvres that they drive."""
