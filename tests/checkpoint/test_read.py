"""Reading: every byte counts. Whatever is changed in any file is an error that names the file and the reason."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from samerun.base.sealed import seal
from samerun.checkpoint.read import Checkpoint, read_checkpoint
from samerun.checkpoint.write import write_checkpoint
from samerun.errors import DamageError, NoMatchError
from samerun.state.digest import digest_tree
from samerun.state.tree import pack

FILES = ["checkpoint.json", "state.json", "model.safetensors", "data.safetensors"]


def state() -> dict[str, Any]:
    base = torch.arange(8.0)
    return {"a": torch.ones(4), "b": torch.arange(4.0), "half": torch.ones(3).bfloat16(), "v": [base[:5], base[3:]]}


def data() -> dict[str, Any]:
    return {"order": np.arange(6), "words": np.array(["a", "bc"]), "epoch": 3, "rate": 0.1, "none": None}


@pytest.fixture(scope="module")
def pristine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    components = {"model": pack(state()), "data": pack(data()), "values": pack({"n": 1})}
    folder = tmp_path_factory.mktemp("checkpoints")
    return write_checkpoint(folder, 12, components, identity="id", logs={"m": {"bytes": 3}}, extra={"x": None}).path


@pytest.fixture
def copy(pristine: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(pristine, tmp_path / pristine.name))


def refused(path: Path, *words: str) -> DamageError:
    with pytest.raises(DamageError) as caught:
        read_checkpoint(path)
    text = str(caught.value)
    assert all(word in text for word in words), text
    return caught.value


def test_what_was_saved_is_what_is_read(copy: Path) -> None:
    read = read_checkpoint(copy)
    assert digest_tree(read.tree("model")) == digest_tree(state()) == read.digests["model"]
    assert digest_tree(read.tree("data")) == digest_tree(data())
    assert (read.step, read.identity, read.logs, read.extra) == (12, "id", {"m": {"bytes": 3}}, {"x": None})
    assert list(read.leaf_digests["data"]) == sorted(data()) and set(read.trees()) == {"model", "data", "values"}


def test_sharing_survives_the_file(copy: Path) -> None:
    tree = read_checkpoint(copy).tree("model")
    tree["v"][0][4] = 99
    assert tree["v"][1][1] == 99


def test_tensors_lie_in_memory_of_their_own_aligned_for_any_kernel(copy: Path) -> None:
    tree = read_checkpoint(copy).tree("model")
    assert all(tree[name].data_ptr() % 64 == 0 for name in ("a", "b", "half"))


@pytest.mark.parametrize("name", FILES)
def test_a_flipped_bit_anywhere_is_named_with_its_file(name: str, copy: Path) -> None:
    whole = (copy / name).read_bytes()
    for at in sorted({*range(0, len(whole), max(len(whole) // 40, 1)), len(whole) - 1, len(whole) - 2}):
        for bit in (0, 5, 7):
            changed = bytearray(whole)
            changed[at] ^= 1 << bit
            (copy / name).write_bytes(changed)
            refused(copy, f"step-00000012/{name}")
    (copy / name).write_bytes(whole)
    assert read_checkpoint(copy).step == 12


@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
def test_every_bit_of_every_byte_counts(name: str, copy: Path) -> None:
    whole = (copy / name).read_bytes()
    for at in range(len(whole)):
        for bit in range(8):
            changed = bytearray(whole)
            changed[at] ^= 1 << bit
            (copy / name).write_bytes(changed)
            refused(copy, f"step-00000012/{name}")


@pytest.mark.parametrize("name", FILES)
def test_a_shortened_lengthened_emptied_or_missing_file_is_named(name: str, copy: Path) -> None:
    whole = (copy / name).read_bytes()
    for content in (whole[:-1], whole[: len(whole) // 2], b"", whole + b"\n", whole + b"\0", whole * 2):
        (copy / name).write_bytes(content)
        refused(copy, f"step-00000012/{name}")
    (copy / name).unlink()
    refused(copy, f"step-00000012/{name}", "missing")


def test_two_tensors_of_equal_shape_that_change_places_are_seen(copy: Path) -> None:
    path = copy / "model.safetensors"
    whole, a, b = path.read_bytes(), np.ones(4, "<f4").tobytes(), np.arange(4, dtype="<f4").tobytes()
    assert whole.count(a) == 1 and whole.count(b) >= 1
    at_a, at_b = whole.index(a), whole.index(b)
    changed = bytearray(whole)
    changed[at_a : at_a + 16], changed[at_b : at_b + 16] = b, a
    path.write_bytes(changed)
    refused(copy, "model.safetensors", "not those that were written")


def test_the_files_of_two_components_that_change_places_are_seen(copy: Path) -> None:
    one, other, spare = copy / "model.safetensors", copy / "data.safetensors", copy / "spare"
    one.rename(spare), other.rename(one), spare.rename(other)
    refused(copy, "safetensors")


@pytest.mark.parametrize(("name", "old", "new"), [
    ("state.json", b'["epoch",3]', b'["epoch",4]'),
    ("state.json", b'"float":"0.1"', b'"float":"0.2"'),
    ("checkpoint.json", b'"step":12', b'"step":13'),
    ("checkpoint.json", b'"bytes":3', b'"bytes":4'),
    ("checkpoint.json", b'"identity":"id"', b'"identity":"ie"'),
    ("checkpoint.json", b'"format":1', b'"format":2'),
])  # fmt: skip
def test_an_edited_number_in_json_is_seen(name: str, old: bytes, new: bytes, copy: Path) -> None:
    whole = (copy / name).read_bytes()
    assert whole.count(old) >= 1
    (copy / name).write_bytes(whole.replace(old, new, 1))
    refused(copy, f"step-00000012/{name}")


def resealed(copy: Path, change: Callable[[dict[str, Any]], None]) -> None:
    """An attacker, or a well-meaning editor, who repairs the digest of the index."""
    document = json.loads((copy / "checkpoint.json").read_bytes())
    del document["digest"]
    change(document)
    (copy / "checkpoint.json").write_bytes(seal(document))


def test_removing_a_digest_is_not_a_way_round_it(copy: Path) -> None:
    for name in ("checkpoint.json", "state.json"):
        whole = (copy / name).read_bytes()
        document = json.loads(whole)
        del document["digest"]
        (copy / name).write_text(json.dumps(document))
        refused(copy, name)
        (copy / name).write_bytes(whole)
    resealed(copy, lambda d: d["files"]["model.safetensors"].pop("sha256"))
    refused(copy, "checkpoint.json")


HOSTILE: dict[str, Callable[[dict[str, Any]], None]] = {
    "a path upwards": lambda d: d["files"].update({"../../etc/passwd": {"size": 1, "sha256": "sha256:" + "0" * 64}}),
    "an absolute path": lambda d: d["files"].update({"/etc/passwd": {"size": 1, "sha256": "sha256:" + "0" * 64}}),
    "a component upwards": lambda d: d["components"].update({"../x": d["components"]["model"]}),
    "an empty component": lambda d: d["components"].update({"": d["components"]["model"]}),
    "a chunk upwards": lambda d: d["components"]["model"].update(chunks=["../../x"]),
    "chunks that are none": lambda d: d["components"]["model"].update(chunks=7),
    "no components": lambda d: d.pop("components"),
    "components that are none": lambda d: d.update(components=[1]),
    "no files": lambda d: d.update(files={}),
    "a negative size": lambda d: d["files"]["state.json"].update(size=-1),
    "a size that is text": lambda d: d["files"]["state.json"].update(size="9"),
    "another step": lambda d: d.update(step=13),
    "a later format": lambda d: d.update(format=2),
    "no format": lambda d: d.pop("format"),
    "a digest that is none": lambda d: d["components"]["model"].update(digest="xxh3:00"),
    "another digest": lambda d: d["components"]["model"].update(digest="xxh3:" + "0" * 32),
    "one component less": lambda d: d["components"].pop("values"),
    "a file less": lambda d: d["files"].pop("model.safetensors"),
    "logs that are none": lambda d: d.update(logs=[]),
    "an identity that is none": lambda d: d.update(identity=None),
}


@pytest.mark.parametrize("name", sorted(HOSTILE))
def test_an_index_with_a_right_digest_and_a_wrong_word_is_refused(name: str, copy: Path) -> None:
    resealed(copy, HOSTILE[name])
    refused(copy, "step-00000012/")


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("kind", ["link", "folder", "fifo"])
def test_a_link_a_folder_or_a_pipe_in_place_of_a_file_is_refused(kind: str, name: str, copy: Path) -> None:
    (copy / name).rename(copy.parent / "elsewhere")
    if kind == "link":
        (copy / name).symlink_to(copy.parent / "elsewhere")
    elif kind == "folder":
        (copy / name).mkdir()
    else:
        os.mkfifo(copy / name)
    refused(copy, f"step-00000012/{name}")


def test_a_link_in_place_of_the_folder_is_refused(copy: Path, tmp_path: Path) -> None:
    copy.rename(tmp_path / "elsewhere")
    copy.symlink_to(tmp_path / "elsewhere")
    refused(copy, "link")


def test_a_folder_with_another_name_is_not_the_checkpoint_of_that_name(copy: Path) -> None:
    refused(copy.rename(copy.with_name("step-00000013")), "step")
    refused(copy.with_name("step-00000013").rename(copy.with_name("step-12")), "eight digits")


def test_a_folder_that_is_not_there_is_no_match(tmp_path: Path) -> None:
    with pytest.raises(NoMatchError, match="SR-CHECKPOINT-020"):
        read_checkpoint(tmp_path / "step-00000001")
    (tmp_path / "step-00000002").write_text("a file")
    with pytest.raises(NoMatchError):
        read_checkpoint(tmp_path / "step-00000002")


def rewritten_state(copy: Path, change: Callable[[dict[str, Any]], None]) -> None:
    """Somebody who rewrites state.json and repairs every digest that names it."""
    import hashlib

    document = json.loads((copy / "state.json").read_bytes())
    del document["digest"]
    change(document)
    data = seal(document)
    (copy / "state.json").write_bytes(data)
    facts = {"size": len(data), "sha256": f"sha256:{hashlib.sha256(data).hexdigest()}"}
    resealed(copy, lambda d: d["files"].update({"state.json": facts}))


FORGED: dict[str, Callable[[dict[str, Any]], None]] = {
    "a tensor of 2^60 elements": lambda d: _tensor(d)["shape"].__setitem__(0, 2**53 - 1),
    "a negative shape": lambda d: _tensor(d)["shape"].__setitem__(0, -4),
    "a shape of text": lambda d: _tensor(d)["shape"].__setitem__(0, "4"),
    "another dtype": lambda d: _tensor(d).update(dtype="float64"),
    "an unknown dtype": lambda d: _tensor(d).update(dtype="float7"),
    "an object array": lambda d: d["components"]["data"]["structure"]["dict"][0][1]["array"].update(dtype="|O"),
    "another name": lambda d: _tensor(d).update(at="../x"),
    "an unknown tag": lambda d: d["components"]["values"].update(structure={"call": "os.system"}),
    "another number": lambda d: d["components"]["values"].update(structure={"dict": [["n", 2]]}),
    "a slab of another size": lambda d: d["components"]["model"]["layout"]["~shared/0"].update(size=10),
    "no layout": lambda d: d["components"]["model"].pop("layout"),
    "a structure that is none": lambda d: d["components"].update(model=3),
    "nothing": lambda d: d.update(components=None),
    "a component more": lambda d: d["components"].update(more=d["components"]["values"]),
}


def _tensor(document: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = document["components"]["model"]["structure"]["dict"][0][1]["tensor"]
    return found


@pytest.mark.parametrize("name", sorted(FORGED))
def test_a_forged_structure_is_refused_without_traceback_or_memory(name: str, copy: Path) -> None:
    rewritten_state(copy, FORGED[name])
    refused(copy, "step-00000012/")


def test_a_second_reading_may_leave_out_the_digests_but_never_sizes_and_headers(copy: Path) -> None:
    path = copy / "model.safetensors"
    whole = bytearray(path.read_bytes())
    whole[-1] ^= 1
    path.write_bytes(whole)
    assert isinstance(read_checkpoint(copy, verify=False), Checkpoint)
    refused(copy, "model.safetensors")
    path.write_bytes(bytes(whole[:-1]))
    with pytest.raises(DamageError):
        read_checkpoint(copy, verify=False)


def test_other_files_beside_a_checkpoints_own_do_not_matter_to_reading(copy: Path) -> None:
    (copy / ".DS_Store").write_text("x")
    assert read_checkpoint(copy).step == 12
