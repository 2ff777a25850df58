"""What the runs of a notebook say about each ✓, as red lines, lists and a table."""

from collections import Counter
from typing import NamedTuple


class Row(NamedTuple):
    """One ✓: where it is, and what became of it. Lists hold samples, and names of mutants."""

    cell: int
    claim: str
    only_here: bool
    rests_on: str
    held: list
    false: list
    refuted: list  # the condition was false
    crashed: list  # its cell failed before it
    earlier: list  # its cell lacked what an earlier cell, which failed, should have left

    @property
    def totals(self):
        """In how many samples a ✓ was tried, besides the seeds as they are, and in how many of them it was false."""
        held, false = (sum(sample != 0 for sample in samples) for samples in (self.held, self.false))
        return held + false, false


class Audit:
    """All records of one notebook.

    Parameters
    ----------
    notebook : `audit.notebook.Notebook`
    samples : dict of int to record
        By number; 0 are the seeds as they are.
    mutants : dict of str to record
        By name; those that can make a difference to this notebook.
    """

    def __init__(self, notebook, samples, mutants):
        self.notebook, self.samples, self.mutants = notebook, samples, mutants
        self.drawn = sorted(set(samples) - {0})
        self.rows = self._rows()

    def _rows(self):
        records = {**{sample: self.samples[sample] for sample in sorted(self.samples)}, **self.mutants}
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
                    held=[sample for sample in self.samples if fate[sample]],
                    false=[sample for sample in self.samples if fate[sample] is False],
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
            false = [sample for sample in row.false if sample == 0 or not row.only_here]
            if false:
                lines.append((row.cell, f"cell {row.cell} ✓ {row.claim}: false {self._in(false)}"))
        return [line for _, line in sorted(lines + self._crashes(), key=lambda item: item[0])]

    def _crashes(self):
        lines = []
        for number, cell in enumerate(self.notebook.cells):
            seen = {s: record["cells"][str(number)]["crash"] for s, record in self.samples.items()}
            crashed = [sample for sample in sorted(seen) if seen[sample]]
            if crashed:
                lines.append((cell.place, f"cell {cell.place} fails {self._in(crashed)}: {_cut(seen[crashed[0]])}"))
        return lines

    def _in(self, samples):
        """Where something is wrong, and in how many of the samples that were tried."""
        drawn = [sample for sample in samples if sample]
        where = ["with the seeds as they are"] if 0 in samples else []
        if drawn:
            where.append(f"in sample {', '.join(map(str, drawn))} ({len(drawn)} of {len(self.drawn)})")
        return " and ".join(where)

    def warned(self):
        """Cells that warn in a sample: the build of the book would stop."""
        lines = []
        for number, cell in enumerate(self.notebook.cells):
            seen = {s: record["cells"][str(number)]["warned"] for s, record in self.samples.items()}
            if warned := [sample for sample in sorted(seen) if seen[sample]]:
                lines.append(f"cell {cell.place} warns {self._in(warned)}: {_cut(seen[warned[0]])}")
        return lines

    def refused(self):
        """Solutions of exercises that their own check refuses in a sample."""
        right = {(cell, name) for cell, name, said in self.samples[0]["verdicts"] if said == "correct"}
        lines = Counter()
        for record in self.samples.values():
            for cell, name, said in record["verdicts"]:
                if (cell, name) in right and said != "correct":
                    lines[f"cell {self.notebook.cells[cell].place}, {name}"] += 1
        tried = f"of {len(self.samples)} samples"
        return [f"{what}: the solution is refused in {count} {tried}" for what, count in lines.items()]

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
            "samples": len(self.drawn),
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
            "| cell | ✓ | samples | false | rests on | refuted (false) | its cell crashed | an earlier cell crashed |",
            "|---|---|---|---|---|---|---|---|",
        ]
        for row in self.rows:
            claim = ("here: " if row.only_here else "") + row.claim.replace("|", "\\|")
            tried, false = row.totals
            lines.append(
                f"| {row.cell} | {claim} | {tried} | {false} | {row.rests_on} | {', '.join(row.refuted)} "
                f"| {', '.join(row.crashed)} | {', '.join(row.earlier)} |"
            )
        return lines

    def plain_table(self):
        """The same for a terminal, with numbers of mutants in place of names."""
        lines = [f"{'cell':>4} {'samples':>7} {'false':>6} {'refuted':>7} {'crash':>6}  {'rests on':8}  ✓"]
        for row in self.rows:
            crashes = len(row.crashed) + len(row.earlier)
            claim = ("here: " if row.only_here else "") + row.claim
            tried, false = row.totals
            counts = f"{row.cell:4} {tried:7} {false:6} {len(row.refuted):7} {crashes:6}"
            lines.append(f"{counts}  {row.rests_on:8}  {claim}")
        return lines

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
            "samples": self.drawn,
            "mutants": list(self.mutants),
            "claims": [row._asdict() for row in self.rows],
            "lists": dict(self.lists()),
            "seconds": {str(name): r["seconds"] for name, r in (self.samples | self.mutants).items()},
        }


def is_red(record):
    """Whether something in the record of a sample is false that should be true of all samples, or fails."""
    false = any(not claim["held"] and not claim["here"] for claim in record["claims"])
    return false or any(cell["crash"] for cell in record["cells"].values())


def columns(summaries):
    """Summaries of notebooks as a Markdown table."""
    names = list(summaries[0])
    rows = [names, ["---"] * len(names), *([str(one[name]) for name in names] for one in summaries)]
    return ["| " + " | ".join(row) + " |" for row in rows]


def _places(rows):
    return [f"cell {row.cell} ✓ {row.claim}" for row in rows]


def _cut(text):
    text = text.partition("\n")[0]
    return text if len(text) < 150 else f"{text[:149]}…"
