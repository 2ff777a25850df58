"""A plaster head that turns and nods under a moving light, rendered from its angles.

Axes, in units of the head's half height: x to the viewer's right, y up, z toward the viewer.
"""

from functools import lru_cache

import numpy as np
from scipy import sparse

from dimred_lessons.parameters import check_integer

FACE_PARAMETERS = ("left-right pose", "up-down pose", "light")  # names of the columns, all in degrees

_LIGHT_ELEVATION = 20.0  # degrees above the line of sight
_AMBIENT = 0.12  # gray value of a surface turned away from the light
_HALF_FRAME = 1.2  # from the center of the image to its edge
_HEAD_CENTER = 0.1  # height of the head's center above the center of the image

# Bumps on the skull: azimuth and elevation of the center, widths in both, all in degrees; then height.
# Azimuth 0 is straight ahead; each bump off the middle has a mirror image on the other side.
_FEATURES = (
    (0, -9, 7.5, 6, 0.20),  # tip of the nose
    (0, 1, 5.5, 10, 0.11),  # its bridge
    (9, -11, 4.5, 4, 0.05),  # nostrils
    (21, 9, 9, 6, -0.09),  # eye sockets
    (21, 8, 5, 3.5, 0.045),  # eyes
    (19, 19, 13, 4, 0.05),  # brow
    (0, 40, 28, 14, 0.05),  # forehead
    (36, -8, 11, 10, 0.04),  # cheekbones
    (0, -27, 11, 2.6, 0.06),  # upper lip
    (0, -31, 13, 1.3, -0.03),  # line of the mouth
    (0, -35, 9, 2.8, 0.065),  # lower lip
    (0, -42, 12, 2.5, -0.03),  # dent under the lip
    (0, -52, 13, 7, 0.10),  # chin
    (48, -42, 16, 12, 0.06),  # jaw
    (92, 1, 5, 11, 0.13),  # ears
    (180, 25, 50, 25, 0.04),  # back of the head
    (180, -45, 60, 18, -0.06),  # nape
)


def render_faces(parameters, size=64):
    """Render the head at given angles, by orthographic projection and Lambert shading.

    The gray value is that of white plaster: ambient light plus the cosine of the angle between the surface's
    normal and the light. Nearer parts hide farther ones; shadows cast from one part on another are left out.

    Parameters
    ----------
    parameters : array of shape (n, 3)
        Angles in degrees, all 0 for a head that looks at the viewer with the light in front of it.

        - left-right pose: positive turns the face to the viewer's right;
        - up-down pose: positive lifts the face, a nod in the head's own frame;
        - light: positive lights from the viewer's right. The light moves around the viewer's vertical axis,
          20 degrees above the line of sight, and does not turn with the head.
    size : int
        Pixels on each side.

    Returns
    -------
    images : array of shape (n, size * size)
        Gray values from 0 (background) to 1, rows of each image one after another from the top.

    Raises
    ------
    ValueError
        If ``parameters`` is not an (n, 3) array of finite numbers, or ``size`` is not an integer of at least 8.

    Notes
    -----
    The surface is a mesh of small patches. Each visible patch adds its shade to the four pixels around it,
    weighted by its projected area times a bilinear kernel. Unlike a patch painted into the one pixel it falls
    into, this varies continuously with the angles, as a manifold of images should, except for the small jumps
    where a patch disappears behind another; they matter for steps of a tenth of a degree and less.

    References
    ----------
    Westover (1990), Footprint evaluation for volume rendering, Computer Graphics (SIGGRAPH) 24(4), 367-376.
    """
    parameters = np.asarray(parameters, dtype=np.float64)
    if parameters.ndim != 2 or parameters.shape[1] != 3 or not np.isfinite(parameters).all():
        raise ValueError(
            f"parameters of shape {parameters.shape} must be an (n, 3) array of finite angles in degrees: "
            f"one row per image, with columns {', '.join(FACE_PARAMETERS)}."
        )
    check_integer("size", size, least=8)
    points, normals, areas = _bust(size)
    images = np.empty((len(parameters), size * size))
    for image, (left_right, up_down, light) in zip(images, parameters):
        R = _head_rotation(left_right, up_down)
        front = np.flatnonzero(R[2] @ normals > 0)  # patches that face the viewer
        turned = (R @ vectors.take(front, axis=1) for vectors in (points, normals))
        image[:] = _photograph(*turned, areas[front], _light_direction(light), size)
    return images


def _photograph(points, normals, areas, light, size):
    """Project visible patches onto the image.

    Parameters
    ----------
    points : array of shape (3, m)
        Centers of patches that face the viewer. A coordinate is a row, along which NumPy runs fast.
    normals : array of shape (3, m)
        Their unit normals.
    areas : array of shape (m,)
    light : array of shape (3,)
        Unit vector toward the light.
    size : int
        Pixels on each side.

    Returns
    -------
    image : array of shape (size * size,)
    """
    x, y, depth = points
    slope = normals[2]
    shade = _AMBIENT + (1 - _AMBIENT) * np.maximum(light @ normals, 0)
    pixel = 2 * _HALF_FRAME / size
    # A margin of one pixel on all sides lets patches at the edge of the image spread outward.
    width = size + 2
    column = (_HALF_FRAME + x) / pixel + 0.5
    row = (_HALF_FRAME - _HEAD_CENTER - y) / pixel + 0.5
    weight = areas * slope / pixel**2
    inside = np.flatnonzero((column >= 0) & (column < width - 1) & (row >= 0) & (row < width - 1))
    row, column, depth, slope, shade, weight = (values[inside] for values in (row, column, depth, slope, shade, weight))
    weight_seen = weight * _nearest(row, column, depth, slope, width, pixel)
    contributions = np.column_stack([weight, weight_seen, weight_seen * shade])
    coverage, coverage_seen, painted = (_bilinear(row, column, width) @ contributions).T
    # A pixel has the mean shade of what is seen in it. It mixes with the black background where patches, seen
    # or hidden, do not cover all of it; the sum over patches makes full coverage uncertain by a few percent.
    mean_shade = painted / np.maximum(coverage_seen, np.finfo(float).tiny)
    image = mean_shade * np.minimum(coverage / 0.95, 1)
    return np.clip(image.reshape(width, width)[1:-1, 1:-1].ravel(), 0, 1)


