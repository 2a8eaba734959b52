"""When a checkpoint is due."""

from samerun.run.cadence import Cadence


def test_a_step_cadence_is_due_at_its_multiples_only() -> None:
    cadence = Cadence(3, None)
    assert [n for n in range(1, 10) if cadence.is_due(n, 0, 0.0, 0.0)] == [3, 6, 9]


def test_nothing_is_due_at_a_boundary_that_is_saved() -> None:
    assert not Cadence(3, None).is_due(3, 3, 1e9, 0.0)
    assert not Cadence(None, 1.0).is_due(3, 3, 1e9, 0.0)


def test_a_time_cadence_waits_for_its_seconds() -> None:
    cadence = Cadence(None, 900.0)
    assert not cadence.is_due(5, 0, 899.0, 0.1)
    assert cadence.is_due(5, 0, 900.0, 0.1)


def test_saving_takes_at_most_a_twentieth_of_wall_time() -> None:
    cadence = Cadence(None, 10.0)
    assert not cadence.is_due(5, 0, 11.0, 2.0)
    assert cadence.is_due(5, 0, 40.0, 2.0)
