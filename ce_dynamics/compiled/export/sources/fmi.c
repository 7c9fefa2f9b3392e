/* Functions that both versions of FMI have, under the names of FMI 3.0. */

static @FMI@Status unsupported(Instance *i, const char *problem)
{
    i->problem = problem;
    return say(i, @FMI@Error);
}

const char *@FMI@GetVersion(void) { return @FMI@Version; }

@FMI@Status @FMI@SetDebugLogging(@FMI@Instance c, @FMI@Boolean on, size_t n, const @FMI@String categories[])
{
    (void)n;
    (void)categories;
    (void)c;
    (void)on;
    return @FMI@OK;
}

void @FMI@FreeInstance(@FMI@Instance c) { instance_free(c); }

#define NOTHING_TO_DO(NAME)           \
    @FMI@Status NAME(@FMI@Instance c) \
    {                                 \
        (void)c;                      \
        return @FMI@OK;               \
    }

NOTHING_TO_DO(@FMI@EnterEventMode)
NOTHING_TO_DO(@FMI@EnterContinuousTimeMode)
NOTHING_TO_DO(@FMI@Terminate)

@FMI@Status @FMI@ExitInitializationMode(@FMI@Instance c)
{
    return instance_check(c) == 0 ? @FMI@OK : say(c, @FMI@Error);
}

@FMI@Status @FMI@Reset(@FMI@Instance c)
{
    instance_reset(c);
    return @FMI@OK;
}

/* States that are saved. */

@FMI@Status @FMI@GetFMUState(@FMI@Instance c, @FMI@FMUState *state)
{
    return instance_save(c, state) == 0 ? @FMI@OK : say(c, @FMI@Error);
}

@FMI@Status @FMI@SetFMUState(@FMI@Instance c, @FMI@FMUState state)
{
    instance_restore(c, state);
    return @FMI@OK;
}

@FMI@Status @FMI@FreeFMUState(@FMI@Instance c, @FMI@FMUState *state)
{
    (void)c;
    free(*state);
    *state = NULL;
    return @FMI@OK;
}

@FMI@Status @FMI@SerializedFMUStateSize(@FMI@Instance c, @FMI@FMUState state, size_t *size)
{
    (void)c;
    (void)state;
    *size = sizeof(Snapshot);
    return @FMI@OK;
}

@FMI@Status @FMI@SerializeFMUState(@FMI@Instance c, @FMI@FMUState state, @FMI@Byte bytes[], size_t size)
{
    return instance_serialize(c, state, bytes, size) == 0 ? @FMI@OK : say(c, @FMI@Error);
}

@FMI@Status @FMI@DeserializeFMUState(@FMI@Instance c, const @FMI@Byte bytes[], size_t size, @FMI@FMUState *state)
{
    return instance_deserialize(c, bytes, size, state) == 0 ? @FMI@OK : say(c, @FMI@Error);
}

/* Model exchange. */

@FMI@Status @FMI@CompletedIntegratorStep(@FMI@Instance c, @FMI@Boolean no_return, @FMI@Boolean *event,
                                       @FMI@Boolean *terminate)
{
    (void)no_return;
    *event = @FMI@False;
    *terminate = instance_within(c) != 0;
    if (*terminate)
        say(c, @FMI@Warning);
    return @FMI@OK;
}

@FMI@Status @FMI@SetTime(@FMI@Instance c, @FMI@Float64 time)
{
    ((Instance *)c)->now.time = time;
    return @FMI@OK;
}

@FMI@Status @FMI@SetContinuousStates(@FMI@Instance c, const @FMI@Float64 x[], size_t n)
{
    return instance_set_continuous(c, x, n) == 0 ? @FMI@OK : say(c, @FMI@Discard);
}

@FMI@Status @FMI@GetContinuousStateDerivatives(@FMI@Instance c, @FMI@Float64 derivatives[], size_t n)
{
    return instance_get_rates(c, derivatives, n) == 0 ? @FMI@OK : say(c, @FMI@Discard);
}

@FMI@Status @FMI@GetEventIndicators(@FMI@Instance c, @FMI@Float64 indicators[], size_t n)
{
    size_t k;

    for (k = 0; k < n; ++k)
        indicators[k] = instance_margin(c);
    return @FMI@OK;
}

@FMI@Status @FMI@GetContinuousStates(@FMI@Instance c, @FMI@Float64 x[], size_t n)
{
    instance_get_continuous(c, x, n);
    return @FMI@OK;
}

@FMI@Status @FMI@GetNominalsOfContinuousStates(@FMI@Instance c, @FMI@Float64 nominal[], size_t n)
{
    size_t k;

    (void)c;
    for (k = 0; k < n; ++k)
        nominal[k] = 1.0;
    return @FMI@OK;
}
