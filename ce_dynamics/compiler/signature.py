"""Signatures of compiled functions, which are needed to load and call the functions."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from ce_dynamics.compiler.codegen import writer
from ce_dynamics.compiler.tracing.function import Shape, TracedFunction


@dataclass(frozen=True)
class Signature:
    """Data of a function that are needed, besides its machine code, to call it."""

    name: str
    input_shapes: dict[str, Shape]  # shapes for a single instance
    output_shapes: dict[str, Shape]
    digest: str  # digest of the traced function
    n_instructions: int
    libm: tuple[str, ...]  # functions of the C mathematics library that the code calls
    tables: tuple[int, ...] = ()  # keys of the tables that the code looks up

    @classmethod
    def of(cls, traced: TracedFunction) -> Signature:
        """Return the signature of a traced function."""
        used = {op for op, _, _, _ in traced.instructions}
        return cls(
            name=traced.name,
            input_shapes=traced.input_shapes,
            output_shapes=traced.output_shapes,
            digest=traced.digest(),
            n_instructions=traced.n_instructions,
            libm=tuple(symbol for op, symbol in writer.LIBM.items() if op in used),
            tables=tuple(table.key for table in traced.tables),
        )

    def as_dict(self) -> dict[str, Any]:
        """Return a dictionary for JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, found: dict[str, Any]) -> Signature:
        """Return the signature from the result of `as_dict`, after JSON."""

        def shapes(key: str) -> dict[str, Shape]:
            return {str(name): tuple(map(int, shape)) for name, shape in found[key].items()}

        return cls(
            name=str(found["name"]),
            input_shapes=shapes("input_shapes"),
            output_shapes=shapes("output_shapes"),
            digest=str(found["digest"]),
            n_instructions=int(found["n_instructions"]),
            libm=tuple(map(str, found["libm"])),
            tables=tuple(map(int, found["tables"])),
        )
