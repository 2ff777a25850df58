"""Files are written beside their place, and moved there when they are whole."""

import contextlib
import tempfile
from pathlib import Path


def require_place(path: Path, what: str = "report") -> None:
    """Find out whether a file can be written, before anything is computed for it.

    Parameters
    ----------
    path : Path
    what : str
        What the file is to hold.

    Raises
    ------
    OSError
        If there is no such folder, it cannot be written to, or the path is itself a folder.
    """
    if path.is_dir():
        raise OSError(f"{path} is a folder: name a file for the {what}.")
    try:
        tempfile.TemporaryFile(dir=path.parent).close()
    except OSError as wrong:
        raise _not_writable(path, wrong, what) from None


def _not_writable(path, wrong, what):
    return OSError(f"{path} cannot be written ({wrong.strerror}): choose another place for the {what}.")


def write_whole(path: Path, text: str, what: str = "report") -> Path:
    """Write a file beside its place, and move it there when it is whole.

    Parameters
    ----------
    path : Path
    text : str
    what : str
        What the file holds.

    Returns
    -------
    Path

    Raises
    ------
    OSError
        If the folder cannot be written to, or is full: nothing is left behind.
    """
    content = text.encode("utf-8", errors="replace")
    try:
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".dimred-", suffix=".part", delete=False) as part:
            unfinished = Path(part.name)
            try:
                part.write(content)
                part.close()
                unfinished.chmod(0o644)
                unfinished.replace(path)
            except BaseException:
                with contextlib.suppress(OSError):
                    part.close()
                unfinished.unlink(missing_ok=True)
                raise
    except OSError as wrong:
        raise _not_writable(path, wrong, what) from None
    return path
