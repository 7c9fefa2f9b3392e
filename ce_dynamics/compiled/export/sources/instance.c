#include "instance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const int instance_continuous[] = { @PLACES@ };

static const int limited[] = { @LIMITS@ };
static const char *const beyond[] = { @BEYOND@ };

static int failed(Instance *instance, const char *problem)
{
    instance->problem = problem;
    return -1;
}

static void changed(Instance *instance)
{
    instance->rates_known = 0;
    instance->outputs_known = 0;
}

Instance *instance_new(const char *name)
{
    Instance *instance = calloc(1, sizeof *instance);

    if (!instance)
        return NULL;
    instance->name = calloc(strlen(name ? name : "") + 1, 1);
    if (!instance->name) {
        free(instance);
        return NULL;
    }
    strcpy(instance->name, name ? name : "");
    instance_reset(instance);
    return instance;
}

void instance_free(Instance *instance)
{
    if (instance)
        free(instance->name);
    free(instance);
}

void instance_reset(Instance *instance)
{
    int k;

    instance_start(instance, 0.0);
    instance->now.longest_step = @STEP@;
    for (k = 0; k < N_Y; ++k)
        instance->now.y[k] = @NAME@_y0[k];
    for (k = 0; k < N_U; ++k)
        instance->now.u[k] = @NAME@_u0[k];
    instance->problem = "";
    changed(instance);
}

void instance_start(Instance *instance, double time)
{
    instance->now.time = time;
    instance->now.samples = @NAME@_period > 0.0 ? ceil(time / @NAME@_period - 1e-9) : 0.0;
}

void instance_restore(Instance *instance, const Snapshot *snapshot)
{
    instance->now = *snapshot;
    changed(instance);
}

static int with_room(Instance *instance, void **snapshot)
{
    if (!*snapshot)
        *snapshot = malloc(sizeof(Snapshot));
    return *snapshot ? 0 : failed(instance, "there is no memory for a state");
}

int instance_save(Instance *instance, void **snapshot)
{
    if (with_room(instance, snapshot) != 0)
        return -1;
    *(Snapshot *)*snapshot = instance->now;
    return 0;
}

int instance_serialize(Instance *instance, const void *snapshot, void *bytes, size_t size)
{
    if (size < sizeof(Snapshot))
        return failed(instance, "too few bytes for a state");
    memcpy(bytes, snapshot, sizeof(Snapshot));
    return 0;
}

int instance_deserialize(Instance *instance, const void *bytes, size_t size, void **snapshot)
{
    if (size != sizeof(Snapshot))
        return failed(instance, "these bytes are no state of this FMU");
    if (with_room(instance, snapshot) != 0)
        return -1;
    memcpy(*snapshot, bytes, sizeof(Snapshot));
    return 0;
}

static int all_finite(const double *values, int n)
{
    double sum = 0.0;
    int k;

    for (k = 0; k < n; ++k)
        sum += 0.0 * values[k];
    return sum == 0.0;
}

int instance_rates(Instance *instance)
{
    if (!instance->rates_known) {
        @NAME@_rate(instance->now.y, instance->now.u, instance->rate);
        if (!all_finite(instance->rate, N_Y))
            return failed(instance, "a loop cannot be assembled at this state, or a force is not finite");
        instance->rates_known = 1;
    }
    return 0;
}

static int observed(Instance *instance)
{
    double closure[N_CLOSURES ? N_CLOSURES : 1];
    int k;

    if (instance->outputs_known)
        return 0;
    @NAME@_observe(instance->now.y, instance->now.u, instance->outputs, closure);
    if (!all_finite(closure, N_CLOSURES))
        return failed(instance, "a loop cannot be assembled at this state");
    instance->closure_error = 0.0;
    for (k = 0; k < N_CLOSURES; ++k)
        if (closure[k] > instance->closure_error)
            instance->closure_error = closure[k];
    instance->outputs_known = 1;
    return 0;
}

int instance_get(Instance *instance, size_t reference, double *value)
{
    if (reference == TIME) {
        *value = instance->now.time;
    } else if (reference < FIRST_RATE) {
        *value = instance->now.y[reference - FIRST_STATE];
    } else if (reference < FIRST_GIVEN) {
        if (instance_rates(instance) != 0)
            return -1;
        *value = instance->rate[instance_continuous[reference - FIRST_RATE]];
    } else if (reference < LONGEST_STEP) {
        *value = instance->now.u[reference - FIRST_GIVEN];
    } else if (reference == LONGEST_STEP) {
        *value = instance->now.longest_step;
    } else if (reference <= CLOSURE_ERROR) {
        if (observed(instance) != 0)
            return -1;
        *value = reference == CLOSURE_ERROR ? instance->closure_error
                                            : instance->outputs[reference - FIRST_OUTPUT];
    } else if (reference < N_REFERENCES) {
        *value = instance_margin(instance);
    } else {
        return failed(instance, "there is no variable of this value reference");
    }
    return 0;
}

int instance_set(Instance *instance, size_t reference, double value)
{
    if (!(value - value == 0.0))
        return failed(instance, "a value to be set is not finite");
    if (reference >= FIRST_STATE && reference < FIRST_RATE) {
        instance->now.y[reference - FIRST_STATE] = value;
    } else if (reference >= FIRST_GIVEN && reference < LONGEST_STEP) {
        instance->now.u[reference - FIRST_GIVEN] = value;
    } else if (reference == LONGEST_STEP) {
        if (!(value > 0.0))
            return failed(instance, "longest_step must be positive");
        instance->now.longest_step = value;
    } else {
        return failed(instance, "only states, inputs, parameters and longest_step can be set");
    }
    changed(instance);
    return 0;
}

