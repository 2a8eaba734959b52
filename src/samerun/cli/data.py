"""`samerun data`: manifests of data. Each of its verbs is a function of samerun.data; here they are parsed and said."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from samerun.base.text import human_bytes, plural, shown
from samerun.cli.options import MaybeValue, VerbGroup, setting_option
from samerun.cli.output import Output, table
from samerun.errors import ExitCode, UsageError

if TYPE_CHECKING:
    from samerun.data.check import Wanted
    from samerun.data.diff import Differences
    from samerun.data.manifest import Manifest
    from samerun.data.splitting import Split

Function = TypeVar("Function", bound=Callable[..., object])
NAMED = 10
MANIFEST = click.Path(dir_okay=False, path_type=Path)

command = VerbGroup(
    "data",
    "Make, check and compare manifests of data, and split data by them.\n\nA manifest lists every file of a folder, or "
    "every row of a table, with its size, the digest of its content, and its label and group.",
)


def _reading_options(function: Function) -> Function:
    """Add the options of verbs that read many files."""
    options = [
        click.option("--strict", is_flag=True, help="Refuse (exit 3) what is otherwise only reported."),
        click.option("--jobs", type=int, metavar="N", help="Files that are read at a time (default: one a processor)."),
        click.option("--no-cache", is_flag=True, help="Read every file, and keep no digest for the next time."),
        click.option("--recheck", is_flag=True, help="Read every file, and compare with the digests kept."),
    ]
    for option in reversed(options):
        function = option(function)
    return function


@command.part("manifest", "List files or rows with their digests.")
@click.argument("subject", metavar="PATH|RECIPE")
@click.option("-o", "--out", type=MANIFEST, metavar="FILE", help="Write it: FILE.jsonl or FILE.parquet.")
@click.option("--items", is_flag=True, help="An entry for each row of a .csv, .jsonl or .parquet file.")
@click.option("--id", "item_id", metavar="COLUMN", help="With --items: what names a row (default: its content).")
@click.option("--label", metavar="RULE", help="The class: folder, folder:N, regex:PATTERN; a column with --items.")
@click.option("--group", metavar="RULE", help="What a split must not part, by such a rule.")
@click.option("--time", metavar="RULE", help="What a chronological split goes by, by such a rule.")
@click.option("--follow-links", is_flag=True, help="Follow links that lead out of the folder.")
@_reading_options
@click.option("--dry-run", is_flag=True, help="Say how much of PATH would be read; read nothing.")
@setting_option
def manifest_command(
    output: Output,
    subject: str,
    out: Path | None,
    dry_run: bool,
    settings: tuple[str, ...],
    no_cache: bool,
    runs: Path | None,
    **options: Any,
) -> int:
    """Make the manifest of a folder, a file or the rows of a table; or show what a run of RECIPE would record.

    Files that were read before and are unchanged are not read again. An interrupted command goes on where it was.
    What cannot be recorded is listed with its reason. A folder that is called like a built-in recipe is meant.
    """
    from samerun.data.manifest_file import checked_target, write_manifest
    from samerun.data.telling import left_out_lines, telling

    if out is not None:
        checked_target(out, Path(subject))
    if _is_recipe(subject, items=options["items"]):
        return _of_recipe(output, subject, settings, out, {**options, "dry_run": dry_run or None})
    if settings:
        raise UsageError("SR-CLI-006", "-s is for a recipe", do="samerun data manifest RECIPE -s ...")
    if dry_run:
        return _dry_run(output, Path(subject), options["follow_links"], no_cache)
    from samerun.data.manifest import manifest

    found = manifest(subject, cache=not no_cache, reporting=telling(output.note), **options)
    if out is not None:
        write_manifest(out, found)
    text = [*left_out_lines(found.left_out, _limit(output)), _summary(found), f"digest: {found.digest}"]
    output.result(_document(found, out), "\n".join(text + ([] if out is None else [f"written: {out.as_posix()}"])))
    return int(ExitCode.DONE)


def _is_recipe(subject: str, *, items: bool) -> bool:
    from samerun.record.subject import is_recipe

    return not items and not Path(subject).is_dir() and is_recipe(subject)


def _of_recipe(
    output: Output, recipe: str, settings: Sequence[str], out: Path | None, options: Mapping[str, Any]
) -> int:
    from samerun.data.manifest_file import write_manifest
    from samerun.rerun.recipe_data import recipe_data

    if given := [name for name in ("label", "group", "time", "item_id", "dry_run") if options[name] is not None]:
        raise UsageError(
            "SR-CLI-006",
            f"{_spelled(given[0])} is for a path: a run of a recipe records contents alone, and has to read them",
            do="samerun data manifest PATH, with the path of the recipe's task",
        )
    with output.own_stdout():
        found = recipe_data(recipe, settings)
    if out is not None:
        write_manifest(out, found.manifest)
    lines = [_summary(found.manifest), *(f"{name}: {digest}" for name, digest in found.inputs.items())]
    document = {**_document(found.manifest, out), "inputs": dict(found.inputs)}
    output.result(document, "\n".join(lines + ([] if out is None else [f"written: {out.as_posix()}"])))
    return int(ExitCode.DONE)


def _spelled(option: str) -> str:
    return f"--{option.removeprefix('item_').replace('_', '-')}"


def _dry_run(output: Output, path: Path, follow_links: bool, no_cache: bool) -> int:
    from samerun.data.manifest import planned
    from samerun.data.telling import left_out_lines

    plan = planned(path, follow_links=follow_links, cache=not no_cache)
    whole = f"{plan.files}, {human_bytes(plan.size_bytes)}"
    text = f"would read {plural(plan.files_to_read, 'file')}, {human_bytes(plan.bytes_to_read)}, of {whole}"
    lines = [*left_out_lines(plan.left_out, _limit(output)), text]
    output.result({"dry_run": True, **plan.as_json()}, "\n".join(lines))
    return int(ExitCode.DONE)


def _document(found: Manifest, out: Path | None) -> dict[str, Any]:
    return {
        "digest": found.digest,
        "kind": found.kind,
        "entries": len(found.entries),
        "size_bytes": found.size_bytes,
        "rules": dict(found.rules),
        "left_out": [one.as_json() for one in found.left_out],
        "report": vars(found.report),
        "written": out,
    }


def _summary(found: Manifest) -> str:
    noun = "file" if found.kind == "files" else "item"
    labels = {entry.label for entry in found.entries} - {None}
    groups = {entry.group for entry in found.entries} - {None}
    parts = [plural(len(found.entries), noun), human_bytes(found.size_bytes)]
    # A rule that fits nothing is seen by its 0.
    parts += [plural(len(labels), "label")] if labels or "label" in found.rules else []
    parts += [plural(len(groups), "group")] if groups or "group" in found.rules else []
    known = f" ({found.report.files_known} not read again)" if found.report.files_known else ""
    return ", ".join(parts) + known


def _limit(output: Output) -> int | None:
    return None if output.verbosity else NAMED


# -- check and diff ----------------------------------------------------------------------------------------------------


@command.part("check", "Compare data with its manifest; find duplicates.")
@click.argument("manifest", metavar="MANIFEST", type=MANIFEST)
@click.argument("path", metavar="PATH")
@click.option(
    "--duplicates",
    cls=MaybeValue,
    bare="exact",
    type=click.Choice(["exact", "near"]),
    help="Look for equal contents; =near: also for nearly equal texts and images.",
)
@_reading_options
def check_command(
    output: Output,
    manifest: Path,
    path: str,
    duplicates: Wanted | None,
    no_cache: bool,
    runs: Path | None,
    **options: Any,
) -> int:
    """Compare the data at PATH with its manifest: missing, extra, altered and moved files or items.

    Duplicates are told within and across the splits of a manifest that `samerun data split` wrote; with --strict they
    are refused. Exit 0: same; 1: different.
    """
    from samerun.data.check import check
    from samerun.data.manifest_file import read_manifest
    from samerun.data.telling import left_out_lines, telling

    old, reporting = read_manifest(manifest), telling(output.note)
    found = check(old, path, duplicates=duplicates, cache=not no_cache, reporting=reporting, **options)
    lines = [*left_out_lines(found.left_out, _limit(output)), *_differences(found.differences, output)]
    if found.duplicates is not None:
        lines += [f"duplicates: {found.duplicates.in_words()}"]
        lines += [f"  {line}" for line in found.duplicates.lines(_limit(output))]
    output.result({**found.as_json(), "report": vars(found.report)}, "\n".join(lines))
    return int(ExitCode.DONE if found.is_same else ExitCode.DIFFERENT)


@command.part("diff", "Compare two manifests.")
@click.argument("old", metavar="OLD", type=MANIFEST)
@click.argument("new", metavar="NEW", type=MANIFEST)
def diff_command(output: Output, old: Path, new: Path, runs: Path | None) -> int:
    """Compare two manifests. Exit 0: same; 1: different."""
    from samerun.data.diff import diff
    from samerun.data.manifest_file import read_manifest

    found = diff(read_manifest(old), read_manifest(new))
    document = {
        "verdict": "different" if found else "same",
        "counts": found.counts(),
        "differences": found.as_json(),
    }
    output.result(document, "\n".join(_differences(found, output)))
    return int(ExitCode.DIFFERENT if found else ExitCode.DONE)


def _differences(found: Differences, output: Output) -> list[str]:
    verdict = output.paint("different", "red") if found else output.paint("same", "green")
    return [f"{verdict}: {found.in_words()}", *(f"  {line}" for line in found.lines(_limit(output)))]


# -- split -------------------------------------------------------------------------------------------------------------


def _fractions(_: click.Context, parameter: click.Parameter, value: str | None) -> dict[str, float] | None:
    if value is None:
        return None
    found: dict[str, float] = {}
    for part in value.split(","):
        name, _equals, text = part.partition("=")
        try:
            number = float(text)
        except ValueError:
            raise click.BadParameter(f"{part!r} is no part such as train=0.8", param=parameter) from None
        if name.strip() in found:
            raise click.BadParameter(f"{name.strip()!r} is named twice", param=parameter)
        found[name.strip()] = number
    return found


def _cuts(_: click.Context, parameter: click.Parameter, value: str | None) -> dict[str, str | None] | None:
    if value is None:
        return None
    found: dict[str, str | None] = {}
    for part in value.split(","):
        name, equals, begin = part.partition("=")
        if name.strip() in found:
            raise click.BadParameter(f"{name.strip()!r} is named twice", param=parameter)
        found[name.strip()] = begin if equals else None
    return found


@command.part("split", "Put every entry into a split, for good.")
@click.argument("manifest", metavar="MANIFEST", type=MANIFEST)
@click.option(
    "--fractions", metavar="NAME=PART,..", callback=_fractions, help="train=0.8,val=0.1,test=0.1: together 1."
)
@click.option("--by", type=click.Choice(["group", "id", "content"]), help="What decides (default: group, else id).")
@click.option("--key", default="split", show_default=True, metavar="K", help="Another key is another split.")
@click.option("--chronological", metavar="FIELD", help="Split by time, or by id, label or group in their order.")
@click.option("--cuts", metavar="NAME[=TIME],..", callback=_cuts, help="Where splits begin: train,test=2024-06-01.")
@click.option("--near", metavar="PATH", type=click.Path(path_type=Path), help="Look for near duplicates in this data.")
@click.option("--strict", is_flag=True, help="Refuse (exit 3) contents that are there more than once.")
@click.option("-o", "--out", type=click.Path(path_type=Path), metavar="FILE|FOLDER", help="One file, or one a split.")
def split_command(output: Output, manifest: Path, out: Path | None, runs: Path | None, **options: Any) -> int:
    """Put every entry of a manifest into a split, by a rule that depends on that entry alone.

    So an entry that is added moves no other one, and a group is never parted. Fractions have to add up to 1: what is
    to be in no split is a split, too. Reports the classes of each split, empty splits, and contents that are there
    more than once, within and across splits.
    """
    from samerun.data.manifest_file import read_manifest
    from samerun.data.splitting import split_manifest, write_split

    found = split_manifest(read_manifest(manifest), **options)
    written = [] if out is None else write_split(out, found)
    lines = [*_splits(found, output), *(f"written: {path.as_posix()}" for path in written)]
    output.result({**found.as_json(), "written": written}, "\n".join(lines))
    return int(ExitCode.DONE)


def _splits(found: Split, output: Output) -> Iterator[str]:
    counts, classes = found.counts, found.classes
    labels = list(classes) if output.verbosity or len(classes) <= 2 * NAMED else list(classes)[:NAMED]
    rows = [[name, str(count), *(str(classes[label][name]) for label in labels)] for name, count in counts.items()]
    yield from table(rows, ["split", "entries", *map(shown, labels)])
    if len(labels) < len(classes):
        yield f"and {len(classes) - len(labels)} more classes (-v shows them)"
    for name in found.empty:
        yield f"{output.paint('empty', 'yellow')}: no entry is in {name}"
    cuts = found.manifest.split.get("cuts")
    if cuts:
        begins = ",".join(name if begin is None else f"{name}={begin}" for name, begin in cuts.items())
        yield f"cuts: the same split of more data: --cuts {shown(begins)}"
    yield f"duplicates: {found.duplicates.in_words()}"
    yield from (f"  {line}" for line in found.duplicates.lines(_limit(output)))
