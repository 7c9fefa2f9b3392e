"""Metrics: functions of time series that know no manoeuvre and no vehicle; SI units throughout."""
