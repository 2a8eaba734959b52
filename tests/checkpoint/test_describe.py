"""What an index says of a component."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from samerun.checkpoint.chunks import write_chunk
from samerun.checkpoint.describe import describe
from samerun.checkpoint.store import list_steps
from samerun.checkpoint.write import write_checkpoint
from samerun.errors import DamageError
from samerun.state.digest import digest_leaves, digest_tree
from samerun.state.tree import pack


def test_each_component_has_its_digests_its_kind_and_its_pieces(tmp_path: Path) -> None:
    name = write_chunk(tmp_path, [1])
    net, pool = torch.nn.Linear(2, 2).state_dict(), {"names": [name]}
    facts = describe(tmp_path, {"net": pack(net), "pool": pack(pool)}, {"pool": [name]})
    assert facts["net"].digest == digest_tree(net) and facts["net"].leaves == digest_leaves(net)
    assert (facts["net"].is_module, facts["pool"].is_module) == (True, False)
    assert (facts["net"].chunks, facts["pool"].chunks) == ((), (name,))


def test_a_piece_that_was_never_written_cannot_be_named(tmp_path: Path) -> None:
    with pytest.raises(DamageError, match="never written"):
        write_checkpoint(tmp_path, 1, {"pool": pack([])}, identity="id", chunks={"pool": ["sha256:" + "0" * 64]})
    assert list_steps(tmp_path) == []
