"""Nearly equal contents: texts by the shingles that they share, images by the bits of a perceptual hash.

Candidates come from an index (datasketch's MinHash LSH; bands of the hash); each is then measured exactly. What is
neither text nor an image, or cannot be had, is counted, not guessed at. Needs the extra `near`.
"""

from __future__ import annotations

import io
import re
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any, Final

from samerun.data.duplicates import Twins, twins
from samerun.data.entry import Entry
from samerun.errors import MissingError

if TYPE_CHECKING:
    from types import ModuleType

IMAGES: Final = (".png", ".jpg", ".jpeg", ".bmp", ".gif", ".webp", ".tif", ".tiff")
SHINGLE_WORDS: Final = 3
JACCARD: Final = 0.8
"""Two texts are near from this share of shingles in common on."""
_INDEX: Final = 0.6
"""What the index is asked for: lower, since it errs in both directions."""
_PERMUTATIONS: Final = 128
BITS: Final = 64
DISTANCE: Final = 4
"""Two images are near up to so many different bits of 64."""
_WORD: Final = re.compile(r"\w+")
Content = Callable[[Entry], bytes | str | None]


def near_duplicates(entries: Sequence[Entry], content: Content) -> tuple[tuple[Twins, ...], int]:
    """Return pairs of entries that are nearly equal (not equal), and how many were not looked at.

    `content` gives the bytes of a file or the text of an item, None for what cannot be had. The first entry of a
    content in a split stands for all of them. Raises MissingError SR-DATA-031 without the extra.
    """
    datasketch, imagehash, pillow = _libraries()
    texts: dict[str, frozenset[str]] = {}
    images: dict[str, int] = {}
    not_looked_at = 0
    for equal in _equal_ones(entries):
        name = equal[0].id
        data = next((data for entry in equal if (data := content(entry)) is not None), None)
        if isinstance(data, bytes) and _is_image(equal[0]):
            if (bits := _image_bits(data, imagehash, pillow)) is not None:
                images[name] = bits
        elif data is not None and (shingles := _shingles(data)) is not None:
            texts[name] = shingles
        not_looked_at += 0 if name in images or name in texts else len(equal)
    by_id = {entry.id: entry for entry in entries}
    found = [
        twins([by_id[one], by_id[other]], similarity, kind)
        for one, other, similarity, kind in sorted([*near_texts(texts, datasketch), *near_images(images)])
        if by_id[one].sha256 != by_id[other].sha256
    ]
    return tuple(found), not_looked_at


def _equal_ones(entries: Sequence[Entry]) -> list[list[Entry]]:
    """Put together what has one content, stands in one split, and is looked at in one way."""
    found: dict[tuple[str, str | None, bool], list[Entry]] = defaultdict(list)
    for entry in sorted(entries, key=lambda entry: entry.id):
        found[entry.sha256, entry.split, _is_image(entry)].append(entry)
    return list(found.values())


def _is_image(entry: Entry) -> bool:
    return entry.id.lower().endswith(IMAGES)


def _libraries() -> tuple[ModuleType, ModuleType, ModuleType]:
    try:
        import datasketch
        import imagehash
        from PIL import Image
    except ImportError as error:
        raise MissingError(
            "SR-DATA-031",
            "near duplicates need datasketch, imagehash and Pillow",
            evidence=[f"import: {error}"],
            do="pip install 'samerun[near]'",
        ) from error
    return datasketch, imagehash, Image


Pair = tuple[str, str, float, str]


def _shingles(data: bytes | str) -> frozenset[str] | None:
    """Return the word shingles of a text, None for what is none."""
    if isinstance(data, bytes):
        try:
            data = data.decode("utf-8-sig")
        except UnicodeDecodeError:
            return None
    words = _WORD.findall(data.lower())
    if not words or "\0" in data:
        return None
    count = max(len(words) - SHINGLE_WORDS + 1, 1)
    return frozenset(" ".join(words[place : place + SHINGLE_WORDS]) for place in range(count))


def near_texts(texts: Mapping[str, frozenset[str]], datasketch: Any) -> Iterator[Pair]:
    """Yield pairs of texts, given as shingles, that have the share JACCARD of them in common."""
    index = datasketch.MinHashLSH(threshold=_INDEX, num_perm=_PERMUTATIONS)
    for name, shingles in texts.items():
        sketch = datasketch.MinHash(num_perm=_PERMUTATIONS)
        sketch.update_batch([shingle.encode("utf-8", "surrogatepass") for shingle in sorted(shingles)])
        for other in index.query(sketch):
            similarity = len(shingles & texts[other]) / len(shingles | texts[other])
            if similarity >= JACCARD:
                one, two = sorted((name, other))
                yield one, two, round(similarity, 4), "text"
        index.insert(name, sketch)


def _image_bits(data: bytes, imagehash: Any, pillow: Any) -> int | None:
    try:
        # What Pillow thinks of a broken file is no message of ours, and names the folder that it is installed in.
        with warnings.catch_warnings(action="ignore"), pillow.open(io.BytesIO(data)) as image:
            return int(str(imagehash.phash(image)), 16)
    except (OSError, ValueError, SyntaxError, pillow.DecompressionBombError):
        return None


def near_images(images: Mapping[str, int]) -> Iterator[Pair]:
    """Yield pairs at most DISTANCE bits apart: of DISTANCE + 1 bands, one at least must be equal."""
    width = -(-BITS // (DISTANCE + 1))
    bands: dict[tuple[int, int], list[str]] = defaultdict(list)
    for name, bits in images.items():
        for band in range(DISTANCE + 1):
            bands[band, bits >> (band * width) & ((1 << width) - 1)].append(name)
    pairs = {tuple(sorted(pair)) for names in bands.values() for pair in combinations(names, 2)}
    for one, other in sorted(pairs):
        distance = (images[one] ^ images[other]).bit_count()
        if distance <= DISTANCE:
            yield one, other, round(1 - distance / BITS, 4), "image"
