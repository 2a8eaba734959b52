"""Worker processes change no bit, survive what can be survived, and end when they should."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from loader_samples import (
    Documents,
    Failing,
    Pids,
    Quiet,
    Suicidal,
    Sums,
    Unknown,
    Views,
    augment,
    drawing_collate,
    is_chosen,
    is_kept,
    loader,
    noisy_document,
    recorded,
    shake,
    transposed,
)

from samerun.data.loader import Loader, Pack
from samerun.data.workers import RESTARTS
from samerun.errors import MissingError, UsageError

SAMPLES = Path(__file__).parent
CASES: dict[str, tuple[Any, dict[str, Any]]] = {
    "unknown code": (Unknown(10), {}),
    "a stream in the transform": (Quiet(10), {"transform": augment}),
    "global draws in the transform": (Quiet(10), {"transform": shake}),
    "a collate function that draws": (Quiet(10), {"collate": drawing_collate}),
    "odd layouts": (Views(10), {"collate": transposed}),
    "threads and dtype": (Sums(4), {}),
    "a filter": (Quiet(10), {"keep": is_kept}),
    "a filter that draws": (Quiet(10), {"keep": is_chosen, "transform": augment}),
    "packing": (Documents(10), {"pack": Pack(5, end=-1), "transform": noisy_document}),
    "columns with a transform": ((torch.arange(20.0).view(10, 2), np.arange(10)), {"transform": shake}),
}


@pytest.fixture
def made() -> Iterator[list[Loader]]:
    """Loaders of a test, ended after it."""
    loaders: list[Loader] = []
    yield loaders
    for one in loaders:
        one.close()


def leader(batches: Loader) -> int:
    pool = batches._pool
    assert pool is not None and pool.session is not None
    return pool.session.leader


def workers_of(batches: Loader) -> list[int]:
    return [pid for pid in group(leader(batches)) if pid != leader(batches)]


def group(leader: int) -> list[int]:
    found = []
    for entry in os.listdir("/proc"):
        try:
            if entry.isdecimal() and os.getpgid(int(entry)) == leader and _state(entry) != "Z":
                found.append(int(entry))
        except ProcessLookupError:
            continue
    return sorted(found)


def _state(pid: str) -> str:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return "Z"


def ended(leader: int, seconds: float = 10.0) -> bool:
    deadline = time.monotonic() + seconds
    while group(leader) and time.monotonic() < deadline:
        time.sleep(0.02)
    return not group(leader)


# -- equal bits --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", CASES)
def test_two_workers_give_the_same_table(made: list[Loader], case: str) -> None:
    dataset, options = CASES[case]
    wanted = recorded(made, dataset, 3, 9, **options)
    assert recorded(made, dataset, 3, 9, num_workers=2, **options) == wanted


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("num_workers", [1, 4])
@pytest.mark.parametrize("prefetch", [1, 3, 8])
def test_any_number_of_workers_and_prefetch_give_the_same_table(
    made: list[Loader], case: str, num_workers: int, prefetch: int
) -> None:
    dataset, options = CASES[case]
    wanted = recorded(made, dataset, 3, 9, **options)
    assert recorded(made, dataset, 3, 9, num_workers=num_workers, prefetch=prefetch, **options) == wanted


def test_a_resume_with_workers_goes_on_the_same_before_and_after_the_first_batch(made: list[Loader]) -> None:
    whole = recorded(made, Unknown(10), 4, 9)
    batches = loader(Unknown(10), 4, num_workers=2, prefetch=4)
    made.append(batches)
    for cut in (5, 0, 2, 3):
        batches.load_state_dict(whole[cut][4])
        assert batches.state_dict() == whole[cut][4]
        assert [next(batches)[0].tolist() for _ in range(3)] == [row[1] for row in whole[cut + 1 : cut + 4]]


def test_settings_of_torch_reach_the_workers(made: list[Loader]) -> None:
    torch.set_default_dtype(torch.float64)
    try:
        batches = loader(Sums(4), 2, num_workers=1)
        made.append(batches)
        assert next(batches)[0].dtype == torch.float64
    finally:
        torch.set_default_dtype(torch.float32)


def test_a_default_process_is_the_parent_and_workers_take_turns(made: list[Loader]) -> None:
    assert set(next(loader(Pids(6), 6)).tolist()) == {os.getpid()}
    batches = loader(Pids(6), 2, num_workers=2)
    made.append(batches)
    first, second, third = (set(next(batches).tolist()) for _ in range(3))
    assert first == third != second and os.getpid() not in first | second


# -- trouble -----------------------------------------------------------------------------------------------------------


def test_a_killed_worker_is_replaced_and_nothing_changes(made: list[Loader]) -> None:
    wanted = recorded(made, Unknown(30), 3, 12)
    told: list[str] = []
    rows: list[Any] = []
    batches = loader(
        Unknown(30),
        3,
        num_workers=2,
        on_restart=told.append,
        on_batch=lambda note: rows.append((note.epoch, note.digest)),
    )
    made.append(batches)
    for number in range(12):
        if number == 4:
            os.kill(workers_of(batches)[-1], signal.SIGKILL)
        if number == 8:
            os.killpg(leader(batches), signal.SIGKILL)
        next(batches)
    assert rows == [(row[0], row[2]) for row in wanted]
    assert batches.restarts == 2 and "SIGKILL" in told[0]


def test_a_worker_that_dies_in_an_item_once_is_replaced(made: list[Loader], tmp_path: Path) -> None:
    batches = loader(Suicidal(9, tmp_path / "once"), 3, num_workers=1, shuffle=False)
    made.append(batches)
    assert [next(batches)[1].tolist() for _ in range(3)] == [[0, 1, 2], [3, 4, 5], [6, 7, 8]]
    assert batches.restarts == 1


@pytest.mark.slow
def test_an_item_that_always_kills_is_a_clear_error(made: list[Loader]) -> None:
    batches = loader(Suicidal(9), 3, num_workers=1, shuffle=False)
    made.append(batches)
    next(batches)
    with pytest.raises(MissingError, match="SR-DATA-007") as caught:
        next(batches)
    assert batches.restarts == RESTARTS and "items 3, 4, 5 of epoch 0" in caught.value.evidence[-1]
    assert "SIGKILL" in caught.value.evidence[0] and batches.cursor == 3


def test_an_exception_in_user_code_is_raised_as_such_without_a_restart(made: list[Loader]) -> None:
    batches = loader(Failing(9), 3, num_workers=2, shuffle=False)
    made.append(batches)
    next(batches)
    for _ in range(2):
        with pytest.raises(KeyError, match="five is broken") as caught:
            next(batches)
        assert "while loading item 5 of epoch 0" in caught.value.__notes__
        assert any("in a worker process" in note for note in caught.value.__notes__)
    assert batches.restarts == 0 and batches.state_dict()["cursor"] == 3


def test_code_that_cannot_be_sent_is_refused_at_once() -> None:
    with pytest.raises(UsageError, match="SR-DATA-008"):
        loader(Quiet(9), 3, num_workers=1, transform=lambda item: item)


def test_a_module_that_workers_cannot_import_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "gone_soon.py").write_text("class Gone(list): pass\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    import gone_soon  # type: ignore[import-not-found]

    (tmp_path / "gone_soon.py").unlink()
    batches = loader(gone_soon.Gone([1, 2]), 1, num_workers=1)
    try:
        with pytest.raises(UsageError, match="SR-DATA-005") as caught:
            next(batches)
        assert "gone_soon" in str(caught.value)
    finally:
        batches.close()


SCRIPT = """
import sys
sys.path.insert(0, {samples!r})
from loader_samples import loader
class Mine:
    draws = "none"
    def __len__(self): return 6
    def __getitem__(self, index): return index * 2
