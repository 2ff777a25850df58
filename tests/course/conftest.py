"""Courses to grade: each worker has its own, and grades in its own process."""

import os

import pytest

from grading import sandbox
from grading.course import Course
from support import course as small


def need_sandbox():
    """A machine without a sandbox skips what needs one, but in continuous integration this is a failure."""
    if sandbox.missing():
        (pytest.fail if os.environ.get("CI") else pytest.skip)(sandbox.missing())


@pytest.fixture
def locked():
    need_sandbox()


@pytest.fixture(scope="session")
def released(tmp_path_factory):
    """The small course, released, with nothing handed in."""
    course = Course(small.write(tmp_path_factory.mktemp("course")), timeout=4, call_timeout=3, most_restarts=2)
    course.release("small", total=10)
    return course


@pytest.fixture(scope="session")
def graded(released):
    """The small course in which one honest student has full marks."""
    need_sandbox()
    released.hand_in("honest", "small", released.reference("small"))
    released.grade("small", feedback=False, quiet=True)
    return released
