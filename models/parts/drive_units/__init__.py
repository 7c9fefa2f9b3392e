"""Drive units of a driveline: engine or motor with its clutch or converter, one file each."""
