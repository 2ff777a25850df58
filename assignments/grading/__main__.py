"""The commands: python -m grading release | collect | grade | demo."""

import argparse
import os
import shutil
import sqlite3
import sys
from pathlib import Path

from sqlalchemy.exc import SQLAlchemyError
from tqdm import tqdm

from grading import marks, trivial
from grading.assignment import read, wrong_answers
from grading.collect import CollectError, collect, pack
from grading.course import NOT_YET, VARIANTS, Course, CourseError
from grading.rebuild import brief, unread


def release(course, names, options):
    """Make the versions for students; check that the author's solutions earn full marks, and trivial ones do not."""
    for name in tqdm(names, desc="release", unit="assignment"):
        course.release(name)
        check_reference(course, name)
    for name in names:
        for line in trivial.told(read(course.source(name)), course.paid_for_nothing(name)):
            print(line)
    for name in names if options.variants else []:
        print(f"A variant for everybody is in {course.give_variants(name)}; {VARIANTS} says whose is which")
    print(f"The versions for students are in {course.root / 'release'}")


def check_reference(course, name):
    """Raise an error if the author's solutions do not earn every point that is not marked by hand."""
    with course.copy(name) as trial:
        trial.hand_in("reference", name, trial.reference(name))
        (mark,) = trial.grade(name, feedback=False, quiet=True)
    lost = [cell for cell, points in mark.points.items() if points is not None and points < mark.most[cell]]
    if lost or mark.notes or not mark.points:
        raise CourseError(f"{name}: the author's solution fails {', '.join(lost)} {'; '.join(mark.notes)}")


def gather(course, names, options):
    """Put what a learning platform's archive holds into ``submitted``."""
    if len(names) != 1 or not options.archive:
        raise CourseError("name one assignment and the archive from which it is to be collected")
    members = course.members
    try:
        with course.store.alone():
            for line in collect(course.root, names[0], options.archive, members):
                print(line)
    except CollectError as error:
        raise CourseError(str(error)) from error
    for line in course.damaged(names[0]):
        print(line)
    there = course.students(names[0])
    print(f"{names[0]}: {len(there)} have handed in{_missing(members, course.missing(names[0]))}")


def _missing(members, missing):
    """Who of the class has not handed in, for the end of a sentence."""
    if not members:
        return ""
    return f"; {len(missing)} of {len(members)} have not: {', '.join(missing)}" if missing else ", which is everybody"


def grade(course, names, options):
    """Grade what was handed in; write marks, feedback, and all pages of feedback as one zip."""
    for name in names:
        marked = course.grade(name, again=options.again, zero=options.zero)
        paths = marks.write(course.root / "marks", name, marked, course.paid_for_nothing(name))
        members, missing = course.members, course.missing(name)
        for mark in marked:
            for note in mark.notes if mark.student not in missing else []:
                print(f"{mark.student}: {note}")
        for student in sorted(set(course.students(name)) - {mark.student for mark in marked}):
            print(f"{student}: {NOT_YET}")
        here = [mark for mark in marked if mark.student not in missing]
        undecided = [mark.student for mark in here if mark.undecided and NOT_YET not in mark.notes]
        for mark in here:
            if mark.student in options.zero and not unread(mark.notes):
                print(f"{mark.student}: the file can be read, so ZERO changes nothing")
        done = [mark for mark in here if mark.points and not mark.undecided]
        waiting = sum(mark.total is None for mark in done)
        by_hand = f"{waiting} with answers to mark by hand"
        print(f"{name}: {len(done)} marked, {by_hand}{_missing(members, missing)}")
        if undecided:
            print(
                f"No mark before you decide: {', '.join(undecided)}. Ask for another file, or set ZERO={undecided[0]}"
            )
        decided = [mark.student for mark in here if not mark.undecided]
        pages = pack(course.root, name, decided, course.root / "marks" / f"{name}-feedback.zip")
        print(f"Marks: {paths[0]}. Feedback: {pages} pages in {course.root / 'marks' / f'{name}-feedback.zip'}")
    for stray in course.strays():
        print(stray)


def demo(course, names, options, folder=Path("_build", "course")):
    """Three made-up submissions of one assignment, from release to feedback, in their own folder."""
    name = names[0]
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(course.source(name).parent, folder / "source" / name)
    plausible = {answer.answer: answer.source for answer in wrong_answers(course.root / "wrong" / f"{name}.py")}
    course = Course(folder, course.sandbox, config=course.config)
    course.release(name)
    course.hand_in("ada", name, course.reference(name))  # all right, with a proof to mark by hand
    course.hand_in("bob", name, course.released(name))  # as it was
    course.hand_in("eve", name, course.submission(name, plausible))  # plausible, and wrong
    grade(course, [name], options)
    for mark in course.marks(name):
        given = sum(points or 0 for points in mark.points.values())
        waiting = [cell for cell, points in mark.points.items() if points is None]
        hand = f", {', '.join(waiting)} to mark by hand" if waiting else ""
        print(f"{mark.student}: {given:g} of {sum(mark.most.values()):g} points{hand}")
    print(f"What Eve reads: {course.root / 'feedback' / 'eve' / name / f'{name}.html'}")


def main(words=None):
    """Run a command; an error is one sentence."""
    parser = argparse.ArgumentParser(prog="python -m grading", description=__doc__)
    parser.add_argument("command", choices=["release", "collect", "grade", "demo"])
    parser.add_argument("names", nargs="*", metavar="assignment", help="all if none is named")
    parser.add_argument("--course", type=Path, default=Path(), help="folder of the course; this one if not given")
    parser.add_argument("--again", action="store_true", help="also grade what has not changed")
    parser.add_argument("--variants", action="store_true", help="other data for everybody in students.csv")
    parser.add_argument("--archive", type=Path, help="what to collect from")
    parser.add_argument("--jobs", type=int, help="how many students to grade at a time")
    parser.add_argument("--zero", type=str.split, default=[], metavar="students", help="no points for a broken file")
    options = parser.parse_intermixed_args(words)
    try:
        course = Course(options.course, os.environ.get("SANDBOX") or "bubblewrap", options.jobs)
        names = options.names or course.assignments
        if options.command == "grade" and not options.names:
            names = [name for name in names if course.students(name)]
            if not names:
                where = course.root / "submitted"
                why = f"nothing has been handed in: there is no {where}/<student>/<assignment>"
                raise CourseError("\n".join([why, *course.strays()]))
        unknown = set(names) - set(course.assignments)
        if unknown:
            raise CourseError(f"there is no assignment {', '.join(sorted(unknown))} in {course.root / 'source'}")
        work = {"release": release, "collect": gather, "grade": grade, "demo": demo}[options.command]
        work(course, names, options)
    except CourseError as error:
        sys.exit(str(error))
    except OSError as error:
        sys.exit(f"{error.filename or options.course}: {error.strerror or error}; what was graded before is in place")
    except (sqlite3.Error, SQLAlchemyError) as error:
        why = brief(getattr(error, "orig", None) or error)
        sys.exit(f"gradebook.db: {why}: close what uses it, or put a copy in its place; what was graded is in place")
    except KeyboardInterrupt:
        print("Stopped: who was graded stays graded, and the next run goes on with the others", file=sys.stderr)
        sys.exit(130)


if __name__ == "__main__":
    main()
