"""The questions of the book for learning platforms: `make questions`."""

from sources import ROOT

FOLDER = ROOT / "_build" / "questions"
FILES = ("moodle.xml", "gift.txt", "canvas-qti-1.2.zip", "qti-2.1.zip")
