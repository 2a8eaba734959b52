"""Pages a reader can trust: every relative link resolves, README <= 140 lines, a page <= 200, each verb is listed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from codebase import REPOSITORY
from samerun.cli.verbs import VERBS

LINK = re.compile(r"(?<!\!)\[[^\]]*\]\(([^)\s]+)\)")
FENCE = re.compile(r"^```.*?^```", re.M | re.S)
README_LINES, PAGE_LINES = 140, 200
UNFINISHED = re.compile(r"\b(TODO|TBD|FIXME|XXX|placeholder|coming soon)\b", re.I)


def pages() -> list[Path]:
    return [*sorted(REPOSITORY.glob("*.md")), *sorted((REPOSITORY / "docs").rglob("*.md"))]


def anchors(text: str) -> set[str]:
    """Heading anchors as a forge makes them: lower case, punctuation dropped, spaces to hyphens."""
    titles = re.findall(r"^#+\s+(.*)$", FENCE.sub("", text), re.M)
    return {re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-") for title in titles}


def broken_links(page: Path, text: str) -> Iterator[str]:
    for target in LINK.findall(FENCE.sub("", text)):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        if not file.exists():
            yield f"{page.name}: {target} does not exist"
        elif anchor and file.suffix == ".md" and anchor not in anchors(file.read_text("utf-8") if path else text):
            yield f"{page.name}: {target} has no such heading"


def too_long(page: Path, text: str) -> bool:
    limit = README_LINES if page.name == "README.md" else PAGE_LINES
    return page.name != "CHANGELOG.md" and text.count("\n") > limit


def test_every_relative_link_resolves() -> None:
    assert [line for page in pages() for line in broken_links(page, page.read_text("utf-8"))] == []


def test_no_page_is_too_long() -> None:
    assert [page.name for page in pages() if too_long(page, page.read_text("utf-8"))] == []


def test_no_page_is_unfinished() -> None:
    assert [page.name for page in pages() if UNFINISHED.search(page.read_text("utf-8"))] == []


def test_the_readme_names_every_verb() -> None:
    readme = (REPOSITORY / "README.md").read_text("utf-8")
    assert [verb for verb in VERBS if f"`{verb}`" not in readme] == []


@pytest.mark.parametrize("text", ["[a](gone.md)", "# Here\n[a](#there)", "[a](page.md#there)"])
def test_a_broken_link_is_found(tmp_path: Path, text: str) -> None:
    page = tmp_path / "page.md"
    page.write_text(text)
    assert list(broken_links(page, text)) != []


def test_a_good_link_passes(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# The first one, and `more`\n[a](#the-first-one-and-more) [b](https://example.org) [c](page.md)\n")
    assert list(broken_links(page, page.read_text())) == []


def test_a_page_over_its_limit_is_found(tmp_path: Path) -> None:
    assert too_long(tmp_path / "README.md", "\n" * 141)
    assert too_long(tmp_path / "page.md", "\n" * 201)


SOURCE = re.compile(r"`([a-z_]+/[a-z_/]*[a-z_]+\.(?:py|toml|yaml))`")


def missing_files(text: str) -> list[str]:
    """Files that a page names as `folder/file.py`, below the package or the repository, and that do not exist."""
    places = (REPOSITORY, REPOSITORY / "src/samerun")
    return [name for name in SOURCE.findall(text) if not any((place / name).exists() for place in places)]


def test_every_file_that_a_page_names_exists() -> None:
    found = {page.name: missing_files(page.read_text("utf-8")) for page in pages() if page.name != "CHANGELOG.md"}
    assert {name: files for name, files in found.items() if files} == {}


def test_a_file_that_is_gone_is_found() -> None:
    assert missing_files("in `record/layout.py` and `record/gone.py`") == ["record/gone.py"]
