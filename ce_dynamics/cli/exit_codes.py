"""Exit codes of the command line."""

from ce_dynamics.algebra.interrupts import INTERRUPTED as INTERRUPTED

OK = 0
BAD_INPUT = 2
FAILED = 3

EXPLANATION = (
    "Exit codes: 0 all went well; 2 something given is wrong, or a linkage cannot be assembled; "
    "3 the integration failed (of a sweep: every run), what was computed before is saved; "
    "130 interrupted by Ctrl-C, what was computed before is saved."
)
