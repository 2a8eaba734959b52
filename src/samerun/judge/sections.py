"""The sections of a diff: each part of two records beside the other, as JSON values.

How each is compared is in documents.py, sources.py, metrics.py, trail.py and leaves.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from samerun.judge import documents
from samerun.judge.evidence import Evidence
from samerun.judge.sources import SourceSide, source_rows
from samerun.record import layout
from samerun.record.data import DataRecord
from samerun.record.reader import RunRecord
from samerun.record.source_read import read_snapshot

NOTHING: Mapping[str, Any] = {
    **{name: [] for name in ("identity", "config", "source", "environment", "data", "streams")},
    **{name: {} for name in ("metrics", "trail", "checkpoints")},
}
"""The sections of two records that were not compared."""


def sections(a: RunRecord, b: RunRecord, evidence: Evidence) -> Mapping[str, Any]:
    """Give every section. Raises DamageError for a document or a snapshot that is not what was written."""
    config_a, config_b = a.config, b.config
    return {
        "identity": [
            {"group": fact.group, "path": fact.path, "kind": fact.kind, "a": fact.old, "b": fact.new}
            for fact in evidence.moved
        ],
        "config": documents.config_rows(config_a.values, config_b.values, config_a.origins, config_b.origins),
        "source": source_rows(_source(a), _source(b)),
        "environment": [
            *documents.argument_rows(a.manifest.entry.argv, b.manifest.entry.argv),
            *documents.environment_rows(_document(a, layout.ENVIRONMENT), _document(b, layout.ENVIRONMENT)),
            *documents.git_rows(_document(a, layout.SOURCE), _document(b, layout.SOURCE)),
        ],
        "data": documents.data_rows(_data(a), _data(b)),
        "streams": evidence.trail.streams_json(),
        "metrics": evidence.metrics.as_json(),
        "trail": evidence.trail.as_json(),
        "checkpoints": evidence.leaves.as_json(),
    }


def _source(record: RunRecord) -> SourceSide:
    return SourceSide(_document(record, layout.SOURCE), partial(read_snapshot, record.folder))


def _data(record: RunRecord) -> DataRecord:
    return record.data() if record.has(layout.DATA) else DataRecord()


def _document(record: RunRecord, file: str) -> Mapping[str, Any]:
    # A run of grade "external" or "observed" has not all of them; that a full run lacks one is integrity.py's to say.
    return record.document(file) if record.has(file) else {}
