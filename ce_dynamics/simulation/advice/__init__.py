"""Which integrator suits a model: stability, accuracy and cost, measured at states of its motion."""
