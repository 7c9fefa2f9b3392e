"""Force elements and force laws."""