def train():
    batches = loader(Mine(), 3, num_workers=1, shuffle=False)
    print([next(batches).tolist() for _ in range(2)], flush=True)
    batches.close()
"""


def script(tmp_path: Path, ending: str) -> subprocess.CompletedProcess[str]:
    path = tmp_path / "train.py"
    path.write_text(SCRIPT.format(samples=str(SAMPLES)) + ending)
    return subprocess.run([sys.executable, str(path)], capture_output=True, text=True, check=False, timeout=120)


def test_a_data_set_of_the_script_itself_works_under_a_main_guard(tmp_path: Path) -> None:
    done = script(tmp_path, "if __name__ == '__main__':\n    train()\n")
    assert done.stdout.strip() == "[[0, 2, 4], [6, 8, 10]]", done.stderr


def test_a_script_without_a_main_guard_is_told_what_to_do(tmp_path: Path) -> None:
    done = script(tmp_path, "train()\n")
    assert done.returncode == 1 and "SR-DATA-005" in done.stderr and "if __name__ == '__main__'" in done.stderr


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("case", ["a stream in the transform", "a filter"])
def test_interrupts_at_any_instant_hand_over_no_wrong_batch(made: list[Loader], case: str) -> None:
    dataset, options = CASES[case]
    epochs: list[int] = []
    wanted = loader(dataset, 3, **options, on_batch=lambda note: epochs.append(note.epoch))
    table: dict[tuple[int, int], str] = {}
    for _ in range(60):
        place = (wanted.epoch, wanted.cursor)
        table[place] = repr(next(wanted))
        # A filter's epoch may be over before its last item is read: then the next one begins at its first.
        table.setdefault((epochs[-1], 0), table[place])
    batches = loader(dataset, 3, num_workers=2, **options)
    made.append(batches)
    next(batches)
    delays = iter(np.random.Generator(np.random.Philox(key=3)).random(10_000).tolist())
    before = signal.signal(signal.SIGALRM, lambda *_: (_ for _ in ()).throw(KeyboardInterrupt()))
    good, deadline = 0, time.monotonic() + 20
    try:
        while time.monotonic() < deadline:
            if batches.epoch > 5:
                batches.load_state_dict({"epoch": 0, "cursor": 0, "items": 10})
            place = (batches.epoch, batches.cursor)
            try:
                delay = next(delays)
                signal.setitimer(signal.ITIMER_REAL, delay * (0.001 if delay < 0.2 else 0.5))
                batch = next(batches)
                signal.setitimer(signal.ITIMER_REAL, 0)
            except KeyboardInterrupt:
                continue
            assert repr(batch) == table[place]
            good += 1
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert good > 20


# -- signals and ends --------------------------------------------------------------------------------------------------

PARENT = """
import os, signal, sys, time
import numpy as np
from loader_samples import loader, Unknown
batches = loader(Unknown(1000), 3, num_workers=2, prefetch=4)
signal.signal(signal.SIGTERM, lambda *_: None)
signal.signal(signal.SIGINT, lambda *_: None)
next(batches)
print(batches._pool.session.leader, flush=True)
for line in sys.stdin:
    print([next(batches)[0].tolist() for _ in range(4)], batches.restarts, flush=True)
