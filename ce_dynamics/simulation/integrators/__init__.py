"""Time stepping in compiled code.

A method is a table of numbers in `ce_dynamics.compiled.integration_methods`.  The loops are numba functions
that call the compiled evaluation by its address; a single run is one lane, an ensemble several.  They are
compiled once for all models, for each number of lanes, and kept on disk.  numba is imported when a native
method is first used.

=====================  =====  ===================================================================
method                 order  what it does per step
=====================  =====  ===================================================================
``rk4``                4      four evaluations; the classical Runge–Kutta method
``rosenbrock``         2      ROS2: two evaluations, one exact Jacobian, one LU; L-stable
``implicit-euler``     1      linearly implicit: one evaluation, one exact Jacobian, one LU; L-stable
``dopri5``             5      six evaluations; Dormand–Prince 5(4), adaptive, with dense output
``tsit5``              5      six evaluations; Tsitouras 5(4), adaptive, with dense output
=====================  =====  ===================================================================
"""