def _nearest(row, column, depth, slope, width, pixel):
    """Which patches no nearer patch hides: a depth buffer, as a boolean array of shape (m,).

    Depth varies within one pixel by the pixel's side times the tangent of the surface's slope; a patch within
    this distance of the nearest one belongs to the same piece of surface. ``slope`` is the cosine.
    """
    cell = np.rint(row).astype(int) * width + np.rint(column).astype(int)
    nearest = np.full(width * width, -np.inf)
    np.maximum.at(nearest, cell, depth)
    tolerance = pixel * (1 + 1 / np.maximum(slope, 0.05))
    return depth >= nearest[cell] - tolerance


def _bilinear(row, column, width):
    """Share of each patch (a column) in each pixel (a row): the four around its place, by a bilinear kernel."""
    top, left = row.astype(np.int32), column.astype(np.int32)
    below, right = row - top, column - left
    corners = np.add.outer(top * width + left, np.array([0, 1, width, width + 1], dtype=np.int32))
    above, before = 1 - below, 1 - right
    shares = np.column_stack([above * before, above * right, below * before, below * right])
    starts = np.arange(0, shares.size + 1, 4, dtype=np.int32)
    return sparse.csc_array((shares.ravel(), corners.ravel(), starts), shape=(width * width, len(row)))


def _head_rotation(left_right, up_down):
    """Rotation (3, 3) of column vectors: first the nod around x, then the turn around y; degrees."""
    a, b = np.radians([left_right, up_down])
    turn = np.array([[np.cos(a), 0, np.sin(a)], [0, 1, 0], [-np.sin(a), 0, np.cos(a)]])
    nod = np.array([[1, 0, 0], [0, np.cos(b), np.sin(b)], [0, -np.sin(b), np.cos(b)]])
    return turn @ nod


def _light_direction(azimuth):
    """Unit vector (3,) toward the light at this azimuth in degrees."""
    return _direction(np.radians(azimuth), np.radians(_LIGHT_ELEVATION))


def _direction(azimuth, elevation):
    """Unit vectors (..., 3) at these angles in radians; both 0 is toward the viewer."""
    x = np.cos(elevation) * np.sin(azimuth)
    z = np.cos(elevation) * np.cos(azimuth)
    return np.stack([x, np.sin(elevation), z], axis=-1)


@lru_cache(maxsize=2)
def _bust(size):
    """Head and neck as patches about half a pixel wide: centers (3, m), unit normals (3, m), areas (m,)."""
    head = _patches(_head, (-np.pi, np.pi), (-np.pi / 2, np.pi / 2), 9 * size // 2, 5 * size // 2)
    neck = _patches(_neck, (-np.pi, np.pi), (-1.7, -0.7), 5 * size // 2, size)
    points, normals = (np.concatenate(parts).T.copy() for parts in zip(head, neck))
    areas = np.linalg.norm(normals, axis=0)
    normals /= areas
    for array in (points, normals, areas):
        array.flags.writeable = False  # the cache returns the same arrays each time
    return points, normals, areas


def _patches(surface, u_range, v_range, n_u, n_v):
    """Cut a parametric surface into n_u x n_v patches: centers and outward area vectors, both (m, 3)."""
    du = (u_range[1] - u_range[0]) / n_u
    dv = (v_range[1] - v_range[0]) / n_v
    u = u_range[0] + du * (np.arange(n_u) + 0.5)
    v = v_range[0] + dv * (np.arange(n_v) + 0.5)
    u, v = (values.ravel() for values in np.meshgrid(u, v))
    across = surface(u + du / 2, v) - surface(u - du / 2, v)
    along = surface(u, v + dv / 2) - surface(u, v - dv / 2)
    return surface(u, v), np.cross(across, along)


def _head(azimuth, elevation):
    """Points (..., 3) of the head, a star-shaped surface, in directions given in radians."""
    direction = _direction(azimuth, elevation)
    depth = np.where(direction[..., 2] > 0, 0.80, 0.92)  # the face is flatter than the back of the head
    half_axes = np.stack([np.full_like(depth, 0.72), np.ones_like(depth), depth], axis=-1)
    radius = 1 / np.linalg.norm(direction / half_axes, axis=-1)
    for at_azimuth, at_elevation, azimuth_width, elevation_width, height in _FEATURES:
        for side in (1,) if at_azimuth in (0, 180) else (1, -1):
            aside = (np.degrees(azimuth) - side * at_azimuth + 180) % 360 - 180
            above = np.degrees(elevation) - at_elevation
            radius += height * np.exp(-((aside / azimuth_width) ** 2 + (above / elevation_width) ** 2) / 2)
    return radius[..., None] * direction


def _neck(azimuth, height):
    """Points (..., 3) of the neck, round and wider toward the shoulders."""
    radius = 0.38 + 0.25 * np.maximum(-0.8 - height, 0) ** 2
    return np.stack([radius * np.sin(azimuth), height, radius * np.cos(azimuth) - 0.08], axis=-1)
