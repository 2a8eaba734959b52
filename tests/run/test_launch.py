"""What a command asks of the next run."""

from samerun.run.launch import LaunchOptions, current_options, launching


def test_options_hold_inside_the_block_only() -> None:
    with launching(LaunchOptions(name="x", stop_after=3)):
        assert current_options().stop_after == 3
    assert current_options() == LaunchOptions()
