"""From a table of one's own to a map that can be trusted: one command, one report, one verdict.

``examine(table)`` reads a table, says what it did to every column, compares it with permuted tables, names what there
is, and draws it; ``dimred TABLE`` does so on the command line. It needs the extra ``tables``.
"""

from dimred_lessons.tables.chance import Chance, against_chance, halves, permuted_tables
from dimred_lessons.tables.columns import Column, Prepared, prepare
from dimred_lessons.tables.examination import Examination, examine
from dimred_lessons.tables.examination_of_distances import DistanceExamination
from dimred_lessons.tables.filling import Filling
from dimred_lessons.tables.maps import Map
from dimred_lessons.tables.reading import RawTable, read_table
from dimred_lessons.tables.shape import Curvature, Groups, curvature, dimension, find_groups

__all__ = [
    "Chance",
    "Column",
    "Curvature",
    "DistanceExamination",
    "Examination",
    "Filling",
    "Groups",
    "Map",
    "Prepared",
    "RawTable",
    "against_chance",
    "curvature",
    "dimension",
    "examine",
    "find_groups",
    "halves",
    "permuted_tables",
    "prepare",
    "read_table",
]
