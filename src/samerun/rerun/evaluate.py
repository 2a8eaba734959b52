"""The verb `evaluate`: measure a checkpoint of a run with the run's own settings. Writes beside its rows, never into
them: one file `evaluations/<tag>.json`, and another copy where asked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from samerun.base.sealed import seal, write_sealed
from samerun.record import layout
from samerun.record.find import find_run
from samerun.record.project import runs_folder
from samerun.record.reader import RunRecord
from samerun.rerun.choice import read_chosen
from samerun.rerun.origin import config_of, origin_of
from samerun.rerun.unmoved import admit, check_drift_names, moved_facts, moved_inputs
from samerun.state.digest import digest_components

if TYPE_CHECKING:
    from samerun.checkpoint.read import Checkpoint

GROUP = "evaluate/"


@dataclass(frozen=True)
class Evaluation:
    """Numbers of one checkpoint on one split."""

    run: Path
    checkpoint: str
    """Relative to the run folder."""
    step: int
    split: str
    limit: int | None
    tag: str
    metrics: Mapping[str, float]
    """By column, as in the metrics rows: `evaluate/accuracy`."""
    state_digest: str | None
    is_same_platform: bool
    """Whether it was measured on the platform that the run was trained on; elsewhere bits may differ."""
    drift: tuple[str, ...] = ()
    """Facts of the experiment that moved since the run and were allowed to, as `experiment.source.user["net.py"]`."""

    def as_json(self) -> dict[str, Any]:
        """Give the fields that scripts may rely on."""
        plain = {"run": self.run.as_posix(), "metrics": dict(self.metrics), "drift": list(self.drift)}
        return {**vars(self), **plain}


def evaluate(
    run: str | Path,
    *,
    checkpoint: str | int = "last",
    split: str = "test",
    limit: int | None = None,
    tag: str | None = None,
    out: Path | None = None,
    runs: Path | None = None,
    allow_drift: Sequence[str] = (),
    trust: bool = False,
) -> Evaluation:
    """Measure a checkpoint (`last`, `best` or a step) of a recipe's run on a split, at most `limit` items of it.

    The settings are the run's resolved ones, so that no `auto` is decided again; its code and data must be what they
    were, unless `allow_drift` names what may have moved. The file is named by `tag` (default: split and step);
    evaluating again replaces it. Raises NoMatchError for a checkpoint or split that there is not, UsageError
    SR-EVALUATE-001 for the run of a script, RefusedError SR-EVALUATE-005 for other code or data than the run had,
    DamageError for a damaged checkpoint.
    """
    record = find_run(str(run), runs_folder(runs))
    chosen = read_chosen(record, checkpoint)
    name = layout.check_name(tag if tag is not None else f"{split}-step-{chosen.step:08d}", layout.EVALUATION_ADVICE)
    check_drift_names(allow_drift, record.identity)
    origin = origin_of(record, trust=trust)
    config = config_of(record, (), origin.root)
    differences = moved_facts(record, config, origin.root)
    # Code before data: what is refused here is not run.
    drift = admit(record, differences, allow_drift)
    numbers = _measure(record, chosen, config, origin.root, split, limit, allow_drift)
    found = Evaluation(
        run=record.folder,
        checkpoint=f"{layout.CHECKPOINTS}/{chosen.path.name}",
        step=chosen.step,
        split=split,
        limit=limit,
        tag=name,
        metrics={f"{GROUP}{key}": value for key, value in numbers.items()},
        state_digest=digest_components(chosen.digests),
        is_same_platform=all(one.group != "platform" for one in differences),
        drift=drift,
    )
    _write(record, found, out)
    return found


def _measure(
    record: RunRecord,
    chosen: Checkpoint,
    config: Any,
    root: Path,
    split: str,
    limit: int | None,
    allowed: Sequence[str],
) -> Mapping[str, float]:
    from samerun.trainers.recipe import evaluate_checkpoint

    return evaluate_checkpoint(
        config,
        chosen,
        root,
        seed=int(record.manifest.seed),
        split=split,
        limit=limit,
        admit=lambda paths: admit(record, moved_inputs(record.identity, paths), allowed),
    )


def _write(record: RunRecord, found: Evaluation, out: Path | None) -> None:
    from samerun.base import files

    document = {
        "schema": "samerun.evaluation",
        "format": layout.RUN_FORMAT,
        **found.as_json(),
        "run": record.name,
        "identity": record.manifest.identity,
    }
    path = layout.evaluation_file(record.folder, found.tag)
    files.make_dir(path.parent)
    write_sealed(path, document)
    if out is not None:
        files.replace(out, seal(document))
