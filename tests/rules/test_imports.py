"""What an import costs: `import samerun` loads neither torch nor NumPy, torch stands at module top only where DESIGN 4
allows it, and folder `__init__.py` files are empty."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from fnmatch import fnmatch

import pytest

import codebase
from codebase import Module, planted

TORCH_AT_TOP = (
    "src/samerun/state/tensors.py",
    "src/samerun/tiers/enforce.py",
    "src/samerun/trainers/*",
    "src/samerun/adapters/*",
    "src/samerun/rerun/tracing/*",
)
NEVER = ("*/part.py",)
TORCH = ("torch", "safetensors.torch", "torchvision", "transformers")
TORCH_FREE = ("base", "streams", "config", "data", "checkpoint", "record", "judge", "audit", "cli", "errors")


def torch_at_top(modules: list[Module]) -> Iterator[str]:
    for module in modules:
        may = any(fnmatch(module.path, pattern) for pattern in TORCH_AT_TOP)
        if may and not any(fnmatch(module.path, pattern) for pattern in NEVER):
            continue
        for use in module.imports(top_only=True):
            if any(use.name == name or use.name.startswith(f"{name}.") for name in TORCH):
                yield f"{module.path}:{use.line} {use.name}"


def filled_inits(modules: list[Module]) -> list[str]:
    inits = [module for module in modules if module.path.endswith("/__init__.py")]
    return [module.path for module in inits if module.path != "src/samerun/__init__.py" and module.text.strip()]


def loaded_after(*statements: str) -> set[str]:
    """Top-level names in sys.modules of a fresh process that ran the statements."""
    program = "\n".join([*statements, "import json, sys", "print(json.dumps(sorted(sys.modules)))"])
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return set(json.loads(done.stdout.splitlines()[-1]))


def test_torch_stands_at_module_top_only_where_it_may(modules: list[Module]) -> None:
    assert list(torch_at_top(modules)) == []


def test_folder_inits_are_empty(modules: list[Module]) -> None:
    assert filled_inits(modules) == []


def test_importing_samerun_loads_neither_torch_nor_numpy() -> None:
    assert {"torch", "numpy"} & loaded_after("import samerun") == set()


def test_no_folder_that_light_verbs_use_loads_torch(modules: list[Module]) -> None:
    names = sorted(codebase.dotted_names(modules))
    light = [name for name in names if name.split(".")[1:2] and name.split(".")[1] in TORCH_FREE]
    assert "torch" not in loaded_after(*(f"import {name}" for name in light))


def test_part_files_load_no_torch(modules: list[Module]) -> None:
    parts = [name for name in sorted(codebase.dotted_names(modules)) if name.endswith(".part")]
    assert "torch" not in loaded_after(*(f"import {name}" for name in parts))


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("import torch", "src/samerun/judge/planted.py"),
        ("try:\n    import torch.nn\nexcept ImportError:\n    pass", "src/samerun/data/planted.py"),
        ("from torch import nn", "src/samerun/trainers/supervised/part.py"),
        ("from safetensors.torch import save_file", "src/samerun/checkpoint/planted.py"),
    ],
)
def test_torch_at_top_elsewhere_is_found(text: str, path: str) -> None:
    assert list(torch_at_top([planted(text, path)])) != []


@pytest.mark.parametrize(
    "text",
    [
        "def f():\n    import torch",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import torch",
        "import torchmetrics_like_name",
    ],
)
def test_torch_inside_a_function_passes(text: str) -> None:
    assert list(torch_at_top([planted(text)])) == []


def test_a_filled_init_is_found() -> None:
    assert filled_inits([planted("import x", "src/samerun/base/__init__.py")]) != []


def test_what_a_process_loads_is_seen() -> None:
    assert "numpy" in loaded_after("import numpy")
