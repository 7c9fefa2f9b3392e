/* What code needs of <math.h> whose elementary functions are written out: single instructions. */
#ifndef CE_DYNAMICS_MATH_H
#define CE_DYNAMICS_MATH_H

#define NAN __builtin_nan("")
#define INFINITY __builtin_inf()
#define sqrt __builtin_sqrt
#define fabs __builtin_fabs
#define floor __builtin_floor
#define ceil __builtin_ceil
#define copysign __builtin_copysign

#endif
