"""What the runs of a notebook say about each ✓, as red lines, lists and a table."""

from collections import Counter
from typing import NamedTuple


class Row(NamedTuple):
    """One ✓: where it is, and what became of it. Lists hold shifts, and names of mutants."""

    cell: int
    claim: str
    only_here: bool
    rests_on: str
    held: list
    false: list
    refuted: list  # the condition was false
    crashed: list  # its cell failed before it
    earlier: list  # its cell lacked what an earlier cell, which failed, should have left


class Audit:
    """All records of one notebook.

    Parameters
    ----------
    notebook : `audit.notebook.Notebook`
    samples : dict of int to record
        By shift; 0 are the seeds as they are.
    mutants : dict of str to record
        By name; those that can make a difference to this notebook.
    """

    def __init__(self, notebook, samples, mutants):
        self.notebook, self.samples, self.mutants = notebook, samples, mutants
        self.shifts = sorted(set(samples) - {0})
        self.rows = self._rows()

    def _rows(self):
        records = {**{shift: self.samples[shift] for shift in sorted(self.samples)}, **self.mutants}
        claims, outcomes = {}, {}
        for name, record in records.items():
            for claim in record["claims"]:
                key = (claim["cell"], *claim["line"], claim["nth"])
                if name in self.samples:
                    claims.setdefault(key, claim)
                outcomes[name, key] = claim["held"]
        rows = []
        for key, claim in sorted(claims.items(), key=lambda item: item[0][0]):
            fate = {name: outcomes.get((name, key)) for name in records}
            missing = {name: self._missing(self.mutants[name], key[0]) for name in self.mutants if fate[name] is None}
            rows.append(
                Row(
                    cell=self.notebook.cells[key[0]].place,
                    claim=claim["text"],
                    only_here=claim["here"],
                    rests_on=self._rests_on(*key[1:3]),
                    held=[shift for shift in self.samples if fate[shift]],
                    false=[shift for shift in self.samples if fate[shift] is False],
                    refuted=[name for name in self.mutants if fate[name] is False],
                    crashed=[name for name in missing if missing[name] == "crashed"],
                    earlier=[name for name in missing if missing[name] == "earlier"],
                )
            )
        return rows

    def _missing(self, record, cell):
        """Why a claim was not reached: its cell failed, or an earlier one did."""
        crash = record["cells"].get(str(cell), {}).get("crash")
        before = any(other["crash"] for number, other in record["cells"].items() if int(number) < cell)
        return "earlier" if crash and crash.startswith("NameError") and before else "crashed"

    def _rests_on(self, cell, line):
        for number, first, last, source in self.notebook.sources_of_claims:
            if number == cell and first <= line <= last:
                return source
        return "nothing"

    # ---------------------------------------------------------------------------------------------------
    # What is wrong

    def red_lines(self):
        """Claims that fail for other samples, and cells that crash."""
        lines = []
        for row in self.rows:
            # A claim that is "only here" has to hold here
            false = [shift for shift in row.false if shift == 0 or not row.only_here]
            if false:
                lines.append((row.cell, f"cell {row.cell} ✓ {row.claim}: false {_under(false)}"))
        return [line for _, line in sorted(lines + self._crashes(), key=lambda item: item[0])]

    def _crashes(self):
        lines = []
        for number, cell in enumerate(self.notebook.cells):
            seen = {s: record["cells"][str(number)]["crash"] for s, record in self.samples.items()}
            crashed = [shift for shift in sorted(seen) if seen[shift]]
            if crashed:
                lines.append((cell.place, f"cell {cell.place} fails {_under(crashed)}: {_cut(seen[crashed[0]])}"))
        return lines

    def warned(self):
        """Cells that warn under a shift: the build of the book would stop."""
        lines = []
        for number, cell in enumerate(self.notebook.cells):
            seen = {s: record["cells"][str(number)]["warned"] for s, record in self.samples.items()}
            if warned := [shift for shift in sorted(seen) if seen[shift]]:
                lines.append(f"cell {cell.place} warns {_under(warned)}: {_cut(seen[warned[0]])}")
        return lines

    def refused(self):
        """Solutions of exercises that their own check refuses under a shift."""
        right = {(cell, name) for cell, name, said in self.samples[0]["verdicts"] if said == "correct"}
        lines = Counter()
        for record in self.samples.values():
            for cell, name, said in record["verdicts"]:
                if (cell, name) in right and said != "correct":
                    lines[f"cell {self.notebook.cells[cell].place}, {name}"] += 1
        return [f"{what}: the solution is refused under {count} shift(s)" for what, count in lines.items()]

    def unrefuted(self, *rests_on):
        """Claims that no mutant makes false, nor keeps from being reached."""
        return [r for r in self.rows if not r.refuted + r.crashed + r.earlier and r.rests_on in rests_on]

    def only_by_crashes(self):
        return [row for row in self.rows if row.crashed + row.earlier and not row.refuted]

    def troubles_of_the_sketch(self):
        """What fails in the shortened run with the right package: the audit's fault, not the book's."""
        known = {line for row in self.rows for line in [row.claim] if 0 in row.false}
        found = {trouble for record in self.mutants.values() for trouble in record.get("control", [])}
        crashes = {f"cell {n}: {cell['crash']}" for n, cell in self.samples[0]["cells"].items() if cell["crash"]}
        return sorted(found - known - crashes)

    # ---------------------------------------------------------------------------------------------------
    # Text

    def summary(self):
        """The notebook in one line of the summary, by column."""
        stable = [row for row in self.rows if not row.only_here]
        return {
            "notebook": self.notebook.name,
            "✓": len(self.rows),
            "only here": len(self.rows) - len(stable),
            "fail": sum(bool(row.false) for row in stable),
            "cells that crash": len(self._crashes()),
            "mutants": len(self.mutants),
            "refuted": sum(bool(row.refuted) for row in self.rows),
            "by crashes": len(self.only_by_crashes()),
            "by none": len(self.unrefuted("method", "metric")),
            "by none, no method": len(self.unrefuted("data", "nothing")),
            "seconds a run": f"{self._seconds(self.samples)} / {self._seconds(self.mutants)}",
        }

    @staticmethod
    def _seconds(records):
        spent = [record["seconds"] for record in records.values()]
        return f"{sum(spent) / len(spent):.1f}" if spent else "–"

    def lists(self):
        """Everything that a person has to look at: (heading, lines)."""
        kinds = [
            ("RED: false or failing", self.red_lines()),
            ("Warnings", self.warned()),
            ("Exercises", self.refused()),
        ]
        if self.mutants:
            kinds += [
                ("Rests on a method, refuted by no mutant", _places(self.unrefuted("method", "metric"))),
                ("Refuted by crashes only", _places(self.only_by_crashes())),
                (
                    "Rests on data or on nothing of the package, refuted by no mutant",
                    _places(self.unrefuted("data", "nothing")),
                ),
                ("Mutants that refute nothing here", self._idle()),
                ("The audit's own shortcuts fail", self.troubles_of_the_sketch()),
            ]
        return [(heading, lines) for heading, lines in kinds if lines]

    def _idle(self):
        busy = {name for row in self.rows for name in row.refuted + row.crashed + row.earlier}
        return [name for name in self.mutants if name not in busy]

    def table(self):
        """Every ✓ with what became of it, as Markdown."""
        lines = [
            "| cell | ✓ | held | rests on | refuted (false) | its cell crashed | an earlier cell crashed |",
            "|---|---|---|---|---|---|---|",
        ]
        for row in self.rows:
            claim = ("here: " if row.only_here else "") + row.claim.replace("|", "\\|")
            lines.append(
                f"| {row.cell} | {claim} | {self.held(row)} | {row.rests_on} | {', '.join(row.refuted)} "
                f"| {', '.join(row.crashed)} | {', '.join(row.earlier)} |"
            )
        return lines

    def plain_table(self):
        """The same for a terminal, with numbers of mutants in place of names."""
        lines = [f"{'cell':>4} {'held':>6} {'false':>6} {'crash':>6}  {'rests on':8}  ✓"]
        for row in self.rows:
            crashes = len(row.crashed) + len(row.earlier)
            claim = ("here: " if row.only_here else "") + row.claim
            counts = f"{row.cell:4} {self.held(row):>6} {len(row.refuted):6} {crashes:6}"
            lines.append(f"{counts}  {row.rests_on:8}  {claim}")
        return lines

    def held(self, row):
        """How often a ✓ held in other samples."""
        return f"{sum(shift != 0 for shift in row.held)}/{len(self.shifts)}" if self.shifts else "–"

    def markdown(self):
        """The whole audit of the notebook."""
        lines = [f"# {self.notebook.name}", "", *columns([self.summary()])]
        for heading, found in self.lists():
            lines += ["", f"## {heading}", "", *(f"- {line}" for line in found)]
        return "\n".join([*lines, "", "## Every ✓", "", *self.table(), ""])

    def as_data(self):
        """The whole audit of the notebook, for programs."""
        return {
            "summary": self.summary(),
            "shifts": self.shifts,
            "mutants": list(self.mutants),
            "claims": [row._asdict() for row in self.rows],
            "lists": dict(self.lists()),
            "seconds": {str(name): r["seconds"] for name, r in (self.samples | self.mutants).items()},
        }


def columns(summaries):
    """Summaries of notebooks as a Markdown table."""
    names = list(summaries[0])
    rows = [names, ["---"] * len(names), *([str(one[name]) for name in names] for one in summaries)]
    return ["| " + " | ".join(row) + " |" for row in rows]


def _places(rows):
    return [f"cell {row.cell} ✓ {row.claim}" for row in rows]


def _under(shifts):
    seeds = ["the seeds as they are"] if 0 in shifts else []
    others = ", ".join(str(shift) for shift in sorted(shifts) if shift)
    return " and ".join([*(f"under {s}" for s in seeds), *([f"under shift {others}"] if others else [])])


def _cut(text):
    text = text.partition("\n")[0]
    return text if len(text) < 150 else f"{text[:149]}…"
