"""What is given away: archives of book, notebooks, questions; PDF and e-book if there are any; wheel, source archive.

    [TAG=v1.0.0] python book/_tools/distribution.py

puts them into _build/dist, with their checksums. They are made from the files that git knows; equal files make equal
archives, byte for byte. With an address of the repository (``repository.url`` in _config.yml) the notebooks install the
package from there, of the tag if there is one, else as it is on the day. Without an address, they install the wheel,
which both archives then hold. `tests/dist` looks at what was made.
"""

import gzip
import hashlib
import io
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
from pathlib import Path

import questions
from anywhere import NAME, WORDS, address, place, prepare, version, wheel
from sources import NOTEBOOKS, ROOT

DIST = ROOT / "_build" / "dist"
SITE = ROOT / "_build" / "html"
OTHERS = [ROOT / "_build" / kind / f"book.{kind}" for kind in ("pdf", "epub")]  # other editions
TAG = os.environ.get("TAG")
LICENSES = [ROOT / "LICENSE", ROOT / "LICENSE-TEXT"]
LINK = re.compile(r"(!?)\[([^]]*)\]\((?!https?://|#)([^)]+)\)")
BUILD = "import sys; from setuptools.build_meta import build_{0} as build; print(build(sys.argv[1]))"


def epoch():
    """The time that all archives bear: SOURCE_DATE_EPOCH, or that of the last commit."""
    return int(os.environ.get("SOURCE_DATE_EPOCH") or _git("log", "-1", "--format=%ct"))


def tracked():
    """The files that git knows, from the root of the project."""
    return [Path(name) for name in _git("ls-files", "-z").split("\0") if name and (ROOT / name).exists()]


def _git(*arguments):
    return subprocess.run(["git", *arguments], cwd=ROOT, check=True, capture_output=True, text=True).stdout


# --- The package


def outside(readme, repository):
    """The README as it is read outside the repository: links and pictures lead into it, or are plain words."""

    def absolute(link):
        picture, words, path = link.groups()
        kind = "raw" if picture else "blob"
        return f"{picture}[{words}]({repository}/{kind}/{TAG or 'main'}/{path})" if repository else words

    return LINK.sub(absolute, readme)


def name_the_repository(tree, repository):
    """Write the address of the repository, if there is one, wherever a copy of the project should name it."""
    readme = tree / "README.md"
    readme.write_text(outside(readme.read_text(encoding="utf-8"), repository), encoding="utf-8")
    lines = {
        "pyproject.toml": f'\n[project.urls]\nSource = "{repository}"\n',
        "CITATION.cff": f"  url: {repository}\nrepository-code: {repository}\n",  # it ends with the preferred citation
    }
    for path in [tree / name for name in lines if repository]:
        text = path.read_text(encoding="utf-8")
        if repository not in text:
            path.write_text(text + lines[path.name], encoding="utf-8")


def build_package(folder):
    """Wheel and source archive, from a copy of the files that git knows."""
    with tempfile.TemporaryDirectory() as name:
        tree, made = Path(name, "tree"), Path(name, "made")
        made.mkdir()
        for path in tracked():
            (tree / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / path, tree / path)
        name_the_repository(tree, address())
        for kind in ("sdist", "wheel"):
            subprocess.run(
                [sys.executable, "-c", BUILD.format(kind), made],
                cwd=tree,
                env=os.environ | {"SOURCE_DATE_EPOCH": str(epoch())},
                check=True,
                capture_output=True,
                text=True,
            )
        for path in made.glob("*.whl"):
            shutil.copy(path, folder)
        for path in made.glob("*.tar.gz"):
            _same_time(path, folder / path.name)


def _same_time(source, target):
    """Copy a source archive so that it depends on names and contents of its files only."""
    plain = io.BytesIO()
    with tarfile.open(source) as old, tarfile.open(fileobj=plain, mode="w", format=tarfile.PAX_FORMAT) as new:
        for member in sorted(old.getmembers(), key=lambda member: member.name):
            member.mtime, member.uid, member.gid, member.uname, member.gname = epoch(), 0, 0, "", ""
            member.mode = 0o755 if member.isdir() or member.mode & 0o100 else 0o644
            member.pax_headers = {}
            new.addfile(member, old.extractfile(member))
    with target.open("wb") as file, gzip.GzipFile("", "wb", fileobj=file, mtime=epoch()) as packed:
        packed.write(plain.getvalue())


# --- Book and notebooks


def pack(folder, archive):
    """Put a folder into a zip archive that depends on names and contents of its files only."""
    date = time.gmtime(max(epoch(), 315_532_800))[:6]  # a zip knows no time before 1980
    with zipfile.ZipFile(archive, "w") as packed:
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            entry = zipfile.ZipInfo(path.relative_to(folder.parent).as_posix(), date)
            entry.external_attr, entry.compress_type = 0o644 << 16, zipfile.ZIP_DEFLATED
            packed.writestr(entry, path.read_bytes())


def build_notebooks(folder):
    """All notebooks, each with the cell that installs what it needs, and a list of what they need together."""
    for path in NOTEBOOKS:
        target = folder / path.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        prepare(path, target, address(), TAG)
    extras = f"[{','.join(WORDS)}]"
    ours = f"{NAME}{extras} @ {place(address(), TAG)}" if address() else f"./{wheel()}{extras}"
    needed = [ours, "jupyterlab", "jupyterlab-myst"]
    (folder / "requirements.txt").write_text("\n".join(needed) + "\n", encoding="utf-8")


def build_book(folder):
    """The pages, as they were built, with the notebooks that they offer for download."""
    shutil.copytree(SITE, folder)
    for path in NOTEBOOKS:
        prepare(path, folder / "_sources" / path.relative_to(ROOT), address(), TAG)


def build_questions(folder):
    """The questions for learning platforms, as `make questions` wrote them."""
    folder.mkdir()
    for name in questions.FILES:
        shutil.copy(questions.FOLDER / name, folder)


def build(folder):
    """All that is given away, in a folder that is made afresh."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    build_package(folder)
    for part, make in {"book": build_book, "notebooks": build_notebooks, "questions": build_questions}.items():
        with tempfile.TemporaryDirectory() as name:
            content = Path(name, f"{NAME}-{part}-{version()}")
            make(content)
            for path in LICENSES if address() or part == "questions" else [*LICENSES, folder / wheel()]:
                shutil.copy(path, content)
            pack(content, folder / f"{content.name}.zip")
    for path in filter(Path.exists, OTHERS):
        shutil.copy(path, folder / f"{NAME}-book-{version()}{path.suffix}")
    sums = [f"{checksum(path)}  {path.name}" for path in sorted(folder.iterdir())]
    (folder / "SHA256SUMS").write_text("\n".join(sums) + "\n", encoding="utf-8")


def checksum(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def main():
    build(DIST)
    for path in sorted(DIST.iterdir()):
        print(f"{path.stat().st_size / 1e6:8.2f} MB  {path.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
