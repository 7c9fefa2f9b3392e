"""The description of a multibody system: bodies, hinges, loops, forces, inputs, outputs."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array, Scalar
from ce_dynamics.compiler.free_numbers import is_free
from ce_dynamics.errors import ModelError, WrongTypeError
from ce_dynamics.mechanism.assumptions import COARSEST, TOLERANCE, Assumption, Original
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.checked import finite_number, finite_vector
from ce_dynamics.mechanism.controller import Controller, Sampling, check_controller
from ce_dynamics.mechanism.couplings.base import Coupled, Coupling, check_coordinates
from ce_dynamics.mechanism.couplings.components import (
    Component,
    ConstraintView,
    FunctionCoordinate,
    Lead,
    found_component,
    found_function,
)
from ce_dynamics.mechanism.couplings.cut_edge import CutEdge, LoopClosure, is_closure
from ce_dynamics.mechanism.couplings.user_constraint import Written, read_constraint
from ce_dynamics.mechanism.drives import Motion
from ce_dynamics.mechanism.forces.base import ForceElement, Observer
from ce_dynamics.mechanism.hinges.base import Hinge, check_complementary
from ce_dynamics.mechanism.hinges.conditions import Closure
from ce_dynamics.mechanism.inertia import check_armature, check_inertia
from ce_dynamics.mechanism.parameters import Parameter
from ce_dynamics.mechanism.signals import Input, Output, check_range


class FindsHinges(Protocol):
    """Data of a linkage that a description needs (`ce_dynamics.embedding.linkage.Linkage`).

    Attributes
    ----------
    determines : tuple of str
        Names of the bodies whose inboard hinges the linkage determines.
    closes : tuple of str
        Names of the closures that the linkage satisfies.
    """

    @property
    def determines(self) -> tuple[str, ...]: ...
    @property
    def closes(self) -> tuple[str, ...]: ...


Independent: TypeAlias = Body | str | tuple[Body | str, str | int] | Component | FunctionCoordinate
"""Type of an independent coordinate: a body's hinge, a component of a hinge, or a function of positions."""


