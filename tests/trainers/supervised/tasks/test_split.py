"""Which items are held out."""

from __future__ import annotations

from samerun.trainers.supervised.tasks.split import stratified_split

KEYS = [f"item {number}" for number in range(300)]
CLASSES = [str(number % 3 if number % 7 else 3) for number in range(300)]
FROZEN = {"train": [0, 3, 5, 7, 10, 11], "validation": [6, 8, 9], "test": [1, 2, 4]}


def held_out(keys: list[str], strata: list[str]) -> dict[str, set[str]]:
    split = stratified_split(keys, strata, 0.2, 0.1)
    return {name: {keys[position] for position in positions} for name, positions in split.items()}


def test_every_item_is_in_exactly_one_split() -> None:
    split = stratified_split(KEYS, CLASSES, 0.2, 0.1)
    everything = sorted(int(position) for positions in split.values() for position in positions)
    assert everything == list(range(300))


def test_the_split_does_not_depend_on_the_order_of_the_items() -> None:
    assert held_out(KEYS, CLASSES) == held_out(KEYS[::-1], CLASSES[::-1])


def test_each_class_is_held_out_alike() -> None:
    split = stratified_split(KEYS, CLASSES, 0.2, 0.1)
    for name, fraction in (("test", 0.2), ("validation", 0.1)):
        for label in set(CLASSES):
            members = sum(CLASSES[position] == label for position in split[name])
            assert members == round(CLASSES.count(label) * fraction)


def test_a_new_item_of_one_class_moves_no_item_of_another() -> None:
    before = held_out(KEYS, CLASSES)
    after = held_out([*KEYS, "item 300"], [*CLASSES, "0"])
    others = {key for key, label in zip(KEYS, CLASSES, strict=True) if label != "0"}
    for name, keys in before.items():
        assert keys & others == after[name] & others


def test_duplicates_stay_on_one_side() -> None:
    keys = [f"item {number // 3}" for number in range(90)]
    split = stratified_split(keys, ["a"] * 90, 0.3, 0.2)
    sides = [{keys[position] for position in positions} for positions in split.values()]
    assert sum(len(side) for side in sides) == len(set(keys))


def test_no_validation_share_is_no_validation_split() -> None:
    assert set(stratified_split(KEYS, CLASSES, 0.2, 0.0)) == {"train", "test"}


def test_the_split_is_frozen() -> None:
    split = stratified_split([str(number) for number in range(12)], ["a"] * 12, 0.25, 0.25)
    assert {name: positions.tolist() for name, positions in split.items()} == FROZEN
