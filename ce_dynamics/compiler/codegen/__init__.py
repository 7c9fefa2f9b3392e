"""LLVM IR of traced functions."""
