/* The model under FMI 3.0, for model exchange and co-simulation. */
#include <stdlib.h>
#include <string.h>

#include "fmi3Functions.h"
#include "instance.h"

#define TOKEN "@TOKEN@"
#define REFERENCES const fmi3ValueReference vr[], size_t n

static fmi3Status say(Instance *i, fmi3Status status)
{
    if (i->log)
        ((fmi3LogMessageCallback)i->log)(i->environment, status, "logStatusError", i->problem);
    return status;
}

@SHARED@
/* Creation, modes. */

static fmi3Instance created(fmi3String name, fmi3String token, fmi3InstanceEnvironment environment, fmi3LogMessageCallback log)
{
    Instance *i;

    if (!token || strcmp(token, TOKEN) != 0) {
        if (log)
            log(environment, fmi3Error, "logStatusError", "the instantiation token is not that of this FMU, " TOKEN);
        return NULL;
    }
    i = instance_new(name);
    if (i) {
        i->log = (void (*)(void))log;
        i->environment = environment;
    }
    return i;
}

fmi3Instance fmi3InstantiateModelExchange(fmi3String name, fmi3String token, fmi3String resources,
                                          fmi3Boolean visible, fmi3Boolean logging,
                                          fmi3InstanceEnvironment environment, fmi3LogMessageCallback log)
{
    (void)resources;
    (void)visible;
    (void)logging;
    return created(name, token, environment, log);
}

fmi3Instance fmi3InstantiateCoSimulation(fmi3String name, fmi3String token, fmi3String resources,
                                         fmi3Boolean visible, fmi3Boolean logging, fmi3Boolean event_mode,
                                         fmi3Boolean early_return, const fmi3ValueReference intermediate[],
                                         size_t n_intermediate, fmi3InstanceEnvironment environment,
                                         fmi3LogMessageCallback log, fmi3IntermediateUpdateCallback update)
{
    (void)resources;
    (void)visible;
    (void)logging;
    (void)event_mode;
    (void)early_return;
    (void)intermediate;
    (void)n_intermediate;
    (void)update;
    return created(name, token, environment, log);
}

fmi3Instance fmi3InstantiateScheduledExecution(fmi3String name, fmi3String token, fmi3String resources,
                                               fmi3Boolean visible, fmi3Boolean logging,
                                               fmi3InstanceEnvironment environment, fmi3LogMessageCallback log,
                                               fmi3ClockUpdateCallback update, fmi3LockPreemptionCallback lock,
                                               fmi3UnlockPreemptionCallback unlock)
{
    (void)name;
    (void)token;
    (void)resources;
    (void)visible;
    (void)logging;
    (void)update;
    (void)lock;
    (void)unlock;
    if (log)
        log(environment, fmi3Error, "logStatusError", "scheduled execution is not provided");
    return NULL;
}

fmi3Status fmi3EnterInitializationMode(fmi3Instance c, fmi3Boolean tolerance_defined, fmi3Float64 tolerance,
                                       fmi3Float64 start, fmi3Boolean stop_defined, fmi3Float64 stop)
{
    (void)tolerance_defined;
    (void)tolerance;
    (void)stop_defined;
    (void)stop;
    instance_start(c, start);
    return fmi3OK;
}

NOTHING_TO_DO(fmi3EnterConfigurationMode)
NOTHING_TO_DO(fmi3ExitConfigurationMode)
NOTHING_TO_DO(fmi3EvaluateDiscreteStates)
NOTHING_TO_DO(fmi3EnterStepMode)

/* Variables. */

fmi3Status fmi3GetFloat64(fmi3Instance c, REFERENCES, fmi3Float64 values[], size_t n_values)
{
    size_t k;

    if (n != n_values)
        return unsupported(c, "every variable is one number");
    for (k = 0; k < n; ++k)
        if (instance_get(c, vr[k], &values[k]) != 0)
            return say(c, fmi3Discard);
    return fmi3OK;
}

