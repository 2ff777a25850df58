"""Courses to grade: each worker has its own, and grades in its own process."""

import pytest

from grading.course import Course
from support import chromium
from support import course as small


@pytest.fixture
def locked():
    small.need_sandbox()


@pytest.fixture(scope="module")
def browser():
    """A window of a browser without access to any other host."""
    with chromium.started() as browser:
        yield browser.new_page()


@pytest.fixture(scope="session")
def released(tmp_path_factory):
    """The small course, released, with nothing handed in."""
    course = Course(
        small.write(tmp_path_factory.mktemp("course")), timeout=4, call_timeout=3, most_restarts=2, hidden=small.HIDDEN
    )
    course.release("small", total=10)
    return course


@pytest.fixture(scope="session")
def graded(released):
    """The small course in which one honest student has full marks."""
    small.need_sandbox()
    released.hand_in("honest", "small", released.reference("small"))
    released.grade("small", feedback=False, quiet=True)
    return released
