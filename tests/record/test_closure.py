"""The static closure: every file an entry can import from the project, and no other."""

import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType

import pytest

from samerun.errors import UsageError
from samerun.record.closure import (
    closure,
    is_local,
    late_imports,
    local_bases,
    own_closure,
    own_folder,
    package_files,
)
from samerun.record.meaning_cache import MeaningCache

Make = Callable[[Mapping[str, str]], Path]


@pytest.fixture
def project(tmp_path: Path) -> Make:
    def make(files: Mapping[str, str]) -> Path:
        root = tmp_path / "project"
        for name, text in files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return root.resolve()

    return make


def labels(root: Path, entry: str = "train.py") -> list[str]:
    return [path.relative_to(root).as_posix() for path in closure(root / entry, root)]


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("import a", ["a.py"]),
        ("import a as b", ["a.py"]),
        ("import p", ["p/__init__.py"]),
        ("import p.m", ["p/__init__.py", "p/m.py"]),
        ("import p.q.n", ["p/__init__.py", "p/q/__init__.py", "p/q/n.py"]),
        ("from p import m", ["p/__init__.py", "p/m.py"]),
        ("from p import q", ["p/__init__.py", "p/q/__init__.py"]),
        ("from p import CONSTANT", ["p/__init__.py"]),
        ("from p.m import function", ["p/__init__.py", "p/m.py"]),
        ("from p import *", ["p/__init__.py", "p/q/__init__.py"]),
        ("import space.inner", ["space/inner.py"]),
        ("from space import inner, other", ["space/inner.py"]),
        ("from space.deep import leaf", ["space/deep/leaf.py"]),
        ("def f():\n    import a", ["a.py"]),
        ("if x:\n    import a\nelse:\n    import p", ["a.py", "p/__init__.py"]),
        ("try:\n    import missing\nexcept ImportError:\n    import a", ["a.py"]),
        ("import importlib\nimportlib.import_module('p.m')", ["p/__init__.py", "p/m.py"]),
        ("from src_only import x", ["src/src_only.py"]),
        ("import os, json, numpy, torch.nn", []),
        ("import a.b.c", ["a.py"]),
        ("import missing", []),
        ("import samerun.base.files", []),
        ("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import a", []),
    ],
)
def test_what_an_import_reaches(project: Make, line: str, found: list[str]) -> None:
    root = project(
        {
            "train.py": line,
            "a.py": "",
            "p/__init__.py": "__all__ = ['q', 'CONSTANT']",
            "p/m.py": "",
            "p/q/__init__.py": "",
            "p/q/n.py": "",
            "space/inner.py": "",
            "space/deep/leaf.py": "",
            "src/src_only.py": "",
            "unused.py": "",
            "os_like/__init__.py": "",
        }
    )
    assert labels(root) == sorted(["train.py", *found])


def test_relative_imports_and_the_packages_around_them(project: Make) -> None:
    root = project(
        {
            "pkg/__init__.py": "from . import base",
            "pkg/base.py": "",
            "pkg/sub/__init__.py": "",
            "pkg/sub/train.py": "from .net import Net\nfrom .. import shared\nfrom ..deep.er import x",
            "pkg/sub/net.py": "from ...outside import y",
            "pkg/shared.py": "",
            "pkg/deep/__init__.py": "",
            "pkg/deep/er.py": "",
            "outside.py": "",
        }
    )
    assert labels(root, "pkg/sub/train.py") == [
        "outside.py",
        "pkg/__init__.py",
        "pkg/base.py",
        "pkg/deep/__init__.py",
        "pkg/deep/er.py",
        "pkg/shared.py",
        "pkg/sub/__init__.py",
        "pkg/sub/net.py",
        "pkg/sub/train.py",
    ]


def test_cycles_come_to_an_end(project: Make) -> None:
    root = project({"train.py": "import a", "a.py": "import b", "b.py": "import a, train"})
    assert labels(root) == ["a.py", "b.py", "train.py"]


