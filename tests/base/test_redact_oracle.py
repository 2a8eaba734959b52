"""detect-secrets as a second opinion on our own positives: what it still finds in a redacted text is decided here."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest
from secret_corpus import issued, written

from samerun.base.redact import redact_text

detect_secrets: Any = pytest.importorskip("detect_secrets")

HARMLESS = frozenset({"Public IP (ipv4)"})
"""Kinds of finding that are no secrets of ours: an address is none."""


def found_in(texts: list[str], folder: Path) -> list[str]:
    """Scan each text as a file of its own, as one scans a repository."""
    from detect_secrets.settings import default_settings

    scanned = detect_secrets.SecretsCollection(root=str(folder))
    with default_settings():
        for number, text in enumerate(texts):
            (folder / f"{number}.txt").write_text(text, encoding="utf-8")
            scanned.scan_file(f"{number}.txt")
    return [f"{name}: {one.type}: {one.secret_value}" for name, one in scanned if one.type not in HARMLESS]


@pytest.mark.parametrize("seed", range(2))
def test_it_finds_nothing_in_a_redacted_text_but_the_marker(seed: int, tmp_path: Path) -> None:
    texts = [*issued(Random(seed)).values(), *(text for text, _ in written(Random(seed)))]
    left = found_in([redact_text(text) for text in texts], tmp_path)
    assert [one for one in left if "[redacted" not in one] == []


def test_it_finds_secrets_in_the_texts_as_they_were(tmp_path: Path) -> None:
    texts = [*issued(Random(0)).values(), *(text for text, _ in written(Random(0)))]
    assert len({one.partition(":")[0] for one in found_in(texts, tmp_path)}) > 30
