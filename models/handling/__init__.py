"""Handling: manoeuvres of standards on any vehicle, and their metrics.

>>> from ce_dynamics.models import handling
>>> sedan = handling.vehicle("sedan")
>>> outcome = handling.perform("step-input", sedan, speed="80 km/h")  # doctest: +SKIP
>>> outcome["yaw_rate_response_time"]  # doctest: +SKIP
"""

from ce_dynamics.algebra.lazy_names import lazy_names
from ce_dynamics.models.handling.outcome import (
    Outcome as Outcome,
    Verdict as Verdict,
    page as page,
    save_page as save_page,
)
from ce_dynamics.models.handling.procedure import Procedure as Procedure
from ce_dynamics.models.handling.procedures import (
    PROCEDURES as PROCEDURES,
    compare as compare,
    perform as perform,
)
from ce_dynamics.models.handling.subject import (
    Run as Run,
    Start as Start,
    Subject as Subject,
    make_run as make_run,
)
from ce_dynamics.models.handling.vehicle import VehicleSubject as VehicleSubject, vehicle as vehicle
from ce_dynamics.views.charts import Chart as Chart, Line as Line

__getattr__, __dir__, __all__ = lazy_names({"Vehicle": "VehicleSubject"})
