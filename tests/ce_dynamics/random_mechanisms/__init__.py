"""Random closed-chain mechanisms: recipes, strategies that draw them, one state on several spanning trees."""
