"""report: one shape, or two side by side, as text."""

import shape

LONGEST = 10
SCREEN = 50  # lines


def _sizes(measures):
    return [measure.size for measure in measures.values()]


def _distribution(what, sizes):
    """[(words, number of each shape)]."""
    rows = [(what, [len(each) for each in sizes])]
    rows += [(f"  {words}", [shape.percentile(each, percent) for each in sizes])
             for words, percent in (("median", 50), ("90th percentile", 90), ("99th percentile", 99), ("largest", 100))]
    return rows


def _summary(shapes):
    functions = [_sizes(each.functions) for each in shapes]
    longer = [[size for size in each if size > 1] for each in functions]
    return [
        *_distribution("functions, and their lines", functions),
        (f"  longer than {SCREEN} lines", [sum(size > SCREEN for size in each) for each in functions]),
        *_distribution("functions of more than one line", longer),
        *_distribution("classes, and their public functions", [_sizes(each.classes) for each in shapes]),
        *_distribution("headers, and their lines", [_sizes(each.headers) for each in shapes]),
        *_distribution("folders, and their files", [_sizes(each.folders) for each in shapes]),
    ]


def _table(title, labels, rows):
    width = max([len(row[0]) for row in rows] + [len(title)])
    column = max(8, *(len(label) + 2 for label in labels))
    lines = [title.ljust(width) + "".join(label.rjust(column) for label in labels)]
    for name, numbers, *place in rows:
        line = name.ljust(width) + "".join(str("-" if number is None else number).rjust(column) for number in numbers)
        lines.append("  ".join([line, *filter(None, place)]))
    return "\n".join(lines) + "\n"


def _rows(sides, wanted):
    """Those of {name: measure} that are wanted on one side at least, with their sizes on each; the largest first."""
    names = {name for side in sides for name in wanted(side)}
    rows = []
    for name in names:
        found = [side.get(name) for side in sides]
        place = next(measure.place for measure in reversed(found) if measure)
        rows.append(("  " + name, [measure and measure.size for measure in found], place))
    return sorted(rows, key=lambda row: ([-(size or 0) for size in reversed(row[1])], row[0]))


def _above(limit):
    return lambda side: [name for name, measure in side.items() if measure.size > limit]


def _longest(side):
    return sorted(side, key=lambda name: -side[name].size)[:LONGEST]


def _grown(before, after):
    """What became of the functions that have kept their names."""
    kept = [(after[name].size - before[name].size, name) for name in after if name in before]
    longer = sorted((row for row in kept if row[0] > 0), key=lambda row: (-row[0], row[1]))
    words = (f"{len(kept)} functions have kept their names: {len(longer)} are longer now, "
             f"{sum(more < 0 for more, _ in kept)} shorter.")
    rows = [("  " + name, [before[name].size, after[name].size], after[name].place) for _, name in longer]
    return words, rows


def text(labels, shapes, all_of_it=False):
    """What there is to say of shapes with these labels, one or two of them."""
    def guide(limit):
        return _above(-1 if all_of_it else limit)

    def title(words, limit):
        return words if all_of_it else f"{words}: more than {limit}"

    pieces = [_table("", labels, _summary(shapes))]
    for words, limit, measures in (
            ("Public functions of a class", shape.PUBLIC_FUNCTIONS_MAX, [each.classes for each in shapes]),
            ("Lines of a header", shape.HEADER_LINES_MAX, [each.headers for each in shapes]),
            ("Files in a folder", shape.FOLDER_FILES_MAX, [each.folders for each in shapes])):
        pieces.append(_table(title(words, limit), labels, _rows(measures, guide(limit))))
    functions = [each.functions for each in shapes]
    pieces.append(_table("Lines of a function" if all_of_it else f"The {LONGEST} longest functions", labels,
                         _rows(functions, _above(0) if all_of_it else _longest)))
    if len(shapes) == 2:
        words, rows = _grown(*functions)
        pieces.append(words + "\n")
        if rows:
            shown = rows if all_of_it else rows[:LONGEST]
            pieces.append(_table("Those that grew" + " most" * (shown != rows), labels, shown))
    for label, each in zip(labels, shapes):
        pieces += [f"NOT COUNTED, {label}: {words}\n" for words in each.unreadable]
    return "\n".join(pieces)
