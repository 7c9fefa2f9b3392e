"""Cache of compiled functions by the content that they are traced from, loaded without tracing.

Beside the machine code, which is kept under a hash of the graph (`ce_dynamics.compiler.machine`), a note is
kept under the key of the description (`ce_dynamics.compiler.fingerprint`): shapes of the function and the
hash of its graph.  Notes that cannot be read, or whose code is gone, are made anew.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable

from ce_dynamics.compiler import disk_cache, machine
from ce_dynamics.compiler.compiled_function import CompiledFunction
from ce_dynamics.compiler.fingerprint import changed_since_import, content_key
from ce_dynamics.compiler.signature import Signature
from ce_dynamics.compiler.tracing.function import TracedFunction


def recall_or_compile(
    make: Callable[[], TracedFunction], name: str, content: tuple[object, ...]
) -> CompiledFunction:
    """Compile the function that `make` traces, or load it if it was compiled from the same content.

    ``content`` is everything that `make` reads.  `make` is called at once, or when instructions are needed.
    """
    key = _key(name, content)
    if key is None:
        return machine.compile_function(make())
    known = _load(key, make)
    if known is not None:
        return known
    function = machine.compile_function(make())
    if (
        not changed_since_import()
    ):  # modules are loaded while tracing: they might have been younger than the key
        disk_cache.store(key, json.dumps(function.signature.as_dict()).encode())
    return function


def _key(name: str, content: tuple[object, ...]) -> str | None:
    """Return the key of the content; None if the cache is off or the content has no key."""
    if disk_cache.folder() is None:
        return None
    key = content_key(*content)
    return None if key is None else disk_cache.NOTE + hashlib.sha256(f"{name} {key}".encode()).hexdigest()


def _load(key: str, make: Callable[[], TracedFunction]) -> CompiledFunction | None:
    signature = disk_cache.load_with(key, lambda note: Signature.from_dict(json.loads(note)))
    return None if signature is None else machine.load_function(signature, make)
