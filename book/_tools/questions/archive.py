"""Zip files that are the same byte for byte whenever they are made from the same questions."""

import io
import zipfile

THE_FIRST_DAY = (1980, 1, 1, 0, 0, 0)


def zipped(files):
    """A zip of files: a dictionary of their names and bytes."""
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name, THE_FIRST_DAY), content, zipfile.ZIP_DEFLATED)
    return memory.getvalue()
