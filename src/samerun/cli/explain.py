"""`samerun explain`: where each value of a recipe comes from and whether it is identity; what an error code means."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from samerun.cli.options import setting_option, verb
from samerun.cli.output import Output, spell, table

if TYPE_CHECKING:
    from samerun.config.origin import Row
    from samerun.errors import CodePage

HEADER = ["setting", "value", "set by", "counts in"]
WIDEST_VALUE = 40


@verb("explain")
@click.argument("subject", metavar="RECIPE|CODE")
@click.argument("key", required=False, metavar="[KEY]")
@setting_option
def command(output: Output, subject: str, key: str | None, settings: tuple[str, ...], runs: Path | None) -> None:
    """Explain the settings of a RECIPE, or an error CODE such as SR-CONFIG-003.

    For a recipe: each value, the layer and line that set it, and whether it counts in the identity or is aside, and
    why. KEY narrows it to one setting or table.
    """
    from samerun.config.explain import explain, explain_code, is_code
    from samerun.record.project import project_root

    if is_code(subject):
        page = explain_code(subject)
        output.result({"code": page.code, "title": page.title, "means": page.means, "do": page.do}, _page(output, page))
        return
    rows = explain(subject, key, settings=settings, project=project_root(Path(subject)))
    assert isinstance(rows, tuple)
    output.result({"recipe": subject, "settings": [_document(row) for row in rows]}, "\n".join(_lines(rows)))


def _page(output: Output, page: CodePage) -> str:
    return f"{output.paint(page.code, 'bold')}: {page.title}\n  {page.means}\n  {output.paint('do:', 'bold')} {page.do}"


def _document(row: Row) -> dict[str, object]:
    return {
        "path": row.path,
        "value": row.value,
        "layer": row.origin.layer,
        "where": row.origin.where,
        "counts_in": row.standing.group,
        "reason": row.standing.reason or None,
    }


def _lines(rows: tuple[Row, ...]) -> list[str]:
    cells = []
    for row in rows:
        value = spell(row.value)
        shown = value if len(value) <= WIDEST_VALUE else value[: WIDEST_VALUE - 3] + "..."
        reason = f": {row.standing.reason}" if row.standing.reason else ""
        cells.append([row.path, shown, f"{row.origin.layer} ({row.origin.where})", f"{row.standing.group}{reason}"])
    return table(cells, HEADER)
