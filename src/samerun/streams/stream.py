"""The door of this room: what the rest of samerun opens streams with. Made in named.py (one stream) and source.py."""

from __future__ import annotations

from samerun.streams.named import Stream
from samerun.streams.source import Streams, StreamSource

__all__ = ["Stream", "StreamSource", "Streams"]
