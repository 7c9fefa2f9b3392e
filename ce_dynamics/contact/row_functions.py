"""Functions of an embedded system with elements for time stepping, compiled on first use.

The generalised forces of loads on a tree: Gᵀ v = power, so the loads of a unit multiplier give G.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from ce_dynamics.algebra.arrays import Array, array, concatenate, zeros
from ce_dynamics.algebra.spatial import phi_force, rotate_vector
from ce_dynamics.compiled.model import Model
from ce_dynamics.compiler import CompiledFunction, compile_function, trace
from ce_dynamics.compiler.derivatives.directional import directional_derivative
from ce_dynamics.contact.element import Row, UnilateralElement
from ce_dynamics.dynamics.articulated_body import project_torques
from ce_dynamics.dynamics.energy import compute_drive_power, load_power
from ce_dynamics.dynamics.loads import Loads, sum_loads
from ce_dynamics.dynamics.mass_matrix import solve_mass
from ce_dynamics.dynamics.outward import Member, Outward
from ce_dynamics.errors import ModelError


def row_of_G(outward: Outward, members: Mapping[str, Sequence[Member]], row: Row) -> Array:
    """Gᵀ of one row, (n_v,): H φ applied to the loads of a unit multiplier, one sweep to the base."""
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
        """M⁻¹ T, one column per call."""
        return self.responses(1)

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
