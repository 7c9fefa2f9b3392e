"""The HMMWV: four double-wishbone corners, Pitman steering, TMeasy tyres, powertrain and driver."""
