/* The model under FMI 2.0, for model exchange and co-simulation. */
#include <stdlib.h>
#include <string.h>

#include "fmi2Functions.h"
#include "instance.h"

#define TOKEN "@TOKEN@"

/* Names of FMI 3.0 that FMI 2.0 writes differently. */
#define fmi2Instance fmi2Component
#define fmi2Float64 fmi2Real
#define fmi2FMUState fmi2FMUstate
#define fmi2GetFMUState fmi2GetFMUstate
#define fmi2SetFMUState fmi2SetFMUstate
#define fmi2FreeFMUState fmi2FreeFMUstate
#define fmi2SerializedFMUStateSize fmi2SerializedFMUstateSize
#define fmi2SerializeFMUState fmi2SerializeFMUstate
#define fmi2DeserializeFMUState fmi2DeSerializeFMUstate
#define fmi2GetContinuousStateDerivatives fmi2GetDerivatives

static fmi2Status say(Instance *i, fmi2Status status)
{
    if (i->log)
        ((fmi2CallbackLogger)i->log)(i->environment, i->name, status, status == fmi2Discard ? "logStatusDiscard" : "logStatusError",
                                     "t = %g s: %s", i->now.time, i->problem);
    return status;
}

@SHARED@
/* Creation, modes. */

const char *fmi2GetTypesPlatform(void) { return fmi2TypesPlatform; }

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String token, fmi2String resources,
                              const fmi2CallbackFunctions *functions, fmi2Boolean visible, fmi2Boolean logging)
{
    Instance *i;

    (void)type;
    (void)resources;
    (void)visible;
    (void)logging;
    if (!token || strcmp(token, TOKEN) != 0) {
        if (functions && functions->logger)
            functions->logger(functions->componentEnvironment, name, fmi2Error, "logStatusError",
                              "the GUID is not that of this FMU, " TOKEN);
        return NULL;
    }
    i = instance_new(name);
    if (i) {
        i->log = functions ? (void (*)(void))functions->logger : NULL;
        i->environment = functions ? functions->componentEnvironment : NULL;
    }
    return i;
}

fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean tolerance_defined, fmi2Real tolerance, fmi2Real start,
                               fmi2Boolean stop_defined, fmi2Real stop)
{
    (void)tolerance_defined;
    (void)tolerance;
    (void)stop_defined;
    (void)stop;
    instance_start(c, start);
    return fmi2OK;
}

NOTHING_TO_DO(fmi2EnterInitializationMode)

/* Variables. */

fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2Real value[])
{
    size_t k;

    for (k = 0; k < n; ++k)
        if (instance_get(c, vr[k], &value[k]) != 0)
            return say(c, fmi2Discard);
    return fmi2OK;
}

fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2Real value[])
{
    size_t k;

    for (k = 0; k < n; ++k)
        if (instance_set(c, vr[k], value[k]) != 0)
            return say(c, fmi2Error);
    return fmi2OK;
}

#define NO_VARIABLES(TYPE)                                                                                      \
    fmi2Status fmi2Get##TYPE(fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2##TYPE value[])       \
    {                                                                                                           \
        (void)vr;                                                                                               \
        (void)value;                                                                                            \
        return n ? unsupported(c, "all variables are real numbers") : fmi2OK;                                   \
    }                                                                                                           \
    fmi2Status fmi2Set##TYPE(fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2##TYPE value[]) \
    {                                                                                                           \
        (void)vr;                                                                                               \
        (void)value;                                                                                            \
        return n ? unsupported(c, "all variables are real numbers") : fmi2OK;                                   \
    }

NO_VARIABLES(Integer)
NO_VARIABLES(Boolean)
NO_VARIABLES(String)

fmi2Status fmi2GetDirectionalDerivative(fmi2Component c, const fmi2ValueReference unknowns[], size_t n_unknowns,
                                        const fmi2ValueReference knowns[], size_t n_knowns, const fmi2Real seed[],
                                        fmi2Real sensitivity[])
{
    return instance_direction(c, unknowns, n_unknowns, knowns, n_knowns, seed, sensitivity) == 0
               ? fmi2OK
               : say(c, fmi2Error);
}

/* Model exchange. */

fmi2Status fmi2NewDiscreteStates(fmi2Component c, fmi2EventInfo *info)
{
    const int failure = instance_sample(c, &info->nextEventTime);

    info->newDiscreteStatesNeeded = fmi2False;
    info->terminateSimulation = fmi2False;
    info->nominalsOfContinuousStatesChanged = fmi2False;
    info->valuesOfContinuousStatesChanged = instance_renew(c);
    info->nextEventTimeDefined = @NAME@_period > 0.0;
    return failure ? say(c, fmi2Error) : fmi2OK;
}

/* Co-simulation. */

fmi2Status fmi2SetRealInputDerivatives(fmi2Component c, const fmi2ValueReference vr[], size_t n,
                                       const fmi2Integer order[], const fmi2Real value[])
{
    (void)vr;
    (void)order;
    (void)value;
    return n ? unsupported(c, "inputs are held during a step") : fmi2OK;
}

fmi2Status fmi2GetRealOutputDerivatives(fmi2Component c, const fmi2ValueReference vr[], size_t n,
                                        const fmi2Integer order[], fmi2Real value[])
{
    (void)vr;
    (void)order;
    (void)value;
    return n ? unsupported(c, "derivatives of outputs by time are not provided") : fmi2OK;
}

fmi2Status fmi2DoStep(fmi2Component c, fmi2Real now, fmi2Real length, fmi2Boolean no_return)
{
    (void)no_return;
    return instance_advance(c, now, length) == 0 ? fmi2OK : say(c, fmi2Discard);
}

fmi2Status fmi2CancelStep(fmi2Component c) { return unsupported(c, "steps are not asynchronous"); }

fmi2Status fmi2GetStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Status *value)
{
    (void)kind;
    (void)value;
    return unsupported(c, "steps are not asynchronous");
}

fmi2Status fmi2GetRealStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Real *value)
{
    if (kind != fmi2LastSuccessfulTime)
        return unsupported(c, "of real numbers there is the last successful time only");
    *value = ((Instance *)c)->now.time;
    return fmi2OK;
}

fmi2Status fmi2GetIntegerStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Integer *value)
{
    (void)kind;
    (void)value;
    return unsupported(c, "there is no such status");
}

fmi2Status fmi2GetBooleanStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Boolean *value)
{
    if (kind != fmi2Terminated)
        return unsupported(c, "there is no such status");
    *value = fmi2False;
    return fmi2OK;
}

fmi2Status fmi2GetStringStatus(fmi2Component c, const fmi2StatusKind kind, fmi2String *value)
{
    (void)kind;
    (void)value;
    return unsupported(c, "there is no such status");
}
