"""Force elements and force laws.

Names are loaded when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ce_dynamics.algebra.lazy_names import lazy_names

if TYPE_CHECKING:
    from ce_dynamics.mechanism.forces.actuator import (
        Actuator as Actuator,
        ActuatorLaw as ActuatorLaw,
        FixedTendon as FixedTendon,
    )
    from ce_dynamics.mechanism.forces.base import (
        ForceElement as ForceElement,
        HingeLoad as HingeLoad,
        Observer as Observer,
        PointLoad as PointLoad,
        PointState as PointState,
        Response as Response,
        StateDeclaration as StateDeclaration,
    )
    from ce_dynamics.mechanism.forces.cord import Cord as Cord
    from ce_dynamics.mechanism.forces.laws import (
        DryFriction as DryFriction,
        Law as Law,
        Linear as Linear,
        Polynomial as Polynomial,
        Tabulated as Tabulated,
    )
    from ce_dynamics.mechanism.forces.point_contact import PointContact as PointContact
    from ce_dynamics.mechanism.forces.spring_damper import Bushing as Bushing, SpringDamper as SpringDamper
    from ce_dynamics.mechanism.forces.stop import JointStop as JointStop
    from ce_dynamics.mechanism.forces.torsion import (
        HingeDamper as HingeDamper,
        TorsionSpringDamper as TorsionSpringDamper,
    )
    from ce_dynamics.mechanism.forces.wrench import (
        AppliedWrench as AppliedWrench,
        DragBox as DragBox,
        Thruster as Thruster,
    )

__getattr__, __dir__, __all__ = lazy_names()
