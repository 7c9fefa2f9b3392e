"""The augmented formulations, solved as a DAE: the independent reference for the embedded path."""
