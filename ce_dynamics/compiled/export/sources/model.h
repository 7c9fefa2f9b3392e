/* @TITLE@, written by ce-dynamics @VERSION@.
 *
 * State y, inputs and free parameters u, and outputs: names, units and first values are tables.
 * All numbers are SI.  NaN in a result means that a loop cannot be assembled at the state.
 */
#ifndef @UPPER@_H
#define @UPPER@_H

#ifdef __cplusplus
extern "C" {
#endif

enum {
    @UPPER@_STATES = @STATES@,
    @UPPER@_INPUTS = @INPUTS@,
    @UPPER@_PARAMETERS = @PARAMETERS@,
    @UPPER@_U = @U@,
    @UPPER@_OUTPUTS = @OUTPUTS@,
    @UPPER@_CLOSURES = @CLOSURES@,
};

extern const char *const @NAME@_state_names[];
extern const char *const @NAME@_state_units[];
extern const char *const @NAME@_u_names[];
extern const char *const @NAME@_u_units[];
extern const char *const @NAME@_output_names[];
extern const char *const @NAME@_output_units[];
extern const double @NAME@_y0[];
extern const double @NAME@_u0[];

/* The rate of the state. */
@rate@;

/* Outputs, and how far every loop is open: rounding, unless a state is far out. */
@observe@;

/* Loops may be followed on charts, which hold for a part of the way each: the same motion on fresh
 * ones, and how much of a chart is worn, 0 without any.  It is to be left beyond this number. */
@renew@;
extern const double @NAME@_worn;

/* One step of the classical Runge-Kutta method with u held; 0, or -1 with y left as it is where
 * the result would not be finite.  Worn charts are left before.  No controller samples. */
int @NAME@_step(double y[], const double u[], double h);

/* Sampled controllers look at whole multiples of so many seconds; 0 if there are none.  The state
 * after they have looked at y and u. */
extern const double @NAME@_period;
@sample@;

/* From *t on for `length` seconds, in equal steps no longer than `longest` from sample to sample;
 * a sample that is due at *t is made, one at the end is left for the next call.  0, or -1 with y
 * and *t left where they were last finite. */
int @NAME@_advance(double y[], const double u[], double *t, double length, double longest);

/* NULL, or why the code cannot be used with these values of the parameters. */
const char *@NAME@_refused(const double u[]);

/* Derivatives of rates and outputs along a direction of y and u. */
@direction@;

#ifdef __cplusplus
}
#endif

#endif
