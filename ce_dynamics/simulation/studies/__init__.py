"""Studies: more runs of one model than fit into memory, in one file that survives being killed."""
