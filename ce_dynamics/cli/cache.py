"""``simulate-vehicle cache``: show and clear what was compiled before."""

from __future__ import annotations

from json import dumps
from typing import Annotated

import typer


def cache(
    clear: Annotated[bool, typer.Option("--clear", help="Remove everything in it.")] = False,
    json: Annotated[bool, typer.Option("--json", help="As JSON on stdout.")] = False,
) -> int:
    """Show or clear the cache of compiled models.

    It lies in the user's cache folder, or where the environment variable CE_DYNAMICS_CACHE says ('off':
    nowhere).
    """
    # here, so that mistakes and --help are answered at once
    from ce_dynamics.compiler import disk_cache as stored

    where = stored.folder()
    entries, size = stored.contents()
    removed = stored.clear() if clear else 0
    if json:
        folder = None if where is None else str(where)
        facts = {"folder": folder, "entries": entries, "bytes": size, "limit": stored.limit()}
        print(dumps({**facts, "removed": removed}, indent=2))
    elif where is None:
        print(f"the cache is off ({stored.VARIABLE}=off)")
    elif clear:
        print(f"removed {removed} compiled functions ({megabytes(size)}) from {where}")
    else:
        limit = megabytes(stored.limit())
        print(f"{entries} compiled functions, {megabytes(size)} of at most {limit}, in {where}")
    return 0


def megabytes(size: int) -> str:
    """A size for people."""
    return f"{size / 2**20:.1f} MB"
