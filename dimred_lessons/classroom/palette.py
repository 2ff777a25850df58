"""The colors of the book's figures, on the light ground of a page and of paper, and on the dark one."""

import numpy as np
from matplotlib import colormaps
from matplotlib.colors import to_hex, to_rgb

PAPER, NIGHT = "#ffffff", "#121212"  # grounds of a page
# After Okabe and Ito's palette, darker: each has a contrast of at least 3 to the ground, and color-blind readers can
# tell them apart. For ordered values the book uses viridis.
CATEGORIES = [
    "#0072B2",
    "#CA8400",
    "#00966B",
    "#DD6BA9",
    "#4F9AC6",
    "#D04E00",
    "#4E5200",
    "#000000",
    "#707070",
    "#8F0F56",
]
# The same colors on the dark ground.
CATEGORIES_AT_NIGHT = [
    "#2F86DC",
    "#E09C00",
    "#1DD393",
    "#EE7FBA",
    "#6CC5FA",
    "#E35A1C",
    "#F5EC4A",
    "#CED6DD",
    "#8E8E8E",
    "#C22A88",
]
INK = CATEGORIES_AT_NIGHT[CATEGORIES.index("#000000")]  # black on the dark ground
MARK, TEXT = 3, 4.5  # least contrast
SEEN_AT_NIGHT = 0.33  # share of viridis from which on it can be seen on the dark ground
NEARLY_WHITE = 0.8  # of red, green and blue, at least
PALE = 1.8  # a color of less contrast is a tint of the ground
# What makes a picture in ink on paper one on the dark ground, for `feColorMatrix`: white becomes NIGHT and black as
# light as NIGHT is dark; then all hues are turned by half a circle, back to where they were.
LIGHTEST = 1 - to_rgb(NIGHT)[0]
HUES = np.array([[-0.574, 1.43, 0.144], [0.426, 0.43, 0.144], [0.426, 1.43, -0.856]])
TURNED = np.vstack(
    [
        np.column_stack([(1 - 2 * LIGHTEST) * HUES, np.zeros(3), np.full(3, LIGHTEST)]),
        [0, 0, 0, 1, 0],
    ]
).ravel()


def contrast(one, other):
    """Ratio of the luminances of two colors, from 1 to 21, as the Web Content Accessibility Guidelines define it.

    Parameters
    ----------
    one, other : colors of Matplotlib

    Returns
    -------
    float
    """
    dark, light = sorted([_luminance(one), _luminance(other)])
    return (light + 0.05) / (dark + 0.05)


def at_night(color):
    """The color on the dark ground that does what another does on the light one.

    Gray is the same share of the ink, a pale color the same tint of the ground; others become as light as marks
    have to be. The palette has its own, and so have its colors that `legible` made darker.

    Parameters
    ----------
    color : color of Matplotlib

    Returns
    -------
    str
    """
    pairs = list(zip(map(str.lower, CATEGORIES), map(str.lower, CATEGORIES_AT_NIGHT), strict=True))
    known = {legible(day): legible(night, night=True) for day, night in pairs} | dict(pairs)
    if to_hex(color) in known:
        return known[to_hex(color)]
    rgb, ground = np.array(to_rgb(color)), np.array(to_rgb(NIGHT))
    if is_gray(color) or contrast(color, PAPER) < PALE:
        share = 1 - rgb.min()  # of the ink, or of a pure color, on paper
        pure = np.array(to_rgb(INK)) if is_gray(color) else 1 - (1 - rgb) / share
        return to_hex(share * pure + (1 - share) * ground)
    return _moved(color, toward="white", ground=NIGHT, least=MARK)


def viridis(count, night=False):
    """Shades of viridis for ordered values, from the least on.

    Parameters
    ----------
    count : int
    night : bool
        Whether the ground is the dark one, on which viridis begins where it can be seen.

    Returns
    -------
    list of str
    """
    return [to_hex(shade) for shade in colormaps["viridis"](np.linspace(SEEN_AT_NIGHT if night else 0, 1, count))]


def begins_on_paper(cmap):
    """Whether a colormap draws with ink: its least value, or its middle one, is nearly white.

    Parameters
    ----------
    cmap : Colormap of Matplotlib

    Returns
    -------
    bool
    """
    return any(min(cmap(place)) > NEARLY_WHITE for place in (0.0, 0.5))


def turned(color):
    """The color of an ink on the dark ground: as far from it as the ink is from paper, of the same hue.

    Parameters
    ----------
    color : color of Matplotlib

    Returns
    -------
    str
    """
    matrix = np.reshape(TURNED, (4, 5))[:3]
    return to_hex(np.clip(matrix @ [*to_rgb(color), 1, 1], 0, 1))


def legible(color, night=False):
    """A color in which letters can be read: itself, or the first darker one (at night, lighter one) that can.

    Parameters
    ----------
    color : color of Matplotlib
    night : bool
        Whether the ground is the dark one.

    Returns
    -------
    str
    """
    return _moved(color, "white" if night else "black", NIGHT if night else PAPER, TEXT)


def is_gray(color):
    """Whether a color is black, white or between them.

    Parameters
    ----------
    color : color of Matplotlib

    Returns
    -------
    bool
    """
    return bool(np.ptp(to_rgb(color)) < 0.02)


def _moved(color, toward, ground, least):
    """A color, mixed with as much of another as it needs for a contrast to the ground."""
    start, end = np.array(to_rgb(color)), np.array(to_rgb(toward))
    mixtures = (to_hex(start + share * (end - start)) for share in np.linspace(0, 1, 51))
    return next(mixture for mixture in mixtures if contrast(mixture, ground) >= least)


def _luminance(color):
    rgb = np.array(to_rgb(color))
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    return linear @ [0.2126, 0.7152, 0.0722]
