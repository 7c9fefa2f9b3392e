from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture(scope="package", autouse=True)
def private_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Compiled code of the tests neither comes from nor goes to the user's cache; it is the one users run."""
    folder = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CE_DYNAMICS_CACHE", str(folder))
        patch.setenv("CE_DYNAMICS_CODE", "full")
        yield folder