fmi3Status fmi3SetFloat64(fmi3Instance c, REFERENCES, const fmi3Float64 values[], size_t n_values)
{
    size_t k;

    if (n != n_values)
        return unsupported(c, "every variable is one number");
    for (k = 0; k < n; ++k)
        if (instance_set(c, vr[k], values[k]) != 0)
            return say(c, fmi3Error);
    return fmi3OK;
}

#define NO_VARIABLES(TYPE)                                                                              \
    fmi3Status fmi3Get##TYPE(fmi3Instance c, REFERENCES, fmi3##TYPE values[], size_t n_values)          \
    {                                                                                                   \
        (void)vr;                                                                                       \
        (void)values;                                                                                   \
        (void)n_values;                                                                                 \
        return n ? unsupported(c, "all variables are of type Float64") : fmi3OK;                        \
    }                                                                                                   \
    fmi3Status fmi3Set##TYPE(fmi3Instance c, REFERENCES, const fmi3##TYPE values[], size_t n_values)    \
    {                                                                                                   \
        (void)vr;                                                                                       \
        (void)values;                                                                                   \
        (void)n_values;                                                                                 \
        return n ? unsupported(c, "all variables are of type Float64") : fmi3OK;                        \
    }

NO_VARIABLES(Float32)
NO_VARIABLES(Int8)
NO_VARIABLES(UInt8)
NO_VARIABLES(Int16)
NO_VARIABLES(UInt16)
NO_VARIABLES(Int32)
NO_VARIABLES(UInt32)
NO_VARIABLES(Int64)
NO_VARIABLES(UInt64)
NO_VARIABLES(Boolean)
NO_VARIABLES(String)

fmi3Status fmi3GetBinary(fmi3Instance c, REFERENCES, size_t sizes[], fmi3Binary values[], size_t n_values)
{
    (void)vr;
    (void)sizes;
    (void)values;
    (void)n_values;
    return n ? unsupported(c, "all variables are of type Float64") : fmi3OK;
}

fmi3Status fmi3SetBinary(fmi3Instance c, REFERENCES, const size_t sizes[], const fmi3Binary values[], size_t n_values)
{
    (void)vr;
    (void)sizes;
    (void)values;
    (void)n_values;
    return n ? unsupported(c, "all variables are of type Float64") : fmi3OK;
}

fmi3Status fmi3GetNumberOfVariableDependencies(fmi3Instance c, fmi3ValueReference variable, size_t *number)
{
    (void)variable;
    (void)number;
    return unsupported(c, "dependencies of single variables are not provided");
}

fmi3Status fmi3GetVariableDependencies(fmi3Instance c, fmi3ValueReference dependent, size_t elements[],
                                       fmi3ValueReference independents[], size_t others[],
                                       fmi3DependencyKind kinds[], size_t number)
{
    (void)dependent;
    (void)elements;
    (void)independents;
    (void)others;
    (void)kinds;
    (void)number;
    return unsupported(c, "dependencies of single variables are not provided");
}

/* Clocks: there are none. */

#define NO_CLOCKS(NAME, ...)                                            \
    fmi3Status NAME(fmi3Instance c, REFERENCES, __VA_ARGS__)            \
    {                                                                   \
        (void)vr;                                                       \
        return n ? unsupported(c, "there are no clocks") : fmi3OK;      \
    }

#if defined __GNUC__
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#endif
NO_CLOCKS(fmi3GetClock, fmi3Clock values[])
NO_CLOCKS(fmi3SetClock, const fmi3Clock values[])
NO_CLOCKS(fmi3GetIntervalDecimal, fmi3Float64 intervals[], fmi3IntervalQualifier qualifiers[])
NO_CLOCKS(fmi3GetIntervalFraction, fmi3UInt64 counters[], fmi3UInt64 resolutions[], fmi3IntervalQualifier qualifiers[])
NO_CLOCKS(fmi3GetShiftDecimal, fmi3Float64 shifts[])
NO_CLOCKS(fmi3GetShiftFraction, fmi3UInt64 counters[], fmi3UInt64 resolutions[])
NO_CLOCKS(fmi3SetIntervalDecimal, const fmi3Float64 intervals[])
NO_CLOCKS(fmi3SetIntervalFraction, const fmi3UInt64 counters[], const fmi3UInt64 resolutions[])
NO_CLOCKS(fmi3SetShiftDecimal, const fmi3Float64 shifts[])
NO_CLOCKS(fmi3SetShiftFraction, const fmi3UInt64 counters[], const fmi3UInt64 resolutions[])

