"""Tyre models of few numbers: linear, brush, Fiala, TMsimple, Magic Formula of 1989; one file each."""
