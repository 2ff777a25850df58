"""The command ``dimred TABLE``: says the verdict in three lines, and writes the report, and coordinates if asked."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from dimred_lessons.tables.columns import CLIP, KINDS, kinds_of
from dimred_lessons.tables.examination import examine
from dimred_lessons.tables.examination_of_distances import DistanceExamination
from dimred_lessons.tables.places import require_place, write_whole


def _parser():
    parser = argparse.ArgumentParser(
        prog="dimred",
        description="Examine a table: what its columns are, whether they have to do with each other, and which map "
        "shows it. Nothing leaves this machine.",
    )
    parser.add_argument("table", help="CSV, TSV, Excel or Parquet; also packed with gzip; or distances of objects")
    parser.add_argument("--color", metavar="NAME", help="a column that the maps show in color, and that is not used")
    parser.add_argument(
        "--column",
        metavar="NAME=KIND",
        action="append",
        default=[],
        help=f"what a column is, if the rules are wrong: {', '.join(KINDS)}, or its levels in order, S<M<L",
    )
    parser.add_argument("--leave-out", metavar="NAME", action="append", default=[], help="a column to leave out")
    parser.add_argument("--same-units", action="store_true", help="numbers have one unit, as pixels do")
    parser.add_argument("--no-clip", action="store_true", help="leave values as they are, however far")
    parser.add_argument("--copies", choices=["auto", "keep", "drop"], default="auto", help="rows that repeat others")
    parser.add_argument("--sheet", help="the sheet of a workbook")
    parser.add_argument("--random-state", type=int, default=0, metavar="SEED")
    parser.add_argument("--output", metavar="FILE", help="the report; TABLE-report.html if not given")
    parser.add_argument("--coordinates", metavar="FILE.csv", help="all rows on the map that the verdict names")
    parser.add_argument("--no-report", action="store_true", help="only the verdict")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command.

    Parameters
    ----------
    arguments : sequence of str, optional
        Those of the command line, if not given.

    Returns
    -------
    int
        0; 1 if the table cannot be examined, which one sentence on the standard error explains; 130 if interrupted.
    """
    given = _parser().parse_args(arguments)
    report = Path(given.output or _beside(given.table))
    try:
        files = _files(report, given)
        if Path(given.table).exists():
            for path, what in files.items():
                require_place(path, what)
                _require_another(path, what, given.table)
        kinds = dict(kinds_of(given.column)) | dict.fromkeys(given.leave_out, "leave out")
        examination = examine(
            given.table,
            color=given.color,
            kinds=kinds or None,
            same_units=given.same_units,
            clip=None if given.no_clip else CLIP,
            copies=given.copies,
            sheet=given.sheet or 0,
            maps=bool(files),
            random_state=given.random_state,
            progress=sys.stderr.isatty(),
        )
        coordinates = _coordinates(examination) if given.coordinates else ""
        print(examination.verdict)
        if coordinates:
            path = write_whole(Path(given.coordinates), coordinates, "coordinates")
            print(f"Coordinates on the map of {examination.maps[0].name}: {path}")
        if not given.no_report:
            print(f"Report: {examination.save(report)}")
    except KeyboardInterrupt:
        print("dimred: interrupted; nothing was written.", file=sys.stderr)
        return 130
    except (ValueError, OSError, ModuleNotFoundError) as wrong:
        print(f"dimred: {wrong}", file=sys.stderr)
        return 1
    return 0


def _files(report, given):
    """What is to be written, by its place."""
    files = {} if given.no_report else {report: "report"}
    if given.coordinates:
        if Path(given.coordinates) in files:
            raise OSError(f"{report} is the place of the report: choose another one for the coordinates.")
        files[Path(given.coordinates)] = "coordinates"
    return files


def _require_another(path, what, table):
    """Refuse a report or coordinates in the place of the table."""
    if path.exists() and path.samefile(table):
        raise OSError(f"{path} is the table itself: choose another place for the {what}.")


def _coordinates(examination):
    """All rows on the map that the verdict names, as CSV, each with its name."""
    if isinstance(examination, DistanceExamination):
        raise ValueError(f"{examination.table.name} holds distances, and coordinates are of columns: leave them out.")
    placed, names = examination.place(), examination.names_of_rows
    placed.insert(0, names.name, names.to_numpy(), allow_duplicates=True)
    return placed.to_csv(index=False)


def _beside(table):
    """The name of the report, in the folder of the table: penguins.csv.gz has penguins-report.html."""
    path = Path(table)
    return path.with_name(f"{path.name.partition('.')[0] or 'table'}-report.html")


if __name__ == "__main__":
    sys.exit(main())
