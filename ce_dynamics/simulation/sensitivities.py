"""Sensitivities of trajectories: derivatives of a whole run by parameters, inputs and initial values.

With the state y(t, p) of ẏ = f(t, y, p) its derivatives S = ∂y/∂p follow

    Ṡ = ∂f/∂y S + ∂f/∂p,    S(0) = ∂y₀/∂p,

integrated beside y, with the products from compiled forward mode: no step is chosen, and none of the errors
of differences of two runs is made.  Where sampled controllers look, y jumps to g(t, y, p), and S to
∂g/∂y S + ∂g/∂p.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array, array
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.analysis.derivatives import QuantityRows, all_names, quantities_of
from ce_dynamics.compiled.analysis.points import Frame, Point
from ce_dynamics.compiled.input_laws import evaluate_law
from ce_dynamics.compiled.model import Model
from ce_dynamics.compiler import CompiledFunction, compile_function, trace
from ce_dynamics.compiler.derivatives.forward_mode import directional_derivative
from ce_dynamics.compiler.progress import log_work
from ce_dynamics.compiler.tracing.inline import call
from ce_dynamics.errors import ModelError, SimulationError
from ce_dynamics.simulation.monitors.charts import Charts
from ce_dynamics.simulation.options import takes_options
from ce_dynamics.simulation.right_hand_side import Inputs, constant_inputs
from ce_dynamics.simulation.scipy_run import solve_across_samples

if TYPE_CHECKING:
    import xarray as xr

METHODS = ("DOP853", "RK45", "LSODA", "Radau")
MOST_INSTANTS = 10_000_000


class SensitivityColumn(NamedTuple):
    """Variable of differentiation: its name, its place in y or u, True for a state, its size."""

    name: str
    place: int
    is_state: bool
    scale: float


@dataclass(frozen=True, kw_only=True)
class SensitivityOptions:
    """Options of `simulate_sensitivities`, which describes the fields."""

    by: Iterable[str] | str
    of: Iterable[str | Point | Frame] | str | Point | Frame | None = None
    duration: float
    y0: ArrayLike | None = None
    y0_by: ArrayLike | None = None
    parameters: Mapping[str, float] | None = None
    method: str = "DOP853"
    rtol: float = 1e-8
    atol: float = 1e-10
    interval: float = 0.01

    def __post_init__(self) -> None:
        checks.choice("sensitivities: method", self.method, METHODS)
        for name in ("duration", "interval"):
            checks.seconds(name, getattr(self, name))
        checks.number("rtol", self.rtol, above=0.0, below=1.0)
        checks.number("atol", self.atol, above=0.0)

    @property
    def instants(self) -> Floats:
        """Instants to store."""
        stretches = max(1, round(self.duration / self.interval))
        return np.linspace(
            0.0, self.duration, 1 + checks.integer("instants", stretches, at_most=MOST_INSTANTS)
        )


@takes_options(SensitivityOptions)
def simulate_sensitivities(model: Model, inputs: Inputs = None, **options: Any) -> xr.Dataset:
    """Integrate a model together with exact derivatives of its motion.

    Parameters
    ----------
    model : Model
    inputs : InputLaw or mapping of str to float, optional
        As of `ce_dynamics.simulate`; a law is differentiated too, so that a driver reacts to what is changed.
    by : iterable of str, or str
        Free parameters, inputs that are constant, and states (``layout``), which stands for their
        initial values.
    of : names, points or frames, optional
        Outputs, states, rates of states, points and frames, as of `Model.derivatives`; all states if not
        given.
    duration : float
        End time [s].
    y0 : array_like, optional
        Initial state; that of the model if not given.
    y0_by : (n, k) array_like, optional
        Derivatives of the initial state by what ``by`` names, such as of an equilibrium; zero, or of states
        one for themselves, if not given.
    parameters : mapping of str to float, optional
        Free parameters by name; nominal values where not given.
    method : str
        ``DOP853``, ``RK45``, ``LSODA`` or ``Radau`` of SciPy.
    rtol, atol : float
        Error per step, of the states and of their derivatives times the size of what they are by.
    interval : float
        Time between stored instants [s].

    Returns
    -------
    xarray.Dataset
        ``values`` over time and quantity, ``derivatives`` over time, quantity and parameter.

    Raises
    ------
    ModelError
        If a name is unknown, or loops of the model change charts, whose jumps have derivatives of their own.
    SimulationError
        If the run ends early.

    Examples
    --------
    A mass on a spring, let go at x₀: x = x₀ cos ω t with ω² = k/m, so ∂x/∂k = −x₀ t sin(ω t)/(2 m ω).

    >>> import ce_dynamics as ce
    >>> system = ce.System(gravity=(0, 0, 0))
    >>> k = system.add_parameter(ce.Parameter("k", 8.0, "N/m"))
    >>> mass = system.add_body("mass", mass=2.0, parent=system.ground, hinge=ce.Prismatic((1, 0, 0)))
    >>> system.add_force(ce.TorsionSpringDamper("spring", mass, spring=ce.Linear(k)))
    >>> system.start(mass, q=[0.1])
    >>> run = ce.simulate_sensitivities(ce.compile(system), by=["k", "mass"], duration=1.0, interval=1.0)
    >>> run["derivatives"].sel(quantity="mass").values[-1].round(6)  # by k, and by x₀: cos 2
    array([-0.011366, -0.416147])
    """
    import xarray as xr  # here, because it takes long to load

    checks.instance("model", model, Model, "a model, as ce_dynamics.compile(system) returns it")
    chosen = SensitivityOptions(**options)
    held = constant_inputs(model, inputs, chosen.parameters)
    refuse_charts(model)
    t, state = chosen.instants, model.given_state(chosen.y0, "y0")
    columns = columns_of(model, chosen.by, held)
    rows = QuantityRows(model, list_quantities(model, chosen.of))
    law = None if inputs is None or isinstance(inputs, Mapping) else inputs
    with log_work(f"tracing sensitivities of {model.system.name!r}"):
        functions = Functions(model, law, rows, columns, held)
    S0 = initial(columns, state, chosen.y0_by)
    T, Y, S = integrate(functions, columns, t, state, S0, chosen)
    values, derivatives = functions.read(T, Y, S)
    run = xr.Dataset(
        {
            "values": (("time", "quantity"), values),
            "derivatives": (("time", "quantity", "parameter"), derivatives),
        },
        coords={"time": T, "quantity": rows.labels, "parameter": [column.name for column in columns]},
        attrs={"model": model.system.name},
    )
    if len(T) < len(t):
        raise SimulationError(f"the run ended at {T[-1]:.6g} of {t[-1]:g} s", partial=run)
    return run


def refuse_charts(model: Model) -> None:
    """Refuse coordinates that change their meaning between steps."""
    if Charts(model):
        raise ModelError(
            "sensitivities: a loop of the model has coordinates on charts, which change on the way; name "
            "independent coordinates for it"
        )


def list_quantities(
    model: Model, of: Iterable[str | Point | Frame] | str | Point | Frame | None
) -> list[str | Point | Frame]:
    """Return quantities to differentiate; all states if none are named."""
    if of is None:
        return [*model.layout.y_names]
    return quantities_of("sensitivities: of", of)


def columns_of(model: Model, by: Iterable[str] | str, held: Floats) -> list[SensitivityColumn]:
    """Return the variables of differentiation."""
    names, n = all_names(model), len(model.layout.y0)
    found = []
    for name in (by,) if isinstance(by, str) else checks.texts("by", by):
        if name not in names:
            raise ModelError(f"sensitivities: by: no {name!r}; states, inputs and parameters are {names}")
        k = names.index(name)
        size = 1.0 if k < n else abs(float(held[k - n])) or 1.0
        found.append(SensitivityColumn(name, k if k < n else k - n, k < n, size))
    if not found:
        raise ModelError("sensitivities: by: name what to differentiate by")
    return found


def initial(columns: list[SensitivityColumn], state: Floats, y0_by: ArrayLike | None) -> Floats:
    """Return S(0), times the sizes of the columns."""
    if y0_by is not None:
        given = checks.finite_array("y0_by", y0_by, (len(state), len(columns)))
        return np.asarray(given * np.array([column.scale for column in columns]))
    S = np.zeros((len(state), len(columns)))
    for k, column in enumerate(columns):
        if column.is_state:
            S[column.place, k] = column.scale
    return S


class Functions:
    """f, g and the quantities z, each with its derivative along one direction, compiled."""

    def __init__(
        self, model: Model, law: Any, rows: QuantityRows, columns: list[SensitivityColumn], held: Floats
    ) -> None:
        self.columns = columns
        self.places = [column.place for column in columns if not column.is_state]
        self.p = held[self.places]
        sizes: dict[str, int | tuple[int, ...]] = {"t": 1, "y": len(model.layout.y0), "p": len(self.p)}

        def inputs_at(t: Array, y: Array, p: Array) -> Array:
            given = list(held)
            for place, value in zip(self.places, p, strict=True):
                given[place] = value
            return array(given) if law is None else evaluate_law(model, law, t[0], y, array(given))

        def rate(t: Array, y: Array, p: Array) -> dict[str, Array]:
            return {"f": model.instant(y, inputs_at(t, y, p)).y_dot}

        def sample(t: Array, y: Array, p: Array) -> dict[str, Array]:
            return {"f": model.instant(y, inputs_at(t, y, p)).y_sampled}

        def quantities(t: Array, y: Array, p: Array) -> dict[str, Array]:
            return {"f": rows.quantities(y, inputs_at(t, y, p))["z"]}

        self.rate = self._with_direction("rate", rate, sizes).bind()
        self.period = model.layout.sampling.period
        self.sample = self._with_direction("sample", sample, sizes).bind() if self.period else None
        self.quantities = self._with_direction("quantities", quantities, sizes).bind()

    def _with_direction(self, name: str, function: Any, sizes: Any) -> CompiledFunction:
        traced = trace(name, function, sizes)
        along = directional_derivative(traced)
        none = np.zeros(1)

        def both(t: Array, y: Array, p: Array, s: Array, e: Array) -> dict[str, Array]:
            found = call(along, t=t, y=y, p=p, t_direction=none, y_direction=s, p_direction=e)
            return {"f": call(traced, t=t, y=y, p=p)["f"], "f_s": found["f_direction"]}

        return compile_function(trace(f"{name} along", both, {**sizes, "s": sizes["y"], "e": sizes["p"]}))

    def along(self, bound: Any, t: float, y: Floats, S: Floats) -> tuple[Floats, Floats]:
        """Return f and its derivatives along the columns of S."""
        given = bound.inputs
        given["t"][0], given["y"][:], given["p"][:] = t, y, self.p
        parts, k = [], 0
        for column, s in zip(self.columns, S.T, strict=True):
            given["s"][:], given["e"][:] = s, 0.0
            if not column.is_state:
                given["e"][k] = column.scale
                k += 1
            bound.run()
            parts.append(bound.outputs["f_s"].copy())
        return bound.outputs["f"].copy(), np.stack(parts, axis=1)

    def read(self, t: Floats, Y: Floats, S: Floats) -> tuple[Floats, Floats]:
        """Return quantities and their derivatives at all instants."""
        pairs = [self.along(self.quantities, *each) for each in zip(t.tolist(), Y, S, strict=True)]
        scales = np.array([column.scale for column in self.columns])
        return np.array([z for z, _ in pairs]), np.array([dz / scales for _, dz in pairs])


def integrate(
    functions: Functions,
    columns: list[SensitivityColumn],
    t: Floats,
    state: Floats,
    S0: Floats,
    options: SensitivityOptions,
) -> tuple[Floats, Floats, Floats]:
    """Return times, states and their derivatives as far as reached."""
    from scipy.integrate import solve_ivp  # here, because few runs need it

    n, m = len(state), len(columns)
    chosen: Any = {name: getattr(options, name) for name in ("method", "rtol", "atol")}

    def along(bound: Any, t: float, whole: Floats) -> Floats:
        f, f_S = functions.along(bound, t, whole[:n], whole[n:].reshape(n, m))
        return np.concatenate((f, f_S.ravel()))

    rate, sampled = partial(along, functions.rate), partial(along, functions.sample)

    def through(t: Floats, whole: Floats) -> Any:
        return solve_ivp(rate, (t[0], t[-1]), whole, t_eval=t, **chosen)

    whole = np.concatenate((state, S0.ravel()))
    if not np.all(np.isfinite(rate(0.0, whole))):
        raise SimulationError("sensitivities: the motion or its derivatives are no numbers at the start")
    found: Any = (
        solve_across_samples(functions.period, sampled, through, t, whole)
        if functions.period
        else through(t, whole)
    )
    Y = found.y.T
    return found.t, Y[:, :n], Y[:, n:].reshape(len(Y), n, m)
