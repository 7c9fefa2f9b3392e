"""Systems of the source documents, run and drawn by scripts in `docs/examples`."""
