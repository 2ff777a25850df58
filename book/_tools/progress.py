"""One line that says what is going on: rewritten on a terminal, elsewhere a line of its own each time."""

import shutil
import sys
import time


class Line:
    """A line of progress on standard output."""

    def __init__(self):
        self.said, self.last = -float("inf"), ""
        self.rewritten = sys.stdout.isatty()

    def say(self, text, pause=0):
        """Say what is going on; where lines cannot be rewritten, only if nothing was said for so many seconds."""
        if self.rewritten:
            width = shutil.get_terminal_size().columns - 1
            print(f"\r{text[:width]:<{min(len(self.last), width)}}", end="", flush=True)
        elif text != self.last and time.monotonic() >= self.said + pause:
            print(text, flush=True)
            self.said = time.monotonic()
        else:
            return
        self.last = text

    def end(self, text=""):
        """Take the line away, and say what is to stay."""
        if self.rewritten and self.last:
            print("\r" + " " * min(len(self.last), shutil.get_terminal_size().columns - 1), end="\r", flush=True)
        self.last = ""
        if text:
            print(text, flush=True)


def duration(seconds):
    """Words for a time that nobody knows exactly."""
    return "less than a minute" if seconds < 45 else f"about {max(round(seconds / 60), 1)} min"
