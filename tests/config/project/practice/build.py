"""What builds the parts of the practice project."""

from practice.parts import MlpTable


def mlp(settings: MlpTable) -> tuple[int, ...]:
    return settings.hidden
