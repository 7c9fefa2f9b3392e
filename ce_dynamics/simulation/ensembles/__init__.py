"""Many runs of one model at a time: SIMD lanes in every thread."""
