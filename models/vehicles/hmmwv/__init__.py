"""The HMMWV, part by part; what it offers is gathered in `ce_dynamics.models.hmmwv`."""
