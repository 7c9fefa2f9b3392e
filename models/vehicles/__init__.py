"""Complete vehicles."""
