"""Suspensions with frictional joints by projected Gauss-Seidel."""
