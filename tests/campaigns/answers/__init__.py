"""Every answer of a model, asked of small systems of every kind: campaign ``answers``."""
