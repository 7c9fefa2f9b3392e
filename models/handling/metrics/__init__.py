"""Metrics: functions of time series, independent of manoeuvre and vehicle; SI units throughout."""
