"""Compiled functions of a model with unilateral elements, and their addresses and buffers for kernels.

The generalised forces of loads on a tree: Gᵀ v = power, so the loads of a unit multiplier give G.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ce_dynamics.algebra.arrays import Array, array, concatenate, zeros
from ce_dynamics.algebra.spatial import phi_force, rotate_vector
from ce_dynamics.compiled.model import Model
from ce_dynamics.compiler import CompiledFunction, compile_function, trace
from ce_dynamics.compiler.derivatives.forward_mode import directional_derivative
from ce_dynamics.compiler.program import Program
from ce_dynamics.contact.element import Row, UnilateralElement
from ce_dynamics.dynamics.articulated_body import project_torques
from ce_dynamics.dynamics.energy import compute_drive_power, load_power
from ce_dynamics.dynamics.loads import Loads, sum_loads
from ce_dynamics.dynamics.mass_matrix import solve_mass
from ce_dynamics.dynamics.outward import Member, Outward
from ce_dynamics.errors import ModelError
from ce_dynamics.simulation.integrators.kernels import Integers, Matrix, Vector, call, kernel


def row_of_G(outward: Outward, members: Mapping[str, Sequence[Member]], row: Row) -> Array:
    """Return Gᵀ of one row, (n_v,): H φ applied to the loads of a unit multiplier, one sweep to the base."""
    return project_loads(outward, members, sum_loads(outward, row.loads))


def project_loads(outward: Outward, members: Mapping[str, Sequence[Member]], loads: Loads) -> Array:
    """Return generalised forces on the independent hinges of given loads, (n_v,)."""
    embedding = outward.embedding
    carried: dict[str, Array] = {}
    T: dict[str, Array] = {}
    for S in reversed(embedding.aggregates):
        T_S = project_torques(S, outward, loads.torques)
        f_p = carried.get(S.parent.name)
        for j in members[S.name]:
            parts = []
            if j.body.name in loads.wrenches:
                parts.append(loads.wrenches[j.body.name])
            if j.body.name in carried:
                parts.append(rotate_vector(j.R, carried[j.body.name]))
            if not parts:
                continue
            f_j = sum(parts[1:], parts[0])
            T_S = T_S + j.J.T @ f_j  # T = H f
            onwards = phi_force(j.r, f_j)
            f_p = onwards if f_p is None else f_p + onwards
        if f_p is not None:
            carried[S.parent.name] = f_p
        T |= {body.name: T_S[S.columns(body)] for body in S.independent}
    if not embedding.v_of:
        return zeros(0)
    return array(entry for name in embedding.v_of for entry in T[name])


class ContactMachine(NamedTuple):
    """Addresses and buffers of the functions that a kernel calls.

    Attributes
    ----------
    stage_call, rates_call, control_call, bias_call, dynamics_call, response_call : (2,) int arrays
        Address of each function and of its table of arguments; 0 where it is missing.
    y, u, t : arrays
        Inputs of the stage.
    v_dot, x_dot, GT, psi, rate, mu, power : arrays
        Outputs of the stage.
    y_lanes, u_lanes, T, Y : arrays, the last axis of which is the lane
        Buffers of the response, for several rows at once.
    y_mid, y_dot : arrays
        Buffers of the dynamics.
    q, v, q_dot : arrays
        Buffers of the rates.
    along, gamma : arrays
        Direction of y, and the derivative of the rows' rates along it and t.
    """

    stage_call: Integers
    rates_call: Integers
    control_call: Integers
    bias_call: Integers
    dynamics_call: Integers
    response_call: Integers
    y: Vector
    u: Vector
    t: Vector
    v_dot: Vector
    x_dot: Vector
    GT: Matrix
    psi: Vector
    rate: Vector
    mu: Vector
    power: Vector
    y_lanes: Matrix
    u_lanes: Matrix
    T: Matrix
    Y: Matrix
    y_mid: Vector
    y_dot: Vector
    q: Vector
    v: Vector
    q_dot: Vector
    along: Vector
    gamma: Vector


class RowFunctions:
    """Compiled functions of a model and its elements.

    Parameters
    ----------
    model : Model
    elements : sequence of UnilateralElement
    count : int
        Number of rows that the elements declare.
    """

    def __init__(self, model: Model, elements: Sequence[UnilateralElement], count: int) -> None:
        self.model, self.elements, self.count = model, elements, count

    @cached_property
    def stage(self) -> CompiledFunction:
        """v̇ and ẋ without impulses, Gᵀ, gaps, rates, friction, power, at one instant."""
        sizes = {"y": len(self.model.layout.y0), "u": len(self.model.layout.u), "t": 1}
        return compile_function(trace("unilateral_stage", self._evaluate, sizes))

    def _evaluate(self, y: Array, u: Array, t: Array) -> dict[str, Array]:
        instant = self.model.instant(y, u)
        outward = instant.outward
        rows = [row for element in self.elements for row in element.rows(outward, t[0])]
        if len(rows) != self.count:
            raise ModelError(f"the elements gave {len(rows)} rows for {self.count} row kinds")
        members = {name: node.members for name, node in instant.nodes.items()}
        n_v = self.model.embedding.n_v
        GT = [row_of_G(outward, members, row) for row in rows]
        power = load_power(outward, instant.loads) + compute_drive_power(
            outward, instant.loads, instant.accelerations, instant.nodes
        )
        return {
            "v_dot": instant.accelerations.v_dot,
            "x_dot": instant.x_dot,
            "GT": array(concatenate(GT) if GT else ()).reshape(len(rows), n_v),
            "psi": array(row.psi for row in rows),
            "rate": array(row.rate for row in rows),
            "mu": array(row.mu for row in rows),
            "power": array((power,)),
        }

    @cached_property
    def response(self) -> CompiledFunction:
        """M⁻¹ T of as many rows at a time as are worth it."""
        return self.responses(1 if self.count == 1 else 4)

    def responses(self, lanes: int) -> CompiledFunction:
        """Return M⁻¹ T in lanes."""
        layout = self.model.layout

        def response(y: Array, u: Array, T: Array) -> dict[str, Array]:
            instant = self.model.instant(y, u)
            return {"Y": solve_mass(instant.outward, instant.nodes, T)}

        sizes = {"y": len(layout.y0), "u": len(layout.u), "T": self.model.embedding.n_v}
        return compile_function(trace("unilateral_response", response, sizes), lanes)

    @cached_property
    def rates(self) -> CompiledFunction:
        """Rates of the coordinates q̇(q, v)."""
        embedding = self.model.embedding

        def rates(q: Array, v: Array) -> dict[str, Array]:
            parts = [
                body.inboard.q_dot(q[embedding.q_of[name]], v[embedding.v_of[name]])
                for name, body in embedding.coordinates.items()
            ]
            return {"q_dot": concatenate(parts)}

        return compile_function(trace("unilateral_rates", rates, {"q": embedding.n_q, "v": embedding.n_v}))

    @cached_property
    def bias(self) -> CompiledFunction:
        """Derivative of the rows' rates along a direction of y, u and t; for steps of higher order."""

        def rate(y: Array, u: Array, t: Array) -> dict[str, Array]:
            outward = self.model.instant(y, u).outward
            rows = [row for element in self.elements for row in element.rows(outward, t[0])]
            return {"rate": array(row.rate for row in rows)}

        sizes = {"y": len(self.model.layout.y0), "u": len(self.model.layout.u), "t": 1}
        return compile_function(directional_derivative(trace("unilateral_row_rates", rate, sizes)))

    def machine(
        self, bias: CompiledFunction | None = None, control: CompiledFunction | None = None
    ) -> tuple[ContactMachine, tuple[Program, ...]]:
        """Bind the functions to arrays; return the programs too, which must live as long as the machine.

        Steps of higher order call `bias`, and `control` (t, y → u) if inputs follow a law.
        """
        main = Program({"stage": self.stage, "rates": self.rates, "control": control})
        a = main.arrays
        along, gamma = np.zeros_like(a["y"]), np.zeros_like(a["rate"])
        directions = {"y_direction": along, "u_direction": np.zeros_like(a["u"]), "t_direction": np.ones(1)}
        slope = Program({"bias": bias}, a | directions | {"rate_direction": gamma})
        middle = Program({"dynamics": self.model.dynamics}, {"u": a["u"]})
        lanes = Program({"response": self.response})
        wide = {name: part.reshape(-1, self.response.lanes) for name, part in lanes.arrays.items()}
        made: dict[str, Any] = {name: a[name] for name in ContactMachine._fields if name in a}
        made |= {"y_lanes": wide["y"], "u_lanes": wide["u"], "T": wide["T"], "Y": wide["Y"]}
        made |= {"y_mid": middle.arrays["y"], "y_dot": middle.arrays["y_dot"], "along": along, "gamma": gamma}
        calls = zip(("stage", "rates", "control"), main.calls.reshape(3, 2), strict=True)
        made |= {f"{name}_call": call for name, call in calls}
        made |= {"bias_call": slope.calls, "dynamics_call": middle.calls, "response_call": lanes.calls}
        return ContactMachine(**made), (main, slope, middle, lanes)


