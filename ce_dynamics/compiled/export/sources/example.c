/* One second in steps of 1 ms, and what the outputs are then. */
#include "@NAME@.h"

#include <stdio.h>
#include <string.h>

int main(void)
{
    double y[@UPPER@_STATES ? @UPPER@_STATES : 1], u[@UPPER@_U ? @UPPER@_U : 1] = {0.0};
    double outputs[@UPPER@_OUTPUTS], closure[@UPPER@_CLOSURES ? @UPPER@_CLOSURES : 1];
    double t = 0.0;
    int k;

    memcpy(y, @NAME@_y0, sizeof y);
    for (k = 0; k < @UPPER@_U; ++k)
        u[k] = @NAME@_u0[k];
    if (@NAME@_advance(y, u, &t, 1.0, 1e-3) != 0) {
        fprintf(stderr, "the step from %g s fails: a loop cannot be assembled\n", t);
        return 1;
    }
    @NAME@_observe(y, u, outputs, closure);
    for (k = 0; k < @UPPER@_STATES; ++k)
        printf("%-40s %24.17g %s\n", @NAME@_state_names[k], y[k], @NAME@_state_units[k]);
    for (k = 0; k < @UPPER@_OUTPUTS; ++k)
        printf("%-40s %24.17g %s\n", @NAME@_output_names[k], outputs[k], @NAME@_output_units[k]);
    return 0;
}
