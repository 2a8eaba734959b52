"""How an identity grows between the opening of a run and its end."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from samerun.errors import RefusedError
from samerun.record.data import DataRecord, FolderFiles
from samerun.record.identity import Identity
from samerun.record.manifest import Entry
from samerun.record.source import gather
from samerun.run.growth import refuse_moved_inputs, with_inputs, with_late_imports

OPENED = Identity({"config": {}, "seed": "7"}, {"torch": "2"})


def test_no_inputs_leave_the_identity_as_it_was() -> None:
    assert with_inputs(OPENED, {}).id == OPENED.id


def test_inputs_are_experiment_facts_beside_those_that_are_known() -> None:
    one = with_inputs(OPENED, {"input/a": "sha256:1"})
    two = with_inputs(one, {"input/b": "sha256:2"})
    assert two.experiment["inputs"] == {"input/a": "sha256:1", "input/b": "sha256:2"}
    assert len({OPENED.id, one.id, two.id}) == 3 and two.platform_digest == OPENED.platform_digest


def test_an_input_with_other_content_is_refused_by_its_name_with_the_beginning_of_both_digests() -> None:
    one, two = (f"sha256:{digit * 64}" for digit in "12")
    recorded = with_inputs(OPENED, {"input/a": one})
    refused = partial(
        refuse_moved_inputs, recorded, entry=Entry("recipe", (), "digits.yaml"), was=DataRecord, found=DataRecord()
    )
    refused(with_inputs(recorded, {"input/a": one}))
    for facts, name in (({"input/a": two}, "a"), ({"input/b": two}, "b")):
        with pytest.raises(RefusedError) as caught:
            refused(with_inputs(recorded, facts))
        assert caught.value.code == "SR-RUN-015" and caught.value.what.startswith(f"{name}: not what this run read")
        assert caught.value.evidence[0].endswith("in the run, sha256:22222222... now")
        assert caught.value.do.endswith("begin a run of its own: samerun train digits --new")


def test_a_file_that_was_read_is_named_before_the_data_set_made_of_it() -> None:
    facts = ({"dataset/data": f"sha256:{n}", "input/x.csv": f"sha256:{n}"} for n in "12")
    recorded, now = (with_inputs(OPENED, one) for one in facts)
    with pytest.raises(RefusedError) as caught:
        refuse_moved_inputs(recorded, now, entry=Entry("loop"), was=DataRecord, found=DataRecord())
    assert caught.value.what.startswith("x.csv and 1 more input") and caught.value.evidence[0].startswith("input/x.csv")


def test_of_a_folder_the_files_that_changed_are_named() -> None:
    recorded = with_inputs(OPENED, {"input/set": "sha256:1"})
    files = [{"x.csv": "1", "y.csv": "0", "z.csv": "3"}, {"x.csv": "2", "y.csv": "0", "w\n.csv": "3", "new.csv": "4"}]
    was, found = (DataRecord({}, {"input/set": FolderFiles(one)}) for one in files)
    with pytest.raises(RefusedError) as caught:
        now = with_inputs(recorded, {"input/set": "sha256:2"})
        refuse_moved_inputs(recorded, now, entry=Entry("loop"), was=lambda: was, found=found)
    assert caught.value.evidence[1:] == (
        "  1 extra, 1 altered, 1 moved of 5 files",
        "  extra: new.csv",
        "  altered: x.csv",
        "  moved: z.csv -> w\\n.csv",
    )


def test_a_late_import_is_added_once_and_named(tmp_path: Path) -> None:
    script, late = tmp_path / "train.py", tmp_path / "late.py"
    script.write_text("x = 1\n")
    late.write_text("y = 1\n")
    source = gather(tmp_path, [script])
    opened = Identity({"source": source.facts()})
    grown, labels = with_late_imports(opened, source.with_late([late]))
    assert labels == ("late.py",) and grown.id != opened.id
    assert with_late_imports(grown, source.with_late([late])) == (grown, ())
    late.write_text("y = 2\n")
    assert with_late_imports(grown, source.with_late([late]))[1] == ("late.py",)