"""


@pytest.fixture
def parent() -> Iterator[tuple[subprocess.Popen[str], int]]:
    process = subprocess.Popen(
        [sys.executable, "-c", PARENT],
        env={**os.environ, "PYTHONPATH": str(SAMPLES)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stdout is not None and process.stdin is not None
    with process:
        yield process, int(process.stdout.readline())
        process.kill()


def batches_of(process: subprocess.Popen[str]) -> str:
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write("go\n")
    process.stdin.flush()
    return process.stdout.readline().strip()


def test_a_signal_to_the_whole_process_group_reaches_no_worker(parent: tuple[subprocess.Popen[str], int]) -> None:
    process, leader = parent
    before = group(leader)
    for number in (signal.SIGTERM, signal.SIGINT):
        os.killpg(process.pid, number)
    wanted = loader(Unknown(1000), 3)
    next(wanted)
    assert batches_of(process) == f"{[next(wanted)[0].tolist() for _ in range(4)]} 0"
    assert group(leader) == before and len(before) == 3
    assert all(os.getsid(pid) == leader != os.getsid(process.pid) for pid in before)


def test_workers_end_when_their_parent_is_killed(parent: tuple[subprocess.Popen[str], int]) -> None:
    process, leader = parent
    assert len(group(leader)) == 3
    process.kill()
    assert ended(leader)


def test_workers_end_when_the_loader_is_closed_or_forgotten(made: list[Loader]) -> None:
    batches = loader(Quiet(10), 3, num_workers=2)
    next(batches)
    session = leader(batches)
    batches.close()
    assert ended(session)
    wanted = recorded([], Quiet(10), 3, 2)[1][1]
    assert next(batches)[1].tolist() == wanted
    session = leader(batches)
    del batches
    assert ended(session)


def test_a_worker_has_one_thread_and_none_of_the_parents_files(made: list[Loader], tmp_path: Path) -> None:
    with open(tmp_path / "log", "w") as log:
        batches = loader(Quiet(10), 3, num_workers=1)
        made.append(batches)
        next(batches)
        worker = workers_of(batches)[-1]
        links = [os.readlink(f"/proc/{worker}/fd/{fd}") for fd in os.listdir(f"/proc/{worker}/fd")]
        assert log.name not in links