def test_a_module_beside_the_script_and_one_of_the_root_both_count(project: Make) -> None:
    root = project({"scripts/train.py": "import net", "scripts/net.py": "", "net.py": ""})
    assert labels(root, "scripts/train.py") == ["net.py", "scripts/net.py", "scripts/train.py"]


def test_nothing_outside_the_project_counts(project: Make, tmp_path: Path) -> None:
    root = project({"pkg/__init__.py": "", "pkg/train.py": "from ....outside import x\nfrom ...outside import x"})
    (tmp_path / "outside.py").write_text("")
    (tmp_path / "pkg_outside.py").write_text("")
    assert labels(root, "pkg/train.py") == ["pkg/__init__.py", "pkg/train.py"]


def test_a_folder_of_another_import_path_counts_when_it_is_given(project: Make, tmp_path: Path) -> None:
    root = project({"train.py": "import other.net"})
    (tmp_path / "lib/other").mkdir(parents=True)
    (tmp_path / "lib/other/net.py").write_text("from . import layers")
    (tmp_path / "lib/other/layers.py").write_text("")
    found = closure(root / "train.py", root, elsewhere=[tmp_path / "lib"])
    assert [path.name for path in found] == ["layers.py", "net.py", "train.py"]


def test_a_file_that_does_not_parse_counts_and_leads_no_further(project: Make) -> None:
    root = project({"train.py": "import a", "a.py": "import b\ndef f(:", "b.py": ""})
    assert labels(root) == ["a.py", "train.py"]


def test_a_compiled_module_of_the_project_counts(project: Make) -> None:
    from importlib.machinery import EXTENSION_SUFFIXES

    root = project({"train.py": "import fast", f"fast{EXTENSION_SUFFIXES[0]}": "binary", "fast.py": ""})
    assert labels(root) == [f"fast{EXTENSION_SUFFIXES[0]}", "train.py"]


def test_strange_names_in_dynamic_imports_reach_nothing(project: Make) -> None:
    root = project({"train.py": "\n".join(f"__import__({text!r})" for text in ("../a", "/etc", "", ".", "a/b", "..a"))})
    (root.parent / "a.py").write_text("")
    assert labels(root) == ["train.py"]


def test_several_entries_make_one_closure(project: Make) -> None:
    root = project({"x.py": "import a", "y.py": "import b", "a.py": "", "b.py": ""})
    found = closure([root / "y.py", root / "x.py"], root)
    assert [path.name for path in found] == ["a.py", "b.py", "x.py", "y.py"]


def test_a_linked_script_imports_from_where_it_lies(project: Make) -> None:
    root = project({"src/train.py": "import net", "src/net.py": "", "bin/empty": ""})
    (root / "bin/train.py").symlink_to("../src/train.py")
    assert labels(root, "bin/train.py") == ["src/net.py", "src/train.py"]


