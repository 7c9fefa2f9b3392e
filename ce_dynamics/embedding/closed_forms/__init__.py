"""Parts of loops that are recognised, and solved by formulas instead of Newton's method."""
