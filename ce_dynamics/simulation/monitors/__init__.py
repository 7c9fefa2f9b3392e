"""What watches a run, and changes its charts."""