def test_the_closure_is_what_python_loads(project: Make) -> None:
    root = project(
        {
            "train.py": "import p.m\nfrom space import inner\nfrom q import *\nimport importlib\n"
            "importlib.import_module('late')\nimport sys\nprint(sorted(m.__file__ for m in sys.modules.values()"
            " if getattr(m, '__file__', None) and m.__file__.startswith(sys.path[0])))",
            "p/__init__.py": "from . import z",
            "p/m.py": "from .z import *",
            "p/z.py": "",
            "space/inner.py": "from space import second",
            "space/second.py": "",
            "q/__init__.py": "__all__ = ['r']",
            "q/r.py": "",
            "late.py": "",
            "never.py": "",
        }
    )
    done = subprocess.run([sys.executable, root / "train.py"], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str([str(path) for path in closure(root / "train.py", root)])


@pytest.fixture(scope="module")
def cache() -> MeaningCache:
    return MeaningCache(None)


def test_our_own_closure_holds_what_computes_and_not_what_judges(cache: MeaningCache) -> None:
    found = {path.relative_to(own_folder()).as_posix() for path in own_closure([], cache=cache)}
    assert {"streams/derive.py", "state/digest.py", "record/rows.py", "base/canon.py", "errors.py"} <= found
    assert not any(label.startswith(("cli/", "judge/", "rerun/", "trainers/")) for label in found)


def test_our_own_closure_holds_the_trainer_in_use(cache: MeaningCache) -> None:
    without = set(own_closure([], cache=cache))
    found = set(own_closure(["samerun.trainers.supervised", "samerun.trainers.models.mlp"], cache=cache))
    assert without < found
    assert own_folder() / "trainers/supervised/part.py" in found
    assert own_folder() / "trainers/models/mlp.py" in found
    assert own_folder() / "trainers/models/gpt.py" not in found


def test_a_package_is_listed_whole_and_without_running_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "planted_package"
    (package / "__pycache__").mkdir(parents=True)
    (package / "data").mkdir()
    (package / "__init__.py").write_text("raise RuntimeError('imported')")
    (package / "data/table.csv").write_text("1")
    (package / "__pycache__/x.pyc").write_text("")
    (package / ".hidden").write_text("")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert [label for label, _ in package_files("planted_package.sub")] == [
        "planted_package/__init__.py",
        "planted_package/data/table.csv",
    ]
    with pytest.raises(ModuleNotFoundError):
        package_files("no_such_package_at_all")


def test_a_package_of_one_file_is_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "planted_module.py").write_text("")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert [label for label, _ in package_files("planted_module")] == ["planted_module.py"]


def test_installed_packages_and_python_itself_are_not_local(tmp_path: Path) -> None:
    import numpy

    assert not is_local(Path(os.__file__)) and not is_local(Path(numpy.__file__))
    assert not is_local(Path(__file__).parent / ".venv/lib/python3.11/site-packages/x.py")
    assert not is_local(own_folder() / "errors.py")
    assert is_local(tmp_path / "x.py")


def test_editable_installs_are_found_on_the_import_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("lib", "site-packages"):
        (tmp_path / name).mkdir()
        monkeypatch.syspath_prepend(str(tmp_path / name))
    bases = local_bases(tmp_path / "project")
    assert tmp_path.resolve() / "lib" in bases
    assert tmp_path.resolve() / "site-packages" not in bases
    assert local_bases(tmp_path / "lib") == [base for base in bases if base.name != "lib"]


def test_editable_installs_that_a_finder_maps_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "lib/pkg").mkdir(parents=True)
    finder = ModuleType("__editable___pkg_1_0_finder")
    finder.MAPPING = {"pkg": str(tmp_path / "lib/pkg")}  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, finder.__name__, finder)
    assert tmp_path.resolve() / "lib" in local_bases(tmp_path / "project")


LATE = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from samerun.record.closure import closure, late_imports
root = Path(sys.argv[1])
before = closure(root / "train.py", root)
name = "hid" + "den"
__import__(name)
__import__("net")
print([path.name for path in late_imports(before, root)])
"""


def test_what_was_imported_later_is_found(project: Make) -> None:
    root = project({"train.py": "import net", "net.py": "", "hidden.py": "", "never.py": ""})
    done = subprocess.run([sys.executable, "-c", LATE, str(root)], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['hidden.py']"


def test_nothing_is_late_in_a_project_that_is_not_loaded(tmp_path: Path) -> None:
    assert late_imports([], tmp_path) == []


def test_what_python_would_not_import_is_no_module(project: Make) -> None:
    root = project({"train.py": "import pipe, circle, gone, package\n", "package/other.py": ""})
    os.mkfifo(root / "pipe.py")
    os.mkfifo(root / "package/__init__.py")
    (root / "circle.py").symlink_to("circle.py")
    (root / "gone.py").symlink_to("nowhere.py")
    assert labels(root) == ["train.py"]


def test_a_module_that_cannot_be_read_is_refused(project: Make) -> None:
    root = project({"train.py": "import memory\n"})
    (root / "memory.py").symlink_to("/proc/self/mem")
    with pytest.raises(UsageError, match="SR-SOURCE-002"):
        closure(root / "train.py", root)
