"""Mutants of a source file: one change each, as somebody could have mistyped it."""

import ast
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator

_COMPARISONS = ("Eq", "NotEq", "Lt", "LtE", "Gt", "GtE")
# A likely slip each: a wrong type or a name that does not exist fails at once and proves nothing.
OPERATORS = (
    *(f"ReplaceComparisonOperator_{a}_{b}" for a in _COMPARISONS for b in _COMPARISONS if a != b),
    *(f"ReplaceBinaryOperator_{a}_{b}" for a, b in (("Add", "Sub"), ("Sub", "Add"), ("Mul", "Div"))),
    *(f"ReplaceBinaryOperator_{a}_{b}" for a, b in (("Div", "Mul"), ("Pow", "Mul"), ("Mod", "Mul"))),
    "ReplaceUnaryOperator_Delete_USub", "ReplaceUnaryOperator_Delete_Not", "AddNot",
    "ReplaceTrueWithFalse", "ReplaceFalseWithTrue", "ReplaceAndWithOr", "ReplaceOrWithAnd",
    "ReplaceBreakWithContinue", "NumberReplacer", "ZeroIterationForLoop",
)  # fmt: skip

Place = tuple[tuple[int, int], tuple[int, int]]


class Difference(NamedTuple):
    """The line that a mutant changes, before and after, without its indentation.

    It tells a mutant from others of its file for as long as the line is as it was.
    """

    before: str
    after: str

    def __str__(self) -> str:
        return f"- {self.before}\n+ {self.after}"


def difference(original: str, changed: str) -> Difference:
    pairs = zip(original.splitlines(), changed.splitlines(), strict=False)
    return next(Difference(a.strip(), b.strip()) for a, b in pairs if a != b)


@dataclass(frozen=True)
class Mutant:
    """One change of one file: the ``occurrence``-th place where ``operator`` applies."""

    source: Path
    operator: str
    occurrence: int
    line: int

    def code(self, original: str) -> str:
        changed: str = mutate_code(original, get_operator(f"core/{self.operator}")(), self.occurrence)
        return changed

    def difference(self, original: str) -> Difference:
        return difference(original, self.code(original))

    def __str__(self) -> str:
        return f"{self.source}:{self.line} {self.operator} #{self.occurrence}"


WITHOUT_EFFECT = {
    "dataclass": {"frozen", "slots", "repr"}, "field": {"repr"}, "zip": {"strict"}, "warn": {"stacklevel"},
    "lru_cache": {"maxsize"},
}  # fmt: skip
"""Arguments of calls that no result depends on.

They forbid what the source does not do (the type checker refuses assignments to fields as well, and
``strict`` states that lengths agree), say where a warning points to, or how much is remembered.
"""


def meaning(code: str) -> str | None:
    """Return the normal form of code; None if it is not Python.

    Left out are docstrings, annotations, messages, and the arguments in `WITHOUT_EFFECT`.
    """
    try:
        tree = ast.parse(code)
    except SyntaxError:
        return None
    return ast.dump(_Meaning().visit(tree))


class _Meaning(ast.NodeTransformer):
    def visit_arg(self, node: ast.arg) -> ast.AST:
        node.annotation = None
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.returns = None
        return self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        node.annotation = ast.Constant(None)
        return self.generic_visit(node)

    def visit_Raise(self, node: ast.Raise) -> ast.AST:
        return ast.Raise()  # texts are read by people

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        return ast.Constant("")

    def visit_Call(self, node: ast.Call) -> ast.AST:
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        silent = WITHOUT_EFFECT.get(name, set())
        node.keywords = [keyword for keyword in node.keywords if keyword.arg not in silent]
        return self.generic_visit(node)


def places(source: Path, code: str) -> dict[Place, list[Mutant]]:
    """All mutants of a file, by the place that they change."""
    found: dict[Place, list[Mutant]] = {}
    nodes = list(ast_nodes(get_ast(code)))
    choices = chosen_numbers(code)
    for operator in OPERATORS:
        for occurrence, place in enumerate(_positions(operator, nodes)):
            if operator == "NumberReplacer" and place[0] in choices:
                continue
            found.setdefault(place, []).append(Mutant(source, operator, occurrence, place[0][0]))
    return found


SMALLEST_CHOICE = 2.0


def chosen_numbers(code: str) -> set[tuple[int, int]]:
    """Find the numbers above `SMALLEST_CHOICE` that named constants of the module are given: limits, counts.

    The operator changes a number by one.  That is another choice where it stands for a limit such as 50
    attempts, which has its reason beside it and no test could prove wrong.  A tolerance of 1e-10 that becomes
    1.0 is a mistake, and so is another coefficient in the table of a method: both are mutated.
    """
    return {
        (part.lineno, part.col_offset)
        for node in ast.parse(code).body
        if isinstance(node, (ast.Assign, ast.AnnAssign)) and _names_a_constant(node)
        for part in ast.walk(node)
        if isinstance(part, ast.Constant)
        and isinstance(part.value, (int, float))
        and abs(part.value) > SMALLEST_CHOICE
    }


def _names_a_constant(node: ast.Assign | ast.AnnAssign) -> bool:
    """Return True if a scalar is given a name in capitals."""
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    table = any(isinstance(part, (ast.Tuple, ast.List, ast.Dict, ast.Call)) for part in ast.walk(node))
    return not table and all(isinstance(target, ast.Name) and target.id.isupper() for target in targets)


def _positions(operator: str, nodes: list[Any]) -> Iterator[Place]:
    instance = get_operator(f"core/{operator}")()
    for node in nodes:
        yield from instance.mutation_positions(node)


def sample(files: list[Path], checkout: Path, chance: random.Random) -> Iterator[Mutant]:
    """Mutants of ``files`` that change what the code does: places with equal chances, one mutant a place."""
    texts = {path: (checkout / path).read_text(encoding="utf-8") for path in files}
    everywhere = [found for path, text in texts.items() for found in places(path, text).values()]
    chance.shuffle(everywhere)
    for found in everywhere:
        mutant = chance.choice(found)
        changed = meaning(mutant.code(texts[mutant.source]))
        if changed is not None and changed != meaning(texts[mutant.source]):
            yield mutant


def that_makes(wanted: Difference, operator: str, source: Path, checkout: Path) -> Mutant | None:
    """The mutant of a file that makes a difference; None if no line is as it was."""
    text = (checkout / source).read_text(encoding="utf-8") if (checkout / source).is_file() else ""
    lines = text.splitlines()
    same = {k for k, line in enumerate(lines, start=1) if line.strip() == wanted.before}
    if not same:
        return None
    able = [m for found in places(source, text).values() for m in found if m.operator == operator]
    able.sort(key=lambda m: m.line not in same)  # what an operator applies to may begin lines before
    return next((mutant for mutant in able if mutant.difference(text) == wanted), None)
