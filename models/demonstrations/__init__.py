"""Models that demonstrate the library; ``docs/examples`` runs and draws them."""
