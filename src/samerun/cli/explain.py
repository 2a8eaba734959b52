"""`samerun explain`: where each value of a recipe comes from and whether it is identity; what an error code means."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from samerun.cli.options import setting_option, verb
from samerun.cli.output import Output, spell, table

if TYPE_CHECKING:
    from samerun.config.origin import Row
    from samerun.errors import CodePage

HEADER = ["setting", "value", "set by", "counts in"]
WIDEST_VALUE = 40
CODE_LIKE = re.compile(r"SR(-|[0-9])", re.IGNORECASE)


@verb("explain")
@click.argument("subject", metavar="RECIPE|CODE")
@click.argument("key", required=False, metavar="[KEY]")
@setting_option
def command(output: Output, subject: str, key: str | None, settings: tuple[str, ...], runs: Path | None) -> None:
    """Explain the settings of a RECIPE, or an error CODE such as SR-CONFIG-003 or SR121.

    For a recipe: each value, the layer and line that set it, and whether it counts in the identity or is aside, and
    why. KEY narrows it to one setting or table; with it, or with -v, each setting's meaning is shown.
    """
    if _is_meant_as_code(subject):
        from samerun.config.explain import explain_code

        page = explain_code(subject)
        output.result({"code": page.code, "title": page.title, "means": page.means, "do": page.do}, _page(output, page))
        return
    # After the codes, which need neither pydantic nor YAML.
    from samerun.config.layers import resolve
    from samerun.config.origin import explain
    from samerun.record.project import project_root

    config = resolve(subject, settings, project=project_root(Path(subject)))
    rows = explain(config, key)
    meanings = [_meaning(config.values, row.path) for row in rows]
    document = [_document(row, meaning) for row, meaning in zip(rows, meanings, strict=True)]
    lines = _lines(rows, meanings if key is not None or output.verbosity else None)
    output.result({"recipe": subject, "settings": document}, "\n".join(lines))


def _is_meant_as_code(subject: str) -> bool:
    """Say whether a subject looks like a code, also a misspelt one, and is no file."""
    return CODE_LIKE.match(subject) is not None and "." not in subject and not Path(subject).exists()


def _meaning(values: Any, path: str) -> str | None:
    """Return what the string under a field says, for the field at a path of a resolved config."""
    from pydantic import BaseModel

    from samerun.config.parts import PartChoice

    node, meaning = values, None
    for key in path.split("."):
        if isinstance(node, PartChoice):
            if key == "kind":
                return meaning
            node = node.settings
        if not isinstance(node, BaseModel):
            return meaning
        fields = type(node).model_fields
        name = next((name for name, field in fields.items() if key in (name, field.alias)), None)
        if name is None:
            return meaning
        node, meaning = getattr(node, name), fields[name].description
    return meaning


def _page(output: Output, page: CodePage) -> str:
    return f"{output.paint(page.code, 'bold')}: {page.title}\n  {page.means}\n  {output.paint('do:', 'bold')} {page.do}"


def _document(row: Row, meaning: str | None) -> dict[str, object]:
    return {
        "path": row.path,
        "value": row.value,
        "layer": row.origin.layer,
        "where": row.origin.where,
        "counts_in": row.standing.group,
        "reason": row.standing.reason or None,
        "meaning": meaning,
    }


def _lines(rows: tuple[Row, ...], meanings: list[str | None] | None) -> list[str]:
    cells = []
    for row in rows:
        value = spell(row.value)
        shown = value if len(value) <= WIDEST_VALUE else value[: WIDEST_VALUE - 3] + "..."
        reason = f": {row.standing.reason}" if row.standing.reason else ""
        cells.append([row.path, shown, f"{row.origin.layer} ({row.origin.where})", f"{row.standing.group}{reason}"])
    head, *lines = table(cells, HEADER)
    if meanings is None:
        return [head, *lines]
    below = [[line, *([f"    {meaning}"] if meaning else [])] for line, meaning in zip(lines, meanings, strict=True)]
    return [head, *(line for both in below for line in both)]