@kernel
def observe(M, t, y):  # type: ignore[no-untyped-def]
    """Compute the stage at (t, y), and q̇ there, with inputs by the law if there is one."""
    M.t[0] = t
    for k in range(y.size):
        M.y[k] = y[k]
    if M.control_call[0] != 0:
        call(M.control_call[0], M.control_call[1])
    call(M.stage_call[0], M.stage_call[1])
    n_q = M.q.size
    for k in range(n_q):
        M.q[k] = y[k]
    for k in range(M.v.size):
        M.v[k] = y[n_q + k]
    call(M.rates_call[0], M.rates_call[1])


@kernel
def responses(M, GT, YT):  # type: ignore[no-untyped-def]
    """Compute (M⁻¹ G)ᵀ at the state and inputs of the stage, as many rows at a time as there are lanes."""
    m, n_v = GT.shape
    lanes = M.T.shape[1]
    for lane in range(lanes):
        for k in range(M.y.size):
            M.y_lanes[k, lane] = M.y[k]
        for k in range(M.u.size):
            M.u_lanes[k, lane] = M.u[k]
    for first in range(0, m, lanes):
        for lane in range(lanes):
            row = min(first + lane, m - 1)
            for k in range(n_v):
                M.T[k, lane] = GT[row, k]
        call(M.response_call[0], M.response_call[1])
        for lane in range(min(lanes, m - first)):
            for k in range(n_v):
                YT[first + lane, k] = M.Y[k, lane]
