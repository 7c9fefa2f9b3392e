"""Two thrown bodies joined by a ball and socket."""
