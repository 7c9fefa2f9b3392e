int @NAME@_step(double y[], const double u[], double h)
{
    enum { N = @UPPER@_STATES ? @UPPER@_STATES : 1 };
    double fresh[N], rates[@EVALUATIONS@][N], ahead[N], wear;
    const double *start = y;
    double check = 0.0;
    int k;

    @NAME@_renew(y, fresh, &wear);
    if (wear > @NAME@_worn)
        start = fresh;
@STAGES@
    for (k = 0; k < @UPPER@_STATES; ++k)
        check += 0.0 * ahead[k];
    if (check != 0.0)
        return -1;
    for (k = 0; k < @UPPER@_STATES; ++k)
        y[k] = ahead[k];
    return 0;
}

/* How many samples lie before a time; one that is late by a billionth of the period still counts as due. */
static double @NAME@_samples_before(double t)
{
    return @NAME@_period > 0.0 ? ceil(t / @NAME@_period - 1e-9) : 0.0;
}

/* A sample, and a step from what it makes of the state. */
static int @NAME@_sampled_step(double y[], const double u[], double h)
{
    double seen[@UPPER@_STATES ? @UPPER@_STATES : 1];
    int k;

    @NAME@_sample(y, u, seen);
    if (@NAME@_step(seen, u, h) != 0)
        return -1;
    for (k = 0; k < @UPPER@_STATES; ++k)
        y[k] = seen[k];
    return 0;
}

int @NAME@_advance(double y[], const double u[], double *t, double length, double longest)
{
    const double period = @NAME@_period, begin = *t, end = begin + length;
    const double last = @NAME@_samples_before(end);
    double made = @NAME@_samples_before(begin);
    int between;

    if (!(length >= 0.0) || !(longest > 0.0) || !(length / longest < 1e15))
        return -1;
    if (length == 0.0)
        return 0;
    do {
        const double from = *t;
        const int due = made < last && made * period <= from + 1e-9 * period;
        double stop, stretch, number, h, done;

        made += due;
        between = made < last;
        stop = between ? made * period : end;
        stretch = between || from != begin ? stop - from : length;
        number = ceil(stretch / longest * (1.0 - 1e-9));
        h = stretch / number;
        for (done = 0.0; done < number; done += 1.0) {
            if ((due && done == 0.0 ? @NAME@_sampled_step(y, u, h) : @NAME@_step(y, u, h)) != 0)
                return -1;
            *t = from + (done + 1.0) * h;
        }
        *t = stop;
    } while (between);
    return 0;
}
