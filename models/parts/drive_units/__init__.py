"""What turns the shaft of a driveline: engine or motor with what couples it, one file each."""
