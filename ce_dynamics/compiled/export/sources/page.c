/* What a page calls: memory that it reads and writes, and functions of it. */

#define EXPORT(NAME) __attribute__((export_name(#NAME))) at_##NAME

static double y[@UPPER@_STATES ? @UPPER@_STATES : 1], u[@UPPER@_U ? @UPPER@_U : 1];
static double outputs[@UPPER@_OUTPUTS ? @UPPER@_OUTPUTS : 1], closure[@UPPER@_CLOSURES ? @UPPER@_CLOSURES : 1];
static double places[N_PLACES], arrows[N_ARROWS], points[N_POINTS];

double *EXPORT(y)(void) { return y; }
double *EXPORT(u)(void) { return u; }
double *EXPORT(outputs)(void) { return outputs; }
double *EXPORT(closure)(void) { return closure; }
double *EXPORT(places)(void) { return places; }
double *EXPORT(arrows)(void) { return arrows; }
double *EXPORT(points)(void) { return points; }

/* As many steps of length h as go well, n at most, after `made` from t = 0 on; how many. */
int EXPORT(steps)(int n, double h, int made)
{
    int k;

    for (k = 0; k < n; ++k) {
        double t = (made + k) * h;

        if (@NAME@_advance(y, u, &t, h, h) != 0)
            break;
    }
    return k;
}

/* NULL, or why these values of the parameters cannot be used. */
const char *EXPORT(refused)(void) { return @NAME@_refused(u); }

void EXPORT(observe)(void) { @NAME@_observe(y, u, outputs, closure); }
void EXPORT(picture)(void) { @NAME@_picture(y, u, places, arrows); }
void EXPORT(shape)(void) { @NAME@_shape(u, points); }
