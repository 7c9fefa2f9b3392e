"""The Magic Formula 5.2, 6.1 and 6.2: coefficients, one effect per file, the tyre made of them."""
