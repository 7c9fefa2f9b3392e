"""Longitudinal performance of vehicles beside hand calculations: campaign ``performance``."""
