"""Which files a program consists of: the static import closure of its entry files within given folders.

Every import that may run counts, also in functions and under conditions; what only type checkers read does not. What
an import statement cannot show is found afterwards, by `late_imports`. Digests are in meaning.py.
"""

import itertools
import os
import sys
import sysconfig
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from samerun.record.meaning import Imported
from samerun.record.meaning_cache import MeaningCache
from samerun.record.reading import FileRead, read_file

_INSTALLED: Final = frozenset({"site-packages", "dist-packages"})
OWN_PACKAGE: Final = "samerun"


def closure(
    entries: Path | Sequence[Path],
    root: Path,
    *,
    elsewhere: Sequence[Path] = (),
    cache: MeaningCache | None = None,
) -> list[Path]:
    """List the entry files and every file they import, directly or not, from `root` or `elsewhere`; sorted.

    Modules are looked for beside the entry, in the root, in its `src` and in the folders of `elsewhere`; where several
    have one of the name, all count. samerun's own modules never do. Raises UsageError SR-SOURCE-002 for a file that
    cannot be read.
    """
    return list(read_closure(entries, root, elsewhere=elsewhere, cache=cache))


def read_closure(
    entries: Path | Sequence[Path],
    root: Path,
    *,
    elsewhere: Sequence[Path] = (),
    cache: MeaningCache | None = None,
) -> dict[Path, FileRead]:
    """Give what `closure` lists, each file as it was read: once, so that what it imports and what it is agree."""
    starts = [entries] if isinstance(entries, Path) else list(entries)
    starts = [start.resolve() for start in starts]
    top = root.resolve()
    bases = list(dict.fromkeys([*(start.parent for start in starts), top, top / "src", *elsewhere]))
    walk = _Walk(
        [base for base in bases if base.is_dir()], [top, *elsewhere], cache or MeaningCache(None), _is_not_ours
    )
    return walk.run(starts)


def _is_not_ours(imported: Imported) -> bool:
    return imported.level > 0 or imported.module.split(".")[0] != OWN_PACKAGE


def _is_ours(imported: Imported) -> bool:
    return imported.level > 0 or imported.module.split(".")[0] == OWN_PACKAGE


class _Walk:
    """One walk over a program: folders in which modules are looked for, and folders that files must lie in."""

    def __init__(
        self, bases: Sequence[Path], bounds: Sequence[Path], cache: MeaningCache, follows: Callable[[Imported], bool]
    ) -> None:
        self.bases = bases
        self.bounds = bounds
        self.cache = cache
        self.follows = follows
        self.listing = lru_cache(maxsize=None)(_listing)
        # The same few modules are imported by nearly every file.
        self.found_in = lru_cache(maxsize=None)(self._found_in)
        self.is_package = lru_cache(maxsize=None)(self._is_package)

    def run(self, starts: Sequence[Path]) -> dict[Path, FileRead]:
        seen = {start: read_file(start) for start in starts}
        queue = list(starts)
        while queue:
            path = queue.pop()
            for found in self._imported_by(path, seen[path].data):
                if found not in seen and any(found.is_relative_to(bound) for bound in self.bounds):
                    seen[found] = read_file(found)
                    queue.append(found)
        return dict(sorted(seen.items()))

    def _imported_by(self, path: Path, data: bytes) -> Iterator[Path]:
        if path.suffix != ".py":
            return
        for imported in self.cache.meaning(data).imports:
            if not self.follows(imported):
                continue
            if imported.level:
                # A relative import needs the packages around it, and they ran before it.
                around = itertools.takewhile(self.is_package, path.parents)
                yield from (folder / "__init__.py" for folder in around)
            for base in self._bases_of(path, imported):
                yield from self.found_in(base, imported)

    def _bases_of(self, path: Path, imported: Imported) -> Sequence[Path]:
        if imported.level == 0:
            return self.bases
        up = [path.parent, *path.parents[1:]]
        return up[imported.level - 1 : imported.level]

    def _found_in(self, base: Path, imported: Imported) -> tuple[Path, ...]:
        files, package = self._resolve(base, imported.module)
        if package is None or imported.name is None:
            return tuple(files)
        names = self._exported(package) if imported.name == "*" else [imported.name]
        return (*files, *(path for name in names for path in self._resolve(package, name)[0]))

    def _resolve(self, base: Path, module: str) -> tuple[list[Path], Path | None]:
        """Files that importing `module` from `base` runs, and the folder it is if it is a package of any kind."""
        files: list[Path] = []
        folder = base
        for part in module.split(".") if module else ():
            names = self.listing(folder)
            file = self._module_file(folder, part, names)
            if part in names and self.is_package(folder / part):
                folder = folder / part
                files.append(folder / "__init__.py")
            elif file is not None:
                return [*files, file], None
            elif part.isidentifier() and part in names and (folder / part).is_dir():
                folder = folder / part
            else:
                return files, None
        return files, folder

    def _is_package(self, folder: Path) -> bool:
        return (
            folder.name.isidentifier() and "__init__.py" in self.listing(folder) and (folder / "__init__.py").is_file()
        )

    def _module_file(self, folder: Path, part: str, names: Collection[str]) -> Path | None:
        if not part.isidentifier():
            return None
        for suffix in (*EXTENSION_SUFFIXES, ".py"):
            # As for an import: a socket, a pipe or a link in a circle is no module.
            if part + suffix in names and (folder / (part + suffix)).is_file():
                return folder / (part + suffix)
        return None

    def _exported(self, package: Path) -> Iterable[str]:
        init = package / "__init__.py"
        return self.cache.meaning(read_file(init).data).exported if self.is_package(package) else ()


