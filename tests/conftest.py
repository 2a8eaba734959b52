"""What every test gets: one thread, a cache of its own, and an empty current folder, so that no test finds
another's runs. Set before anything imports torch; child processes inherit it."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

ONE_THREAD = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
OURS_TO_SET = ("SAMERUN_", "PYTHONHASHSEED")


def pytest_configure(config: pytest.Config) -> None:
    os.environ.update(ONE_THREAD)
    for name in [name for name in os.environ if name.startswith(OURS_TO_SET)]:
        del os.environ[name]
    cache = tempfile.TemporaryDirectory(prefix="samerun-tests-cache-")
    config.add_cleanup(cache.cleanup)
    os.environ["XDG_CACHE_HOME"] = cache.name


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A test marked `gpu` is skipped, and said to be, where there is no CUDA device."""
    if not any(item.get_closest_marker("gpu") for item in items):
        return
    import torch

    if not torch.cuda.is_available():
        for item in items:
            if item.get_closest_marker("gpu"):
                item.add_marker(pytest.mark.skip(reason="no CUDA device here"))


@pytest.fixture(autouse=True)
def empty_current_folder(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Each test starts in an empty folder of its own: a default `runs/` never lands in the checkout."""
    folder = tmp_path_factory.mktemp("here")
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture(scope="session")
def repository() -> Iterator[Path]:
    """The root of the checkout."""
    yield Path(__file__).resolve().parent.parent