int instance_check(Instance *instance)
{
    const char *refusal = @NAME@_refused(instance->now.u);

    return refusal ? failed(instance, refusal) : instance_rates(instance);
}

int instance_advance(Instance *instance, double from, double length)
{
    Snapshot *now = &instance->now;
    const Snapshot before = *now;
    const char *refusal = @NAME@_refused(now->u);

    if (refusal)
        return failed(instance, refusal);
    if (!(length >= 0.0) || !(length / now->longest_step < 1e15))
        return failed(instance, "the length of a step must be finite and not negative");
    now->time = from;
    changed(instance);
    if (@NAME@_advance(now->y, now->u, &now->time, length, now->longest_step) != 0)
        return failed(instance, "a loop cannot be assembled after this step, or a force is not finite");
    if (instance_within(instance) != 0) {
        instance_restore(instance, &before);
        return -1;
    }
    return 0;
}

/* Whether all outputs keep to their limits. */
int instance_within(Instance *instance)
{
    int k;

    if (N_LIMITS > 0 && observed(instance) != 0)
        return -1;
    for (k = 0; k < N_LIMITS; ++k)
        if (instance->outputs[limited[k]] < 0.0)
            return failed(instance, beyond[k]);
    return 0;
}

/* Model exchange: sampled controllers look if it is time; when the next sample is due, 0 if there are none. */
int instance_sample(Instance *instance, double *next)
{
    const double period = @NAME@_period;
    Snapshot *now = &instance->now;
    double y[N_Y ? N_Y : 1];

    *next = 0.0;
    if (!(period > 0.0))
        return 0;
    if (now->samples * period <= now->time + 1e-9 * period) {
        @NAME@_sample(now->y, now->u, y);
        if (!all_finite(y, N_Y))
            return failed(instance, "what sampled controllers answer is not finite");
        memcpy(now->y, y, N_Y * sizeof *y);
        changed(instance);
        now->samples = floor(now->time / period + 1e-9) + 1.0;
    }
    *next = now->samples * period;
    return 0;
}

/* Model exchange: how much is left of the charts of loops, the indicator of events. */
double instance_margin(const Instance *instance)
{
    double y[N_Y ? N_Y : 1], wear;

    @NAME@_renew(instance->now.y, y, &wear);
    return @NAME@_worn - wear;
}

/* Model exchange: on to fresh charts if they are about to be worn: where it was zero is known to some
 * accuracy.  Whether the state has changed. */
int instance_renew(Instance *instance)
{
    double y[N_Y ? N_Y : 1], wear;

    @NAME@_renew(instance->now.y, y, &wear);
    if (!(wear > 0.9 * @NAME@_worn))
        return 0;
    memcpy(instance->now.y, y, N_Y * sizeof *y);
    changed(instance);
    return 1;
}

int instance_set_continuous(Instance *instance, const double x[], size_t n)
{
    size_t k;

    for (k = 0; k < n; ++k)
        if (instance_set(instance, FIRST_STATE + instance_continuous[k], x[k]) != 0)
            return -1;
    return 0;
}

void instance_get_continuous(const Instance *instance, double x[], size_t n)
{
    size_t k;

    for (k = 0; k < n; ++k)
        x[k] = instance->now.y[instance_continuous[k]];
}

int instance_get_rates(Instance *instance, double rates[], size_t n)
{
    size_t k;

    if (instance_rates(instance) != 0)
        return -1;
    for (k = 0; k < n; ++k)
        rates[k] = instance->rate[instance_continuous[k]];
    return 0;
}

int instance_direction(Instance *instance, const unsigned int unknowns[], size_t n_unknowns,
                       const unsigned int knowns[], size_t n_knowns, const double seed[], double sensitivity[])
{
    double y[N_Y ? N_Y : 1] = {0.0}, u[N_U ? N_U : 1] = {0.0};
    double rate[N_Y ? N_Y : 1], outputs[N_OUTPUTS ? N_OUTPUTS : 1];
    size_t k;

    for (k = 0; k < n_knowns; ++k) {
        if (knowns[k] >= FIRST_STATE && knowns[k] < FIRST_RATE)
            y[knowns[k] - FIRST_STATE] += seed[k];
        else if (knowns[k] >= FIRST_GIVEN && knowns[k] < LONGEST_STEP)
            u[knowns[k] - FIRST_GIVEN] += seed[k];
        else
            return failed(instance, "derivatives are by states, inputs and parameters only");
    }
    @NAME@_direction(instance->now.y, instance->now.u, y, u, rate, outputs);
    for (k = 0; k < n_unknowns; ++k) {
        if (unknowns[k] >= FIRST_RATE && unknowns[k] < FIRST_GIVEN)
            sensitivity[k] = rate[instance_continuous[unknowns[k] - FIRST_RATE]];
        else if (unknowns[k] >= FIRST_OUTPUT && unknowns[k] < CLOSURE_ERROR)
            sensitivity[k] = outputs[unknowns[k] - FIRST_OUTPUT];
        else
            return failed(instance, "derivatives are of rates of states and of outputs only");
        if (!(sensitivity[k] - sensitivity[k] == 0.0))
            return failed(instance, "a derivative is not finite at this state");
    }
    return 0;
}
