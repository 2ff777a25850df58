"""The face images of the Isomap paper, for readers who have them."""

from pathlib import Path

import numpy as np
from scipy.io import loadmat
from scipy.io.matlab import matfile_version


def load_faces(path):
    """Read the face images of the Isomap paper from their MATLAB file, face_data.mat.

    Parameters
    ----------
    path : str or path-like
        A MATLAB file of version 5 to 7 with the variables ``images`` (4096, n), ``poses`` (2, n) and
        ``lights`` (1, n); in the original, n = 698.

    Returns
    -------
    images : array of shape (n, 4096)
        The file's gray values. MATLAB stores columns of an image one after another; here rows follow one
        another from the top, so that ``images[i].reshape(64, 64)`` is upright.
    parameters : array of shape (n, 3)
        Columns as in ``FACE_PARAMETERS``, with the file's own values, signs and zero.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If the file is not a MATLAB file of version 5 to 7, or a variable is missing, not numeric or of the wrong
        shape.

    References
    ----------
    Tenenbaum, de Silva and Langford (2000), A global geometric framework for nonlinear dimensionality
    reduction, Science 290, 2319-2323.
    """
    variables = _read_matlab(Path(path))
    missing = [name for name in ("images", "poses", "lights") if name not in variables]
    if missing:
        found = ", ".join(variables) or "none"
        raise ValueError(f"{path} lacks the variable {missing[0]} (found: {found}): give the file face_data.mat.")
    images = _numeric_variable(variables, "images", (64 * 64, *np.shape(variables["images"])[1:2]), path)
    n = images.shape[-1]
    poses = _numeric_variable(variables, "poses", (2, n), path)
    lights = _numeric_variable(variables, "lights", (1, n), path)
    upright = images.T.reshape(n, 64, 64).transpose(0, 2, 1)
    return upright.reshape(n, 64 * 64), np.vstack([poses, lights]).T


def _read_matlab(path):
    """Variables of a MATLAB file of version 5 to 7, as a dictionary by name."""
    if not path.is_file():
        raise FileNotFoundError(f"{path} is not a file: give the path of face_data.mat.")
    refusal = f"{path} is not a readable MATLAB file of version 5 to 7: give the file face_data.mat."
    # On other bytes the reader can fail in any way, so no narrower type of error will do.
    try:
        version, _ = matfile_version(path, appendmat=False)
        if version == 1:  # versions 5 to 7; 0 is version 4, and 2 is version 7.3
            variables = loadmat(path, appendmat=False)
    except Exception as error:
        raise ValueError(refusal) from error
    if version == 2:
        raise ValueError(f"{path} is a MATLAB file of version 7.3 (HDF5): save it again in MATLAB with -v7.")
    if version != 1:
        raise ValueError(refusal)
    return {name: value for name, value in variables.items() if not name.startswith("__")}


def _numeric_variable(variables, name, shape, path):
    """The variable as float64, or an error that says how it differs from finite numbers of this shape."""
    value = np.asarray(variables[name])
    if value.shape != shape:
        raise ValueError(
            f"{path}: the variable {name} has shape {value.shape}, but {shape} was expected: "
            "give one column per image of 64 x 64 pixels."
        )
    if value.dtype.kind not in "iuf" or not np.isfinite(value).all():
        raise ValueError(f"{path}: the variable {name} must hold finite real numbers: replace the others.")
    return value.astype(np.float64)