fmi3Status fmi3ActivateModelPartition(fmi3Instance c, fmi3ValueReference clock, fmi3Float64 time)
{
    return unsupported(c, "scheduled execution is not provided");
}
#if defined __GNUC__
#pragma GCC diagnostic pop
#endif

/* Derivatives. */

fmi3Status fmi3GetDirectionalDerivative(fmi3Instance c, const fmi3ValueReference unknowns[], size_t n_unknowns,
                                        const fmi3ValueReference knowns[], size_t n_knowns, const fmi3Float64 seed[],
                                        size_t n_seed, fmi3Float64 sensitivity[], size_t n_sensitivity)
{
    if (n_seed != n_knowns || n_sensitivity != n_unknowns)
        return unsupported(c, "every variable is one number");
    return instance_direction(c, unknowns, n_unknowns, knowns, n_knowns, seed, sensitivity) == 0
               ? fmi3OK
               : say(c, fmi3Error);
}

fmi3Status fmi3GetAdjointDerivative(fmi3Instance c, const fmi3ValueReference unknowns[], size_t n_unknowns,
                                    const fmi3ValueReference knowns[], size_t n_knowns, const fmi3Float64 seed[],
                                    size_t n_seed, fmi3Float64 sensitivity[], size_t n_sensitivity)
{
    (void)unknowns;
    (void)n_unknowns;
    (void)knowns;
    (void)n_knowns;
    (void)seed;
    (void)n_seed;
    (void)sensitivity;
    (void)n_sensitivity;
    return unsupported(c, "adjoint derivatives are not provided");
}

/* Model exchange. */

fmi3Status fmi3UpdateDiscreteStates(fmi3Instance c, fmi3Boolean *need_update, fmi3Boolean *terminate,
                                    fmi3Boolean *nominals_changed, fmi3Boolean *values_changed,
                                    fmi3Boolean *next_defined, fmi3Float64 *next)
{
    const int failure = instance_sample(c, next);

    *need_update = fmi3False;
    *terminate = fmi3False;
    *nominals_changed = fmi3False;
    *values_changed = instance_renew(c);
    *next_defined = @NAME@_period > 0.0;
    return failure ? say(c, fmi3Error) : fmi3OK;
}

fmi3Status fmi3GetNumberOfEventIndicators(fmi3Instance c, size_t *number)
{
    (void)c;
    *number = N_INDICATORS;
    return fmi3OK;
}

fmi3Status fmi3GetNumberOfContinuousStates(fmi3Instance c, size_t *number)
{
    (void)c;
    *number = N_X;
    return fmi3OK;
}

/* Co-simulation. */

fmi3Status fmi3GetOutputDerivatives(fmi3Instance c, REFERENCES, const fmi3Int32 orders[], fmi3Float64 values[],
                                    size_t n_values)
{
    (void)vr;
    (void)orders;
    (void)values;
    (void)n_values;
    return n ? unsupported(c, "derivatives of outputs by time are not provided") : fmi3OK;
}

fmi3Status fmi3DoStep(fmi3Instance c, fmi3Float64 now, fmi3Float64 length, fmi3Boolean no_return, fmi3Boolean *event,
                      fmi3Boolean *terminate, fmi3Boolean *early_return, fmi3Float64 *last_time)
{
    const int failure = instance_advance(c, now, length);

    (void)c;
    (void)no_return;
    *event = fmi3False;
    *terminate = fmi3False;
    *early_return = fmi3False;
    *last_time = ((Instance *)c)->now.time;
    return failure ? say(c, fmi3Discard) : fmi3OK;
}
