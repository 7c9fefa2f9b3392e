"""``simulate-vehicle cache``: show and clear compiled functions."""

from __future__ import annotations

from json import dumps

from ce_dynamics.cli.options import Cache
from ce_dynamics.compiler import disk_cache as stored


def run(options: Cache) -> int:
    """Show or clear the cache."""
    where = stored.folder()
    entries, size = stored.measure_contents()
    removed = stored.clear() if options.clear else 0
    if options.json:
        folder = None if where is None else str(where)
        facts = {"folder": folder, "entries": entries, "bytes": size, "limit": stored.limit()}
        print(dumps({**facts, "removed": removed}, indent=2))
    elif where is None:
        print(f"the cache is off ({stored.VARIABLE}=off)")
    elif options.clear:
        print(f"removed {removed} compiled functions ({megabytes(size)}) from {where}")
    else:
        limit = megabytes(stored.limit())
        print(f"{entries} compiled functions, {megabytes(size)} of at most {limit}, in {where}")
    return 0


def megabytes(size: int) -> str:
    """Format a size in MB."""
    return f"{size / 2**20:.1f} MB"