class System:
    """Bodies, hinges, loop closures, forces, inputs and outputs.

    The tree is described by giving each body its parent and inboard hinge; every further connection is a loop
    closure.  All geometry is given in the **design pose**: world coordinates of the configuration in which
    every hinge coordinate is zero and all body axes are parallel to the world's.

    Parameters
    ----------
    gravity : sequence of 3 floats
        Acceleration of free fall [m/s²].
    name : str
        Used in messages and results.
    tolerance : float
        Precision of the geometry, in radians and in sizes of a loop: where the freedoms of a loop depend on
        axes being parallel or perpendicular, or on points and axes meeting, those that are so to within the
        tolerance are taken as exactly so, and conditions that others imply to within it are left out;
        `describe` lists both.  Zero takes every number literally.

    Raises
    ------
    ModelError
        By its methods, by hinges, couplings and force elements as well: for numbers that are not finite or
        out of bounds, names taken already, unknown bodies and those of another system.  Messages name the
        thing, its value and a remedy.

    Examples
    --------
    A pendulum:

    >>> import ce_dynamics as ce
    >>> system = ce.System(gravity=(0, 0, -9.81))
    >>> rod = system.add_body("rod", mass=1.0, com=(0, 0, -0.5), inertia=(1 / 12, 1 / 12, 0.0),
    ...                       parent=system.ground, hinge=ce.Revolute(axis=(0, 1, 0), at=(0, 0, 0)))
    >>> ce.compile(system).accelerations(q=[0.1], v=[0.0]).round(3)
    array([-1.469])
    """

    UNTRACED = "initial", "initial_rates"  # functions of a state do not read them; linkages keep what they do

    def __init__(
        self, gravity: ArrayLike = (0.0, 0.0, -9.81), name: str = "system", *, tolerance: float = TOLERANCE
    ) -> None:
        self.name = checks.name_of("System: name", name)
        self.tolerance = tolerance
        self.assumptions: tuple[Assumption, ...] = ()
        self.originals: tuple[Original, ...] = ()
        self.gravity = finite_vector(gravity, "System", "gravity")
        self.ground = Body("ground", 0.0, np.zeros(3), np.zeros((3, 3)), None, None, index=0)
        self.bodies: list[Body] = []
        self.closures: list[CutEdge] = []
        self.forces: list[ForceElement] = []
        self.controllers: list[Controller] = []
        self.inputs: dict[str, Input] = {}
        self.channels: dict[str, Input] = {}
        self.parameters: dict[str, Parameter] = {}
        self.outputs: dict[str, Output] = {}
        self.measurements: dict[str, Output] = {}
        self.prescribed: dict[str, Motion] = {}
        self.linkages: list[FindsHinges] = []
        self.groups: dict[str, tuple[str, ...]] = {}
        self.initial: dict[str, Array] = {}
        self.initial_rates: dict[str, Array] = {}
        self.notes: list[str] = []  # remarks of whoever built it: what a reader of robot files left out
        self._by_name: dict[str, Body] = {"ground": self.ground}

    @property
    def tolerance(self) -> float:
        """Precision of the geometry, in radians and in sizes of a loop."""
        return self._tolerance

    @tolerance.setter
    def tolerance(self, value: float) -> None:
        self._tolerance = checks.number("System: tolerance", value, at_least=0.0, at_most=COARSEST)

    def add_body(
        self,
        name: str,
        *,
        mass: float,
        parent: Body | str,
        hinge: Hinge,
        com: ArrayLike | None = None,
        inertia: ArrayLike = (0.0, 0.0, 0.0),
        armature: ArrayLike | None = None,
    ) -> Body:
        """Add a rigid body and the hinge that carries it.

        Parameters
        ----------
        name : str
            Unique name; the hinge is known by it too.
        mass : float
            [kg], not negative.
        parent : Body or str
            The body that carries the hinge.
        hinge : Hinge
            Inboard hinge, placed in the design pose.
        com : (3,) array_like, optional
            Centre of mass in the design pose [m]; the hinge point if not given.
        inertia : (3,) or (3, 3) array_like
            About the centre of mass in design axes [kg m²].
        armature : float or (n_v,) array_like, optional
            Inertia of the hinge's own velocities, not negative: A in the kinetic energy ½ θ̇ᵀ A θ̇ of whatever
            turns (or slides) with the hinge and hardly moves otherwise, such as the rotor of its motor, seen
            through the gear: ratio² times the rotor's inertia [kg m²] for angles, [kg] for displacements.
            A single number is for hinges whose velocities have one unit.

        Returns
        -------
        Body

        Warns
        -----
        PhysicalityWarning
            Where no real body has such an inertia (a principal moment exceeds the sum of the other two).
        """
        if checks.name_of("add_body: name", name) in self._by_name:
            raise ModelError(f"body {name!r} exists already; give every body its own name")
        carrier = self.find(parent)
        checks.instance(f"body {name!r}: hinge", hinge, Hinge, "a hinge, such as Revolute((0, 0, 1))")
        check_complementary(hinge, f"body {name!r}")
        kilograms = finite_number(mass, f"body {name!r}", "mass", at_least=0.0)
        at = hinge.at if com is None else finite_vector(com, f"body {name!r}", "com")
        body = Body(
            name=name,
            mass=kilograms,
            com=at,
            inertia=check_inertia(inertia, name),
            parent=carrier,
            hinge=hinge,
            index=len(self.bodies) + 1,
            depth=carrier.depth + 1,
            armature=np.zeros(0) if armature is None else check_armature(armature, hinge, name),
        )
        self.bodies.append(body)
        self._by_name[name] = body
        return body

    def close_loop(
        self,
        name: str,
        body_a: Body | str,
        body_b: Body | str,
        closure: Closure,
        independent: Sequence[Independent] = (),
        *,
        through_dead_centres: bool = False,
        substeps: int | None = None,
    ) -> LoopClosure:
        """Close a loop between two bodies of the tree.

        Parameters
        ----------
        name : str
            Unique name of the closure.
        body_a, body_b : Body or str
            The bodies it joins.
        closure : Hinge or other closure
            What it allows; placed in the design pose.  `BetweenFrames` has a frame on either body, for loops
            that are open in the design pose.
        independent : sequence of Body, str, (Body or str, str or int), Component or FunctionCoordinate
            Bodies whose inboard hinges are to be the independent coordinates of the loop, or components of
            hinges (`Component`, or in short the body with the name or number of the coordinate), or functions
            of positions; those of all closures of one aggregated body are put together.
        through_dead_centres : bool
            Take as coordinates none of the hinges, so that no dead centre of any of them is met.  With one
            degree of freedom the coordinate is the position along the path of all configurations, in the
            direction of the hinge that ``independent`` names; with several they are coordinates on charts,
            which are changed on the way.  Initial values may be given for any hinges of the loop
            (``independent`` ones otherwise stay as they are), and results hold the coordinates of all.
            A loop that neither hinges nor their components can lead gets such coordinates unasked.
        substeps : int, optional
            Of a loop with several independent coordinates that is solved by Newton's method, or with one and
            free hardpoints: how many steps lead from the design pose to any other (12 if not given, 24 where
            an angle leads free hardpoints, which goes either way round unless fewer are set; the most
            that one of its closures sets).  Fewer cost less and are enough where no hinge turns by more
            than about half a radian per step.  What is not reached is NaN, never another branch.
        """
        self._need_new_closure(name)
        a, b = self.find(body_a), self.find(body_b)
        if a is b:
            raise ModelError(f"closure {name!r} joins body {a.name!r} to itself; name two different bodies")
        if not is_closure(closure):
            raise WrongTypeError(
                f"closure {name!r}: {checks.show(closure)} closes nothing; give a hinge such as "
                "Revolute((0, 0, 1)), or Distance(at_a, at_b)"
            )
        if isinstance(closure, Hinge):
            check_complementary(closure, f"closure {name!r}")
        checks.flag(f"closure {name!r}: through_dead_centres", through_dead_centres)
        if substeps is not None:
            checks.integer(f"closure {name!r}: substeps", substeps, at_least=1)
        owner = f"closure {name!r}: independent"
        names, leading = self._leads(independent, owner)
        loop = LoopClosure(name, a, b, closure, names, through_dead_centres, leading, substeps)
        self.closures.append(loop)
        return loop

    def couple(
        self,
        name: str,
        coordinates: Sequence[Body | str | tuple[Body | str, int]],
        coupling: Coupling,
        independent: Sequence[Independent] = (),
    ) -> Coupled:
        """Couple hinge coordinates: gears, racks, differentials, cams.

        Parameters
        ----------
        name : str
            Unique name among all closures.
        coordinates : sequence of Body, str or (Body or str, int)
            Bodies whose inboard hinges are coupled, with the number of the coordinate where a hinge has
            several, in the order the coupling expects.
        coupling : Coupling
            Such as `Gear`, `RackAndPinion`, `LinearCoupling`, `PolynomialCoupling`, `FunctionCoupling`.
        independent : sequence of Body or str
            As for `close_loop`; by default the last of the coordinates is a dependent one, if that is
            possible.
        """
        self._need_new_closure(name)
        owner = f"coupling {name!r}"
        if isinstance(coordinates, (str, Body)):
            coordinates = (coordinates,)
        pairs = [
            checks.items(f"{owner}: coordinates", each, 2) if isinstance(each, tuple) else (each, 0)
            for each in checks.items(f"{owner}: coordinates", coordinates)
        ]
        found = check_coordinates(owner, [self.find(body) for body, _ in pairs], [k for _, k in pairs])
        checks.instance(f"{owner}: coupling", coupling, Coupling, "a coupling, such as Gear(ratio=-0.5)")
        coupling.check(len(found), owner)
        with checks.name_user_errors(f"function of {owner}"):
            tried = coupling.residual([float(body.inboard.neutral[k]) for body, k in found])
            if not is_free(tried):
                checks.as_float(f"what the function of {owner} returns", tried)
        names, leading = self._leads(independent, f"{owner}: independent")
        edge = Coupled(name, found, coupling, names, leading)
        self.closures.append(edge)
        return edge

    def constrain(
        self,
        name: str,
        bodies: Sequence[Body | str],
        function: Callable[[ConstraintView], Any],
        independent: Sequence[Independent] = (),
    ) -> Written:
        """Impose a holonomic constraint that is written as a function of positions.

        Parameters
        ----------
        name : str
            Unique name among all closures.
        bodies : sequence of Body or str
            All bodies the function looks at, frames too; the ground may be one.
        function : callable
            ``function(see)`` returns the residuals (a scalar or a sequence) that must vanish, from
            ``see.point(body, at, frame)``, ``see.direction(body, axis, frame)`` and
            ``see.coordinate(body, k)``; written on arrays and the functions of `ce_dynamics.algebra.arrays`.
            Its derivatives are formed exactly.
        independent : sequence of Body or str
            As for `close_loop`.
        """
        self._need_new_closure(name)
        owner = f"constraint {name!r}"
        seen = [self.find(body) for body in checks.items(f"{owner}: bodies", bodies)]
        edge = read_constraint(name, seen, function, *self._leads(independent, f"{owner}: independent"))
        self.closures.append(edge)
        return edge

    def use_linkage(self, linkage: FindsHinges) -> None:
        """Let a closed-form linkage find the dependent hinges it names."""
        if isinstance(linkage, type) or not hasattr(linkage, "determines"):
            raise WrongTypeError(
                f"use_linkage: {checks.show(linkage)} is no linkage; give one of ce_dynamics.kinematics, "
                "such as FourBar(A, D, F, G, axis)"
            )
        for name in linkage.determines:
            self.find(name)
        self.linkages.append(linkage)

    def prescribe(self, body: Body | str, motion: Motion) -> None:
        """Let the inboard hinge of a body follow a given motion.

        Raises
        ------
        ModelError
            If the hinge has not exactly one coordinate or is prescribed already, or the motion reads an input
            that is not declared.
        """
        target = self.find(body)
        if target.is_ground or target.inboard.n_v != 1:
            raise ModelError(f"body {target.name!r}: only a hinge with one coordinate can be prescribed")
        if target.name in self.prescribed:
            raise ModelError(f"body {target.name!r} is prescribed already")
        checks.instance(f"prescribe {target.name!r}: motion", motion, Motion, "a motion, such as Held(0.0)")
        for name in motion.inputs:
            self._need_input(name, f"motion of {target.name!r}")
        self.prescribed[target.name] = motion

    def add_force(self, element: ForceElement) -> None:
        """Add a force element."""
        what = "a force element, such as AppliedWrench or SpringDamper"
        checks.instance("add_force: element", element, ForceElement, what)
        self._need_new_owner("force element", element.name)
        for body, _ in element.attachments:
            self.find(body)
        for name in element.inputs:
            self._need_input(name, f"force element {element.name!r}")
        self.forces.append(element)

    def add_controller(self, controller: Controller) -> None:
        """Add a control law with memory, which reads the inputs as the laws before it have set them."""
        what = "a Controller, which defines its memory and how that changes"
        checks.instance("add_controller: controller", controller, Controller, what)
        checks.name_of("add_controller: name", getattr(controller, "name", None))
        self._need_new_owner("controller", controller.name)
        check_controller(controller)
        if not controller.answers:
            raise ModelError(f"{controller.label} answers no inputs, so that it has no effect; name some")
        for name in checks.texts(f"{controller.label}: answers", controller.answers):
            self._need_input(name, controller.label, "answers")
        Sampling([*self.controllers, controller])
        self.controllers.append(controller)

    def add_input(
        self, name: str, unit: str, default: float = 0.0, *, between: tuple[float, float] | None = None
    ) -> None:
        """Declare a named input.

        Parameters
        ----------
        name, unit : str
        default : float
            Its value where none is given.
        between : (float, float), optional
            Least and largest value it may have; numbers out of it are refused, and laws that answer such are
            reported.
        """
        checks.name_of("add_input: name", name)
        checks.unit(f"input {name!r}: unit", unit)
        if name in self.inputs or name in self.parameters or name in self.channels:
            raise ModelError(f"input {name!r} exists already; give every input its own name")
        value = finite_number(default, f"input {name!r}", "default")
        if between is not None:
            lower, upper = checks.vector(f"input {name!r}: between", between, 2).tolist()
            if not lower < upper:
                raise ModelError(f"input {name!r}: between {between!r} must be its least and largest value")
            between = (lower, upper)
            check_range(name, value, between)
        self.inputs[name] = Input(name, unit, value, between)

    def add_channel(self, name: str, unit: str, default: float = 0.0) -> None:
        """Declare a signal that controllers set and force elements read.

        A channel is no input: it is not part of u, and exported models do not list it.

        Parameters
        ----------
        name, unit : str
        default : float
            Its value before the first controller sets it.
        """
        checks.name_of("add_channel: name", name)
        checks.unit(f"channel {name!r}: unit", unit)
        if name in self.inputs or name in self.parameters or name in self.channels:
            raise ModelError(f"input {name!r} exists already; give every channel its own name")
        value = finite_number(default, f"channel {name!r}", "default")
        self.channels[name] = Input(name, unit, value)

    def add_parameter(self, parameter: Parameter) -> Scalar:
        """Declare a free parameter, which may stand wherever the system's description takes a number.

        Returns
        -------
        Parameter
            The same, which may stand for a float in the description.
        """
        what = "a free number, such as Parameter('length', 1.0)"
        checks.instance("add_parameter: parameter", parameter, Parameter, what)
        if parameter.name in {**self.parameters, **self.inputs, **self.channels}:
            raise ModelError(f"parameter {parameter.name!r} exists already as parameter or input; rename it")
        self.parameters[parameter.name] = parameter
        return parameter

    def add_output(
        self, name: str, unit: str, function: Callable[[Observer], Scalar], *, limit: str = ""
    ) -> None:
        """Declare a named output computed from the motion (on arrays and `where`, without branching).

        Parameters
        ----------
        name, unit : str
        function : callable
        limit : str, optional
            Message of the runs that end where the output becomes negative; it may be negative if not given.
        """
        self._need_new_output(name, unit, function)
        if limit != "":
            checks.text(f"output {name!r}: limit", limit)
        self.outputs[name] = Output(name, unit, function, limit)

    @property
    def limits(self) -> dict[str, str]:
        """Outputs that must not become negative, with the message of runs that end there."""
        found = {
            f"{element.name}.{output}": f"{element.name!r} {what}"
            for element in self.forces
            for output, what in element.limits.items()
        }
        return found | {name: output.limit for name, output in self.outputs.items() if output.limit}

    def add_measurement(self, name: str, unit: str, function: Callable[[Any], Scalar]) -> None:
        """Declare a named output that needs accelerations; its function gets the `Instant`."""
        self._need_new_output(name, unit, function)
        self.measurements[name] = Output(name, unit, function)

    def group(self, dimension: str, members: Sequence[str]) -> None:
        """Let quantities ``<member>.<rest>`` share one variable ``<rest>`` with a dimension of members."""
        if checks.name_of("group: dimension", dimension) in self.groups or dimension in ("time", "closure"):
            raise ModelError(f"dimension {dimension!r} exists already; give every group its own")
        if "/" in dimension:
            raise ModelError(f"group: dimension {dimension!r} has a /, which files keep for folders; use _")
        members = checks.texts(f"group {dimension!r}: members", members)
        if not members or len(set(members)) < len(members):
            raise ModelError(f"group {dimension!r}: members {list(members)} must be names, each given once")
        self.groups[dimension] = tuple(members)

    def start(self, body: Independent, q: ArrayLike | None = None, v: ArrayLike | None = None) -> None:
        """Give the initial coordinates and velocities of an independent inboard hinge.

        A loop with several independent coordinates that is solved numerically is led from there in straight
        lines: a start in the middle of what a run covers reaches most.

        Parameters
        ----------
        body : Body, str, (Body or str, str or int), Component or FunctionCoordinate
            The body behind the hinge, or another independent coordinate of a loop as it was named there.
        q : (n_q,) array_like, optional
            Coordinates; those of the design pose if not given.
        v : (n_v,) array_like, optional
            Generalised velocities; zero if not given.

        Raises
        ------
        ModelError
            If the numbers of values are not the hinge's or one is not finite; when the system is embedded, if
            the hinge is prescribed or dependent.
        """
        target = self._lead(body)
        if isinstance(target, Body) and target.is_ground:
            raise ModelError("the ground has no hinge whose initial values could be given")
        n_q, n_v = (target.inboard.n_q, target.inboard.n_v) if isinstance(target, Body) else (1, 1)
        owner = f"body {target.name!r}" if isinstance(target, Body) else f"coordinate {target.name!r}"
        for values, size, store, what in (
            (q, n_q, self.initial, "coordinates q"),
            (v, n_v, self.initial_rates, "velocities v"),
        ):
            if values is None:
                continue
            name = f"{owner}: initial {what}"
            array = np.atleast_1d(checks.numbers(name, values))
            if array.shape != (size,) or not np.all(np.isfinite(array)):
                raise ModelError(f"{name} {checks.show(values)} must be {size} finite numbers")
            store[target.name] = array

    def find(self, body: Body | str) -> Body:
        """Return the body of this system with that name (a Body is checked to be of this system).

        Raises
        ------
        ModelError
            If there is none; it suggests the nearest name.
        """
        name = body.name if isinstance(body, Body) else body
        if not isinstance(name, str):
            raise WrongTypeError(
                f"{checks.show(body)} is no body; give a body or its name (and for a component of a hinge "
                f'its name or number with it: (body, "z"), (body, 1))'
            )
        known = self._by_name.get(name)
        if known is None:
            hint = checks.suggest_name(name, self._by_name, cutoff=0.6)
            hint = hint or f"; it has {checks.show(list(self._by_name))}"
            raise ModelError(f"no body {checks.show(name)} in system {self.name!r}{hint}")
        if isinstance(body, Body) and body is not known:
            raise ModelError(f"body {name!r} belongs to another system")
        return known

    def describe(self) -> Any:
        """Describe bodies, spanning tree, cuts, aggregated bodies, coordinates and degrees of freedom.

        Returns
        -------
        Description
            Prints as text; ``describe().figure()`` draws it.  A system that cannot be embedded is described
            with the reason why.  (`ce_dynamics.describe` is the same as a function.)

        Examples
        --------
        >>> import ce_dynamics as ce
        >>> system = ce.System(name="pendulum")
        >>> rod = system.add_body("rod", mass=1.0, com=(0, 0, -0.5), inertia=(1 / 12, 1 / 12, 0.0),
        ...                       parent=system.ground, hinge=ce.Revolute(axis=(0, 1, 0), at=(0, 0, 0)))
        >>> system.describe()
        pendulum: 1 body, 0 cut edges, 1 degree of freedom
        <BLANKLINE>
        spanning tree  hinge     coordinates  role         mass, kg
        ground
        └─ rod         Revolute  rod [rad]    independent  1
        """
        package = sys.modules[__name__.partition(".")[0]]  # views stand above: the package's door leads there
        return package.describe(self)

    def _leads(
        self, independent: Sequence[Independent], owner: str
    ) -> tuple[tuple[str, ...], tuple[FunctionCoordinate, ...]]:
        """Return the independent coordinates that a user names: names of bodies, and other coordinates."""
        if isinstance(independent, (str, Body, Component, FunctionCoordinate)):
            only = getattr(independent, "name", independent)
            raise WrongTypeError(f"{owner} {only!r} must be a list of bodies: [{only!r}]")
        leads = [self._lead(given) for given in checks.items(owner, independent)]
        return (
            tuple(lead.name for lead in leads if isinstance(lead, Body)),
            tuple(lead for lead in leads if not isinstance(lead, Body)),
        )

    def _lead(self, given: Independent) -> Lead:
        if isinstance(given, tuple):
            given = Component(*checks.items("component of a hinge", given, 2))
        if isinstance(given, Component):
            return found_component(given, self.find(given.body))
        if isinstance(given, FunctionCoordinate):
            return found_function(given, tuple(self.find(body) for body in given.bodies))
        return self.find(given)

    def _need_new_closure(self, name: str) -> None:
        checks.name_of("closure: name", name)
        if any(known.name == name for known in self.closures):
            raise ModelError(f"closure {name!r} exists already; give every closure its own name")

    def _need_new_output(self, name: str, unit: str, function: Callable[[Any], Scalar]) -> None:
        checks.name_of("output: name", name)
        checks.unit(f"output {name!r}: unit", unit)
        checks.function(f"output {name!r}: function", function, " of the motion")
        if name in self.outputs or name in self.measurements:
            raise ModelError(f"output {name!r} exists already; give every output its own name")

    def _need_new_owner(self, kind: str, name: str) -> None:
        """Refuse a name that another force element or controller has already."""
        taken = [*(force.name for force in self.forces), *(c.name for c in self.controllers)]
        if name in taken:
            raise ModelError(f"{kind} {name!r} exists already; give every element its own name")

    def _need_input(self, name: str, who: str, does: str = "reads") -> None:
        if name not in self.inputs and name not in self.channels:
            raise ModelError(
                f"{who} {does} input {name!r}, which is not declared; call add_input({name!r}, ...) first"
            )

    def __repr__(self) -> str:
        return f"System({self.name!r}: {len(self.bodies)} bodies, {len(self.closures)} closures)"
