"""`gallery`: many maps of several data sets, to be filtered, ordered and compared."""

import matplotlib.pyplot as plt
import numpy as np

from dimred_lessons.classroom.explorers.explorer import Live, coloring, show
from dimred_lessons.classroom.explorers.frames import centered, pack
from dimred_lessons.classroom.explorers.truth import truth
from dimred_lessons.classroom.plotting import require_texts
from dimred_lessons.inputs import as_table


def gallery(sets, *, name, caption, alt):
    """Show maps of several data sets by many methods; a reader filters, orders and compares them.

    One data set is shown at a time, as a grid of small maps with their measures. Families of methods can be left out,
    and the grid ordered by any measure. Maps that the reader selects are shown enlarged below the grid, and a
    point under the pointer is highlighted in all of them. Where it is known, a switch shows beside each what its
    method draws of the same table with each column permuted.

    Parameters
    ----------
    sets : dict of str to (dict, list of dict) or (dict, list of dict, array of shape (n, D))
        For each data set, by its name: what its points are colored by, ``{label: coordinate or class}``, and its
        maps, each with "method" and "family" (names), "measures" (numbers by name, the same names for all maps of
        a data set), and "map", an array of shape (n, 2), or "refusal", a sentence that says why there is none. What
        the method draws of permuted columns is in "chance": again "measures", and "map", of shape (m, 2) for some of
        the points, or "refusal".
        If the points are given, too, lines lead from the highlighted one to the neighbors that an enlarged map lost,
        and rings are around the intruders.
    name, caption, alt : str
        As in `show_figure`.

    Raises
    ------
    ValueError
        If a text is empty, there are no data sets, or a map does not have a row for each point.
    """
    require_texts(name=name, caption=caption, alt=alt)
    if not sets:
        raise ValueError("sets is empty: give at least one data set with its maps.")
    data = {"kind": "gallery", "alt": alt, "sets": [_set(title, *described) for title, described in sets.items()]}
    _, maps, *_ = list(sets.values())[-1]
    still = _still(maps, data["sets"][-1]["coloring"])
    show(data, still, lambda: Live(data=data), name=name, caption=caption, alt=alt)


def _set(title, color, maps, points=None):
    """One data set as gallery.js takes it."""
    ((label, coordinate),) = color.items()
    n = len(coordinate)
    for one in maps:
        if "map" in one and np.shape(one["map"]) != (n, 2):
            raise ValueError(
                f"the map of {title} by {one['method']} has shape {np.shape(one['map'])}, but ({n}, 2) is needed: "
                "one row for each point, two columns."
            )
    if points is not None and len(points) != n:
        raise ValueError(f"{title} has {len(points)} points, but the color of {n}: give a row for each of them.")
    known = None if points is None else truth(as_table(points, "points"))
    return ({"truth": known} if known else {}) | {
        "name": title,
        "coloring": coloring(label, coordinate, n),
        "maps": [
            {name: one[name] for name in ("method", "family")}
            | {"measures": _listed(one)}
            | _drawn(one)
            | ({"chance": _drawn(one["chance"]) | {"measures": _listed(one["chance"])}} if "chance" in one else {})
            for one in maps
        ],
    }


def _drawn(one):
    """A map in few bytes, or why there is none."""
    return {"frame": pack(centered(one["map"]))} if "map" in one else {"refusal": one["refusal"]}


def _listed(one):
    """Measures in their order, which the names of a notebook's data lose."""
    return [[name, value] for name, value in one.get("measures", {}).items()]


def _still(maps, colors):
    """All maps of a data set in one picture."""
    drawn = [one for one in maps if "map" in one]
    columns = min(5, len(drawn))
    rows = -(-len(drawn) // columns)
    fig, axes = plt.subplots(rows, columns, figsize=(1.3 * columns, 1.45 * rows), layout="constrained", squeeze=False)
    shades = np.array(colors["palette"])[colors["levels"]]
    for ax in axes.flat:
        ax.set_axis_off()
    for ax, one in zip(axes.flat, drawn):
        ax.scatter(*centered(one["map"]).T, s=0.6, c=shades, linewidths=0, rasterized=True)
        ax.set_aspect("equal")
        ax.set_title(one["method"], fontsize=6.5)
    return fig
