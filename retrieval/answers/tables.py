"""Rows of a table that a question does not tell apart: they are quoted together. Pure."""

from collections.abc import Sequence
from dataclasses import replace

from retrieval.answers.selection import Scored
from retrieval.answers.units import LONGEST_LIST, ROW

ROWS_APART = 1 / 3  # of the best row's probability: another of its table that has more is not told apart from it


def with_near_rows(ranked: Sequence[Scored]) -> list[Scored]:
    """Where the best unit is a row of a table and another row comes near, with all of them, of a long table with those
    that come near: which of "6 months to 6 years" and "6 to 12 years" somebody of 8 is, words do not tell.
    """
    rows = rows_beside(ranked)
    near = [one for one in rows if one.probability >= ROWS_APART * ranked[0].probability]
    if len(near) < 2:
        return list(ranked)
    quoted = rows if sum(one.unit.end - one.unit.start for one in rows) <= LONGEST_LIST else near
    best = ranked[0].unit
    places = sorted((one.unit.start, one.unit.end) for one in quoted)
    before, behind = [one for one in places if one[0] < best.start], [one for one in places if one[0] > best.start]
    whole = replace(best, stems=(*best.stems, *before), after=(*best.after, *behind))
    return [replace(ranked[0], unit=whole), *ranked[1:]]


def rows_beside(ranked: Sequence[Scored]) -> list[Scored]:
    """The rows of the table that the best unit is a row of, in reading order."""
    if not ranked or not is_row(ranked[0]):
        return []
    best = ranked[0]
    section, stems = best.passage.section, best.unit.stems
    same = [one for one in ranked if one.passage.section == section and one.unit.stems == stems and is_row(one)]
    table: list[Scored] = []
    for row in sorted(same, key=lambda one: one.unit.start):
        if table and not follows(row, table[-1]):
            if best in table:
                break
            table = []
        table.append(row)
    return table


def follows(row: Scored, other: Scored) -> bool:
    """Whether nothing stands between but the names of their columns, which a page repeats: another table has other
    doses, though neither may name its columns.
    """
    text = row.passage.text
    return text[other.unit.end : row.unit.start].strip() in ("", *(text[slice(*stem)] for stem in row.unit.stems[-1:]))


def is_row(one: Scored) -> bool:
    return ROW.fullmatch(one.passage.text, one.unit.start, one.unit.end) is not None
