"""Where an operation was called: names of files without the folders of a machine, modules by their tracked path."""

from __future__ import annotations

import sys
from pathlib import Path

import torch

import samerun
from samerun.rerun.tracing.calls import _label_of, _module_paths

OWN = Path(samerun.__file__).parent


def test_files_are_named_from_the_project_or_the_package() -> None:
    assert _label_of("/home/me/project/train.py", "/home/me/project") == "train.py"
    assert _label_of("/home/me/project/lib/net.py", "/home/me/project") == "lib/net.py"
    assert (
        _label_of("/x/site-packages/transformers/models/llama.py", "/home/me/project") == "transformers/models/llama.py"
    )
    assert _label_of(str(OWN / "trainers/models/mlp.py"), "/p") == "samerun/trainers/models/mlp.py"
    assert _label_of("/elsewhere/a/b/c.py", "/p") == "b/c.py"


def test_a_package_is_not_taken_for_another_whose_name_begins_its_own() -> None:
    for package, file in ((OWN, "samerun_lab/x.py"), (Path(torch.__file__).parent, "torchvision/ops/boxes.py")):
        assert _label_of(str(package.parent / file), "/p") == file


def test_what_is_installed_inside_the_project_or_by_the_system_is_named_as_a_package() -> None:
    for folder in ("/p/.venv/lib/python3.12/site-packages", "/usr/lib/python3/dist-packages"):
        assert _label_of(f"{folder}/timm/layers/drop.py", "/p") == "timm/layers/drop.py"
    assert _label_of("/x/site-packages/ours/train.py", "/x/site-packages/ours") == "train.py"


def test_the_loop_torch_and_the_standard_library_are_nobodys_line() -> None:
    for file in (str(OWN / "run/loop.py"), torch.__file__, "<string>", f"{sys.base_prefix}/lib/python3/runpy.py"):
        assert _label_of(file, "/p") is None


def test_modules_are_named_by_the_object_that_was_tracked() -> None:
    model = torch.nn.Sequential(torch.nn.Linear(1, 1))
    paths = _module_paths({"net": model, "again": model, "values": {}})
    assert paths == {id(model): "net", id(model[0]): "net.0"}
