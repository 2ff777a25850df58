"""Write the question bank into _build/questions, or that of one chapter: python -m questions [07_isomap]."""

import shutil
import sys
from contextlib import closing
from pathlib import Path

sys.path.append(str(Path(__file__).parents[2] / "_ext"))
from formulas import MATHML, Typesetter
from questions import FILES, FOLDER, bank, gift, moodle, qti12, qti21
from sources import ROOT


def main(chapter=None):
    """Make the files, and say what is in them."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    parts = bank.parts(chapter)
    if not parts:
        raise SystemExit(f"There is no chapter {chapter}: name a notebook, such as 07_isomap.")
    contents = (
        moodle.written(bank.by_category(parts)),
        gift.written(bank.by_category(parts)),
        qti12.written(bank.by_quiz(parts)),
        _qti21(bank.all_items(parts), bank.by_quiz(parts)),
    )
    for name, content in zip(FILES, contents, strict=True):
        (FOLDER / name).write_bytes(content)
    print(said(parts))
    print(f"The files are in {FOLDER}: {', '.join(FILES)}.")


def _qti21(items, quizzes):
    typeset = ROOT / "_build" / "formulas.sqlite"  # of the pages, if they were built
    kept = FOLDER / "formulas.sqlite"
    if typeset.exists() and not kept.exists():
        shutil.copy(typeset, kept)
    typesetter = Typesetter(kept)
    with closing(typesetter.kept), closing(typesetter):  # what was typeset is kept before its file is closed
        return qti21.Writer(lambda tex, display: MATHML.search(typesetter.html(tex, display))[0]).written(
            items, quizzes
        )


def said(parts):
    """What is in the bank, in a few lines."""
    kinds = [*bank.KINDS, "on_data"]
    quiz, exercises, results, on_data = (sum(len(getattr(part, kind)) for part in parts) for kind in kinds)
    families = [several for part in parts for several in part.variants.values()]
    lines = [
        f"Questions of quizzes: {quiz}. Exercises: {exercises}. {bank.RESULTS}: {results}.",
        f"With variants: {len(families)}, {sum(map(len, families))} in all. With the notebook only: {on_data}.",
    ]
    if left_out := [name for part in parts for name in part.left_out]:
        lines.append(f"Left out, as several answers are right: {', '.join(left_out)}.")
    return "\n".join(lines)


if __name__ == "__main__":
    main(*sys.argv[1:2])
