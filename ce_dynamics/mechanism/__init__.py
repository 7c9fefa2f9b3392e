"""What users describe: bodies, hinges, cuts, couplings, drives, force elements, free parameters."""
