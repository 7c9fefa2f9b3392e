"""One page of plots of a run."""