def _listing(folder: Path) -> frozenset[str]:
    try:
        return frozenset(os.listdir(folder))
    except OSError:
        return frozenset()


def is_local(path: Path) -> bool:
    """Say whether a file or folder is somebody's source rather than Python's own, an installed package, or ours."""
    if not _INSTALLED.isdisjoint(path.parts):
        return False
    return not any(path.is_relative_to(folder) for folder in _outside())


@lru_cache(maxsize=1)
def _outside() -> tuple[Path, ...]:
    standard = [Path(sysconfig.get_path(name)).resolve() for name in ("stdlib", "platstdlib")]
    return (*standard, own_folder())


def own_folder() -> Path:
    """Folder of the samerun package that is running."""
    return Path(__file__).resolve().parent.parent


def local_bases(root: Path) -> list[Path]:
    """List the folders of the import path outside the project that hold source: editable installs, PYTHONPATH.

    The folder that holds samerun itself counts too; its own modules are left out by name.
    """
    top = root.resolve()
    folders = {Path(text or ".").resolve() for text in [*sys.path, *_mapped_folders()]}
    return sorted(folder for folder in folders if folder != top and folder.is_dir() and is_local(folder))


def _mapped_folders() -> Iterator[str]:
    """Folders that hold packages which setuptools installed as editable: a finder maps their names, not the path."""
    for name, module in list(sys.modules.items()):
        mapping = getattr(module, "MAPPING", None) if name.startswith("__editable__") else None
        if isinstance(mapping, dict):
            yield from (os.path.dirname(str(place)) for place in mapping.values())


def package_files(name: str) -> list[tuple[str, Path]]:
    """List (label, path) of every file of an installed package or module, sorted by label; caches are left out.

    Nothing of the package is run. Raises ModuleNotFoundError where there is no such package.
    """
    spec = find_spec(name.split(".")[0])
    if spec is None:
        raise ModuleNotFoundError(f"no package {name!r}", name=name)
    if spec.submodule_search_locations is None:
        return [(Path(spec.origin).name, Path(spec.origin))] if spec.origin else []
    found = {}
    for location in spec.submodule_search_locations:
        base = Path(location)
        for folder, folders, names in os.walk(base):
            folders[:] = sorted(one for one in folders if one != "__pycache__" and not one.startswith("."))
            for file in names:
                path = Path(folder) / file
                if not file.endswith((".pyc", ".pyo")) and not file.startswith(".") and path.is_file():
                    found[(Path(base.name) / path.relative_to(base)).as_posix()] = path
    return sorted(found.items())


def own_closure(modules: Sequence[str], *, cache: MeaningCache | None = None) -> dict[Path, FileRead]:
    """Read the files of samerun that compute a run: what its foundation and `modules` consist of and import; sorted.

    `modules` are dotted names (`samerun.trainers.supervised`, `samerun.trainers.models.mlp`); a package counts whole.
    """
    package = own_folder()
    foundation = [f"{OWN_PACKAGE}.{name}" for name in ("run", "data", "streams", "state", "tiers")]
    starts: set[Path] = set()
    for module in [*foundation, *modules]:
        place = package.parent.joinpath(*module.split("."))
        starts.update(place.rglob("*.py") if place.is_dir() else [place.with_suffix(".py")])
    walk = _Walk([package.parent], [package], cache or MeaningCache(None), _is_ours)
    return walk.run(sorted(start for start in starts if start.is_file()))


def late_imports(before: Collection[Path], root: Path, *, elsewhere: Sequence[Path] = ()) -> list[Path]:
    """List the source files of the project that are loaded by now and are not in `before`; sorted."""
    known = {path.resolve() for path in before}
    bounds = [root.resolve(), *(folder.resolve() for folder in elsewhere)]
    files = _loaded_files()
    folders = {os.path.dirname(file) for file in files}
    # A program has a few hundred folders and thousands of modules: whose folder is not in bounds is not looked at.
    near = {folder for folder in folders if _is_within(Path(folder).resolve(), bounds)}
    found = set()
    for file in files:
        if os.path.dirname(file) in near or os.path.islink(file):
            path = Path(file).resolve()
            if path not in known and is_local(path) and _is_within(path, bounds):
                found.add(path)
    return sorted(path for path in found if path.is_file())


def _loaded_files() -> list[str]:
    """List the files of all modules that are loaded and are somebody's source, as their modules spell them."""
    files = [getattr(module, "__file__", None) for module in list(sys.modules.values())]
    ours = tuple(f"{os.sep}{name}{os.sep}" for name in _INSTALLED)
    return [
        file
        for file in files
        if isinstance(file, str)
        and file.endswith((".py", *EXTENSION_SUFFIXES))
        and not any(part in file for part in ours)
    ]


def _is_within(path: Path, bounds: Sequence[Path]) -> bool:
    return any(path.is_relative_to(bound) for bound in bounds)
