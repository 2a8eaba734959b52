"""Only base/files.py writes, creates, renames or deletes: that is what lets every write be made to fail in a test."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

from codebase import Module, planted

WRITERS = frozenset({"src/samerun/base/files.py", "src/samerun/base/lock.py"})
PATH_METHODS = frozenset(
    {"write_text", "write_bytes", "mkdir", "unlink", "rmdir", "touch", "symlink_to", "hardlink_to", "rename", "chmod"}
)
OS_CALLS = frozenset(
    f"os.{name}"
    for name in [
        "rename",
        "replace",
        "remove",
        "unlink",
        "mkdir",
        "makedirs",
        "rmdir",
        "removedirs",
        "truncate",
        "ftruncate",
        "link",
        "symlink",
        "fsync",
        "chmod",
        "utime",
    ]
)
MODULES = ("shutil.rmtree", "shutil.move", "shutil.copy", "shutil.make_archive", "tempfile.")
SAVERS = frozenset({"numpy.save", "numpy.savez", "safetensors.torch.save_file", "safetensors.numpy.save_file"})
WRITING = frozenset("wax+")


def writes(modules: list[Module]) -> Iterator[str]:
    for module in modules:
        if module.path in WRITERS:
            continue
        for call in module.calls():
            what = _write(module, call)
            if what:
                yield f"{module.path}:{call.lineno} {what}"


def _write(module: Module, call: ast.Call) -> str | None:
    name = module.resolve(call.func)
    if name is not None:
        if name in OS_CALLS or name in SAVERS or name.startswith(MODULES):
            return name
        if name == "os.open" and "O_RDONLY" not in ast.unparse(call) and "os.devnull" not in ast.unparse(call):
            return name
        if name.startswith("samerun."):
            return None
    method = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    is_builtin = isinstance(call.func, ast.Name) and call.func.id == "open"
    if (is_builtin or method == "open") and _writing_mode(call, 1 if is_builtin else 0):
        return "open for writing"
    # str.replace takes two arguments, Path.replace one
    if method == "replace" and len(call.args) == 1 and not call.keywords:
        return ".replace(target)"
    return f".{method}()" if method in PATH_METHODS else None


def _writing_mode(call: ast.Call, position: int) -> bool:
    if any(keyword.arg == "fileobj" for keyword in call.keywords):
        return False  # an archive in memory
    given = call.args[position : position + 1] + [keyword.value for keyword in call.keywords if keyword.arg == "mode"]
    modes = [str(node.value) for node in given if isinstance(node, ast.Constant)]
    return any(set(mode) <= set("rwaxbt+") and bool(WRITING & set(mode)) for mode in modes)


def test_only_the_file_writer_writes(modules: list[Module]) -> None:
    assert list(writes(modules)) == []


@pytest.mark.parametrize(
    "text",
    [
        "open('x', 'w')",
        "def f(path):\n    path.open(mode='ab')",
        "def f(path):\n    path.write_text('x')",
        "def f(path):\n    path.mkdir()",
        "def f(path, other):\n    path.replace(other)",
        "import os\nos.replace('a', 'b')",
        "import os\nos.open('a', os.O_WRONLY)",
        "from os import unlink\nunlink('a')",
        "def f():\n    import shutil\n    shutil.rmtree('x')",
        "import tempfile\ntempfile.mkdtemp()",
        "from safetensors.torch import save_file\nsave_file({}, 'x')",
    ],
)
def test_a_write_elsewhere_is_found(text: str) -> None:
    assert list(writes([planted(text)])) != []


@pytest.mark.parametrize(
    "text",
    [
        "open('x')",
        "open('x', 'rb')",
        "def f(source):\n    source.open('ambient/setup')",
        "'a'.replace('a', 'b')",
        "def f(path):\n    path.read_text()",
        "import tarfile\ndef f(memory):\n    tarfile.open(fileobj=memory, mode='w')",
        "from samerun.base import files\nfiles.rename('a', 'b')",
    ],
)
def test_reading_is_not_writing(text: str) -> None:
    assert list(writes([planted(text)])) == []
