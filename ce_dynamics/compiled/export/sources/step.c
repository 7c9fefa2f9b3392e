int @NAME@_step(double y[], const double u[], double h)
{
    enum { N = @UPPER@_STATES ? @UPPER@_STATES : 1 };
    double rate[N], total[N], ahead[N];
    double check = 0.0;
    int k;

    @NAME@_rate(y, u, rate);
    for (k = 0; k < @UPPER@_STATES; ++k) {
        total[k] = rate[k];
        ahead[k] = y[k] + 0.5 * h * rate[k];
    }
    @NAME@_rate(ahead, u, rate);
    for (k = 0; k < @UPPER@_STATES; ++k) {
        total[k] += 2.0 * rate[k];
        ahead[k] = y[k] + 0.5 * h * rate[k];
    }
    @NAME@_rate(ahead, u, rate);
    for (k = 0; k < @UPPER@_STATES; ++k) {
        total[k] += 2.0 * rate[k];
        ahead[k] = y[k] + h * rate[k];
    }
    @NAME@_rate(ahead, u, rate);
    for (k = 0; k < @UPPER@_STATES; ++k) {
        ahead[k] = y[k] + h / 6.0 * (total[k] + rate[k]);
        check += 0.0 * ahead[k];
    }
    if (check != 0.0)
        return -1;
    for (k = 0; k < @UPPER@_STATES; ++k)
        y[k] = ahead[k];
    return 0;
}
