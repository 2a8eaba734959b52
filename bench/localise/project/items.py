"""The data set of the loop with loader workers, and what is random about its items."""


class Items:
    """Rows by index, in order; the second of each pair is its number."""

    draws = "none"

    def __init__(self, rows):
        self.rows = rows

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        return self.rows[index], index


class Shift:
    """Shift an item at random. Item 51 (the fourth of step 6) may be treated in another way."""

    draws = "stream"

    def __init__(self, odd_item, odd_draw):
        self.odd_item, self.odd_draw = odd_item, odd_draw

    def __call__(self, pair, stream):
        row, index = pair
        moved = row + float(stream.uniform()) * 0.1
        if index == 51 and self.odd_item:
            moved = moved * 2  # line: odd item
        if index == 51 and self.odd_draw:
            stream.uniform()
        return moved, index
