"""What a command asks of the next run."""

from pathlib import Path

from samerun.run.launch import LaunchOptions, current_options, launching, note_opened, note_trained, steps_trained


def test_options_hold_inside_the_block_only() -> None:
    with launching(LaunchOptions(name="x", stop_after=3)):
        assert current_options().stop_after == 3
    assert current_options() == LaunchOptions()


def test_steps_count_from_the_newest_opening_of_a_run(tmp_path: Path) -> None:
    assert steps_trained(tmp_path) == 0
    note_opened(tmp_path)
    note_trained(tmp_path, 5)
    assert steps_trained(tmp_path) == 5
    note_opened(tmp_path)
    assert steps_trained(tmp_path) == 0
