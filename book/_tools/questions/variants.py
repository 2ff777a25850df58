r"""Variants of exercises: the same question with other numbers, so that neighbors cannot copy each other's answers.

The check of such an exercise takes the numbers of the question as parameters, with those of the book as defaults::

    @exercise("lem-2")
    @numbers(3)
    def one_width(answer, s=18):

and a function here draws others for it, says where they stand in the text of the book, and computes the answer::

    @family("lem-2")
    def widths(rng):
        sigma = whole(rng, 2, 24) / 2
        s = 2 * sigma**2
        return Variant({"s": s}, {"$s = 18$": f"$s = {s:g}$"}, [sigma, s / 4, 100**2], [s, s / 4, 100])
"""

import re
from dataclasses import dataclass, replace
from functools import partial
from inspect import signature
from math import gcd

import numpy as np
from scipy import sparse

from dimred_lessons.classroom.exercises import check_of, values
from dimred_lessons.eigenpairs import largest_eigenpairs
from dimred_lessons.geodesics import geodesic_distances
from dimred_lessons.graphs import graph_components, knn_graph
from dimred_lessons.kernels import kernel_from_squared_distances
from dimred_lessons.reconstruction import reconstruction_weights

COUNT = 20
FAMILIES = {}


@dataclass(frozen=True)
class Variant:
    """Other numbers for an exercise.

    Attributes
    ----------
    data : dict
        Parameters of its check.
    text : dict of str to str
        What stands in the text of the book, and what stands there now.
    answer, mistake : object
        The right answer, and one that somebody might give.
    """

    data: dict
    text: dict[str, str]
    answer: object
    mistake: object


def family(name):
    """Mark the function that draws a variant of an exercise by a random generator."""

    def mark(function):
        FAMILIES[name] = function
        return function

    return mark


def drawn(name, count=COUNT):
    """So many different variants of an exercise, the same every time, and none of them that of the book."""
    rng, found = np.random.default_rng([*name.encode()]), {}
    defaults = signature(check_of(name).function).parameters
    for _ in range(100 * count):
        variant = FAMILIES[name](rng)
        if any(defaults[key].default != value for key, value in variant.data.items()):
            found.setdefault(repr(variant.data), variant)
        if len(found) == count:
            return list(found.values())
    raise ValueError(f"{name}: its numbers do not make {count} variants.")


def check_with(name, data):
    """The check of an exercise for other numbers."""
    book = check_of(name)
    return values.Numbers(book.keys, book.readers, partial(book.function, **data))


def varied(exercise, variant, number):
    """An exercise as a variant asks it; its title is the first part of the book's, which may name numbers."""
    for old in variant.text:
        if old not in exercise.text:
            raise ValueError(f"{exercise.name} says nothing of {old!r}, for which its variants have other words.")
    places = re.compile("|".join(map(re.escape, variant.text)))
    return replace(
        exercise,
        name=f"{exercise.name}-variant-{number:02}",
        title=exercise.title.partition(":")[0],
        text=places.sub(lambda found: variant.text[found[0]], exercise.text),
        hint="",
        solution="",
    )


def whole(rng, least, most):
    """A whole number from ``least`` to ``most``."""
    return int(rng.integers(least, most + 1))


def one_of(rng, choices):
    return choices[int(rng.integers(len(choices)))]


def until(draw, fits):
    """What is drawn first of all that fits."""
    return next(found for found in iter(draw, None) if fits(*found))


# --- Linear methods


@family("pca-1")
def two_by_two_covariance(rng):
    covariance = whole(rng, 1, 6)
    variance = covariance + whole(rng, 1, 6)
    S = np.array([[variance, covariance], [covariance, variance]], dtype=float)
    larger, smaller = largest_eigenpairs(S, 2)[0]
    share = larger / (larger + smaller)
    return Variant(
        {"variance": variance, "covariance": covariance},
        {r"5 & 3 \\ 3 & 5": rf"{variance} & {covariance} \\ {covariance} & {variance}"},
        [larger, smaller, share],
        [smaller, larger, share],
    )


@family("pca-2")
def unit_of_the_second_coordinate(rng):
    c, second = whole(rng, 2, 9), whole(rng, 1, 5)
    first, covariance = c**2 * second, whole(rng, 1, c * second - 1)
    return Variant(
        {"variances": (first, second)},
        {r"4 & 1 \\ 1 & 1": rf"{first} & {covariance} \\ {covariance} & {second}"},
        np.sqrt(first / second),
        first / second,
    )


@family("pca-9")
def turn_by_noise(rng):
    largest, second, noise = until(
        lambda: (whole(rng, 5, 12), whole(rng, 1, 4), whole(rng, 1, 8) / 4), lambda a, b, e: 0.1 < 2 * e / (a - b) < 0.9
    )
    angle = np.degrees(np.arcsin(np.sqrt(2 * noise / (largest - second))))
    return Variant(
        {"largest": largest, "second": second, "noise": noise},
        {
            r"$\alpha_1 = 8$": rf"$\alpha_1 = {largest}$",
            r"$\alpha_2 = 2$": rf"$\alpha_2 = {second}$",
            r"$\lVert E \rVert = 0.75$": rf"$\lVert E \rVert = {noise:g}$",
        },
        angle,
        np.radians(angle),
    )


# --- Kernels and distances


@family("kpca-10")
def least_similarity(rng):
    (percent,) = until(lambda: (whole(rng, 50, 95),), lambda p: not 66 < p < 76)
    s = percent / 100
    return Variant({"s": s}, {"= k(y, z) = 0.8$": f"= k(y, z) = {s:g}$"}, 2 * s**2 - 1, s**2)


@family("kpca-11")
def bound_of_a_difference(rng):
    length, sigma, distance = until(
        lambda: (whole(rng, 1, 6), whole(rng, 1, 3), whole(rng, 1, 4)), lambda f, s, r: r / s >= 0.5
    )
    similarity = np.exp(-(distance**2) / (2 * sigma**2))
    return Variant(
        {"length": length, "sigma": sigma, "distance": distance},
        {
            r"$\lVert f \rVert = 2$": rf"$\lVert f \rVert = {length}$",
            r"$\sigma = 1$": rf"$\sigma = {sigma}$",
            "at distance 1.": f"at distance {distance}.",
        },
        length * np.sqrt(2 - 2 * similarity),
        length * distance / sigma,
    )


@family("mds-9")
def three_objects(rng):
    a, b, c = until(lambda: tuple(sorted(whole(rng, 2, 9) for _ in range(3))), lambda a, b, c: a < b < c and c < a + b)
    squares = np.array([[0, a, b], [a, 0, c], [b, c, 0]], dtype=float) ** 2
    product = np.prod(np.linalg.eigvalsh(kernel_from_squared_distances(squares))[1:])
    return Variant({"sides": (a, b, c)}, {"$a, b, c = 2, 3, 4$": f"$a, b, c = {a}, {b}, {c}$"}, product, 12 * product)


@family("mds-10")
def one_shape_two_sizes(rng):
    of_data = 10 * whole(rng, 3, 12)
    of_map = whole(rng, of_data // 2, 9 * of_data // 10)
    square = 1 - of_map / of_data
    return Variant(
        {"of_data": of_data, "of_map": of_map},
        {r"\delta_{ij}^2 = 50$": rf"\delta_{{ij}}^2 = {of_data}$", "d_{ij}^2 = 40$": f"d_{{ij}}^2 = {of_map}$"},
        [of_data / of_map, np.sqrt(square)],
        [of_data / of_map, square],
    )


# --- Graphs


@family("graphs-1")
def four_points_on_a_line(rng):
    gaps = until(lambda: tuple(whole(rng, 1, 6) for _ in range(3)), lambda a, b, c: a != b and b != c)
    places = (0, *np.cumsum(gaps).tolist())
    points = np.array(places, dtype=float)[:, np.newaxis]
    graphs = [knn_graph(points, 1, mutual=mutual) for mutual in (False, True)]
    answer = [number for graph in graphs for number in (graph.nnz // 2, len(graph_components(graph)[1]))]
    return Variant(
        {"places": places},
        {"0, 1, 3 and 7": "{}, {}, {} and {}".format(*places)},
        answer,
        [4, 1, 1, 3],
    )


@family("graphs-2")
def chord_and_arc(rng):
    percent = whole(rng, 4, 30) / 10
    radians = np.sqrt(0.24 * percent)
    return Variant({"percent": percent}, {"is 1% shorter": f"is {percent:g}% shorter"}, np.degrees(radians), radians)


@family("graphs-9")
def sector_of_a_cone(rng):
    (alpha,) = until(lambda: (whole(rng, 10, 80),), lambda a: abs(a - 45) > 4)
    degrees = 360 * np.sin(np.radians(alpha))
    return Variant({"alpha": alpha}, {r"$\alpha = 30°$": rf"$\alpha = {alpha}°$"}, degrees, np.radians(degrees))


@family("isomap-1")
def shortest_paths_by_hand(rng):
    lengths = tuple(whole(rng, 1, 9) for _ in range(7))
    edges = sparse.csr_array((lengths, ([0, 0, 1, 1, 2, 2, 3], [1, 2, 2, 3, 3, 4, 4])), shape=(5, 5), dtype=float)
    answer = geodesic_distances(edges + edges.T)[0, 1:]
    return Variant(
        {"lengths": lengths},
        {
            "AB of length 2, AC 5, BC 1, BD 6, CD 2, CE 6, DE 3": "AB of length {}, AC {}, BC {}, BD {}, "
            "CD {}, CE {}, DE {}".format(*lengths)
        },
        answer,
        answer + [0, 0, 0, 1],
    )


# --- Local methods


@family("lle-1")
def weights_by_hand(rng):
    a, b = until(lambda: (whole(rng, 1, 6), whole(rng, 1, 6)), lambda a, b: a != b)
    neighbors = np.array([[a, 0], [0, b]], dtype=float)
    w = reconstruction_weights(np.zeros((1, 2)), np.array([[0, 1]]), 0.0, points=neighbors)[0]
    error = np.sum((w @ neighbors) ** 2)
    return Variant(
        {"distances": (a, b)},
        {"$(1, 0)$ and $(0, 2)$": f"$({a}, 0)$ and $(0, {b})$"},
        [*w, error],
        [*w[::-1], error],
    )


@family("lle-2")
def outside_its_neighbors(rng):
    first, places = whole(rng, 1, 4), (whole(rng, 1, 9), whole(rng, 10, 19))
    second = first + whole(rng, 1, 4)
    share = second / (second - first)
    place = np.dot([share, 1 - share], places)
    return Variant(
        {"neighbors": (first, second), "embedded": places},
        {"at 1 and at 3": f"at {first} and at {second}", "at 5 and at 9": "at {} and at {}".format(*places)},
        [share, 1 - share, place],
        [share, 1 - share, place + 1],
    )


@family("lle-10")
def even_weights_on_a_ring(rng):
    n = whole(rng, 5, 30)
    once = 1 - np.cos(2 * np.pi / n)
    return Variant(
        {"n": n},
        {"Twelve points stand": f"A number of {n} points stand", "i/12)": f"i/{n})", r"\dots, 12$": rf"\dots, {n}$"},
        once**2,
        once,
    )


@family("tangents-1")
def three_points_on_a_line(rng):
    a, b = until(lambda: (whole(rng, 0, 5), whole(rng, 0, 5)), lambda a, b: a != b)
    slanted = until(lambda: tuple(whole(rng, 0, 7) for _ in range(3)), lambda a, b, c: a != c and a + c != 2 * b)
    costs = [_cost_of_a_patch(function) for function in ((a, b, a), slanted)]
    return Variant(
        {"level": (a, b, a), "slanted": slanted},
        {"$1, 0, 1$": f"${a}, {b}, {a}$", "$0, 1, 5$": "${}, {}, {}$".format(*slanted)},
        costs,
        [6 * cost for cost in costs],
    )


def _cost_of_a_patch(function):
    """What is left of a function on three points in a row after its best straight line."""
    line = np.column_stack([np.ones(3), [-1, 0, 1]])
    return np.linalg.lstsq(line, function)[1][0]


@family("tangents-2")
def bending_by_hand(rng):
    p, q, r = whole(rng, 2, 6), whole(rng, 2, 7), whole(rng, 2, 6)
    f = 2 * p, q, -2 * r
    total = np.sum(np.square([[f[0], f[1]], [f[1], f[2]]]))
    return Variant(
        {"coefficients": (p, q, -r)},
        {"c_1^2 + 3 c_1 c_2 - 2 c_2^2": f"{p} c_1^2 + {q} c_1 c_2 - {r} c_2^2"},
        [*f, total],
        [*f, np.sum(np.square(f))],
    )


@family("tangents-9")
def points_on_a_line(rng):
    n = whole(rng, 5, 40)
    return Variant({"n": n}, {"for $n = 10$?": f"for $n = {n}$?"}, n * 2 / 3, (n - 2) * 2 / 3)


@family("lem-2")
def widths(rng):
    sigma = whole(rng, 2, 24) / 2
    s = 2 * sigma**2
    return Variant({"s": s}, {"$s = 18$": f"$s = {s:g}$"}, [sigma, s / 4, 100**2], [sigma, s / 4, 100])


@family("sde-2")
def an_elbow(rng):
    a, b = whole(rng, 1, 9), whole(rng, 1, 9)
    straight = np.sum(np.square([a, b, a + b])) / 3
    bent = np.sum(np.square([a, b, np.hypot(a, b)])) / 3
    return Variant(
        {"a": a, "b": b},
        {"are 3 apart": f"are {a} apart", "are 4 apart": f"are {b} apart"},
        [straight, bent],
        [bent] * 2,
    )


@family("sde-9")
def a_ring_of_beads(rng):
    n = whole(rng, 4, 40)
    corners = np.exp(2j * np.pi * np.arange(n) / n)
    spread = np.sum(np.abs(corners / abs(corners[1] - corners[0])) ** 2)
    return Variant({"n": n}, {"for $n = 12$?": f"for $n = {n}$?"}, spread, spread / n)


@family("unified-9")
def axes_of_its_own_dot_products(rng):
    beside = whole(rng, 1, 7)
    diagonal = beside + whole(rng, 1, 7)
    lengths = largest_eigenpairs(np.array([[diagonal, beside], [beside, diagonal]], dtype=float), 2)[0]
    return Variant(
        {"diagonal": diagonal, "beside": beside},
        {r"5 & 3 \\ 3 & 5": rf"{diagonal} & {beside} \\ {beside} & {diagonal}"},
        lengths,
        np.sqrt(lengths),
    )


# --- Noise and causes


@family("ppca-2")
def free_numbers(rng):
    D = whole(rng, 8, 40)
    d = whole(rng, 2, min(6, D - 3))
    counts = [D * m - m * (m - 1) // 2 + 1 for m in range(D)]
    full = D * (D + 1) // 2
    least = next(m for m, count in enumerate(counts) if count >= full)
    return Variant(
        {"D": D, "d": d},
        {"$D = 20$": f"$D = {D}$", "$d = 5$": f"$d = {d}$"},
        [counts[d], full, least],
        [D * d + 1, full, least],
    )


@family("em-2")
def one_hole_by_hand(rng):
    basis, shown = [whole(rng, 1, 4) for _ in range(3)], [whole(rng, 1, 5) for _ in range(2)]
    seen, last = np.array(basis[:2]), basis[2]
    z = np.linalg.lstsq(seen[:, np.newaxis], np.array(shown))[0][0]
    y = np.linalg.solve([[1 + seen @ seen]], [seen @ shown])[0]
    return Variant(
        {"basis": tuple(basis), "values": tuple(shown)},
        {"(1, 2, 2)": "({}, {}, {})".format(*basis), "$(2, 1, ?)$": "$({}, {}, ?)$".format(*shown)},
        [z, z * last, y, y * last],
        [z, z * last, z, z * last],
    )


@family("em-9")
def factors_of_column_means(rng):
    missing = whole(rng, 5, 60) / 100
    seen = 1 - missing
    return Variant(
        {"missing": missing}, {"$m = 0.36$": f"$m = {missing:g}$"}, [seen, seen**2, seen], [seen, seen, seen]
    )


@family("fa-8")
def two_columns(rng):
    first, second, covariance = until(
        lambda: (whole(rng, 2, 8), whole(rng, 2, 8), whole(rng, 1, 4)), lambda p, r, q: q**2 < p * r
    )
    least, most = covariance / np.sqrt(second), np.sqrt(first)
    return Variant(
        {"variances": (first, second), "covariance": covariance},
        {r"2 & 1 \\ 1 & 3": rf"{first} & {covariance} \\ {covariance} & {second}"},
        [least, most],
        [0, most],
    )


@family("ica-9")
def no_false_tips(rng):
    first, second = whole(rng, 1, 9), whole(rng, 1, 9)
    p = second / (first + second)
    kurtosis = first * p**2 + second * (1 - p) ** 2
    return Variant(
        {"kurtoses": (first, second)},
        {r"$\kappa_1 = 2$": rf"$\kappa_1 = {first}$", r"$\kappa_2 = 6$": rf"$\kappa_2 = {second}$"},
        [p, kurtosis],
        [p, 2 * kurtosis],
    )


@family("rp-1")
def eight_sign_vectors(rng):
    x = [whole(rng, 1, 4) for _ in range(3)]
    signs = np.stack(np.meshgrid(*[[-1, 1]] * 3), axis=-1).reshape(8, 3)
    squares = (signs @ x) ** 2
    mean = squares.mean()
    return Variant(
        {"x": tuple(x)},
        {"$x = (1, 2, 2)$": "$x = ({}, {}, {})$".format(*x)},
        [mean, squares.var(), 2 * mean**2],
        [mean, squares.var(ddof=1), 2 * mean**2],
    )


@family("rp-6")
def dot_products(rng):
    error, lengths, d = whole(rng, 1, 6) / 20, (whole(rng, 1, 9), whole(rng, 1, 9)), 50 * whole(rng, 1, 20)
    bound = error * lengths[0] * lengths[1]
    return Variant(
        {"error": error, "lengths": lengths, "d": d},
        {
            r"$\varepsilon = 0.1$ and lengths 3 and 4": rf"$\varepsilon = {error:g}$ and lengths "
            "{} and {}".format(*lengths),
            "$d = 100$": f"$d = {d}$",
        },
        [bound, np.sqrt(1 / d), np.sqrt(2 / d)],
        [bound, 1 / d, 2 / d],
    )


# --- Local models, curves and neighbors


@family("alignment-1")
def two_charts_share_a_point(rng):
    first = whole(rng, 1, 5)
    places = first, first + whole(rng, 2, 9)
    part, all_parts = until(
        lambda: (whole(rng, 1, 4), whole(rng, 3, 6)), lambda k, n: k < n and 2 * k != n and gcd(k, n) == 1
    )
    parts = part, all_parts - part
    place = np.average(places, weights=parts)
    disagreement = np.average((np.array(places) - place) ** 2, weights=parts)
    return Variant(
        {"places": places, "parts": parts},
        {
            "1/4 and 3/4": "{}/{n} and {}/{n}".format(*parts, n=all_parts),
            "at 2 on": f"at {places[0]} on",
            "second at 6.": f"second at {places[1]}.",
        },
        [place, disagreement],
        [place, (places[1] - places[0]) ** 2 / 4],
    )


@family("alignment-2")
def a_vote_by_hand(rng):
    votes, precisions = (whole(rng, 0, 4), whole(rng, 5, 9)), (whole(rng, 1, 5), whole(rng, 1, 5))
    place = np.average(votes, weights=precisions)
    return Variant(
        {"votes": votes, "precisions": precisions},
        {
            "0 and 4": "{} and {}".format(*votes),
            "precisions 1 and 3": "precisions {} and {}".format(*precisions),
        },
        [place, 1 / np.mean(precisions)],
        [place, np.mean(precisions) * 3],
    )


@family("curves-2")
def pulls_that_cancel(rng):
    noise = whole(rng, 10, 50) / 200
    reach = noise * np.sqrt(243 / 35)
    return Variant(
        {"noise": noise}, {"standard deviation 0.2": f"standard deviation {noise:g}"}, 2 * reach / np.pi, reach
    )


@family("choosing-5")
def memory_by_hand(rng):
    gigabytes = whole(rng, 2, 128)
    return Variant(
        {"gigabytes": gigabytes},
        {r"16 GB ($16 \cdot 10^9$ bytes)": rf"{gigabytes} GB (${gigabytes} \cdot 10^9$ bytes)"},
        [np.floor(np.sqrt(gigabytes * 1e9 / 24)), np.floor(gigabytes * 1e9 / 120)],
        [np.floor(np.sqrt(gigabytes * 1e9 / 8)), np.floor(gigabytes * 1e9 / 120)],
    )


@family("choosing-8")
def kept_beyond_chance(rng):
    others, k = 100 * whole(rng, 1, 5), 10 * whole(rng, 1, 4)
    chance = k / others
    share = round(chance + whole(rng, 6, 40) / 100, 2)
    return Variant(
        {"n": others + 1, "k": k, "share": share},
        {
            "of 201 points": f"of {others + 1} points",
            "keeps 0.24 of the 40 nearest": f"keeps {share:g} of the {k} nearest",
            "$R(40)$": f"$R({k})$",
        },
        (share - chance) / (1 - chance),
        share,
    )


@family("choosing-9")
def price_of_a_lost_direction(rng):
    long = whole(rng, 40, 99)
    short = whole(rng, long // 4, long // 2)
    both = np.square([long, short]) / 12
    return Variant(
        {"long": long, "short": short},
        {"90 × 21 evenly, like our roll's sheet?": f"{long} × {short} evenly?"},
        both[1] / both.sum(),
        both[1] / both[0],
    )


@family("large-5")
def scatter_of_a_union(rng):
    counts, means = (whole(rng, 2, 9), whole(rng, 2, 9)), (whole(rng, 1, 5), whole(rng, 6, 9))
    scatters = whole(rng, 2, 20), whole(rng, 2, 20)
    mean = np.average(means, weights=counts)
    scatter = sum(scatters) + np.dot(counts, (np.array(means) - mean) ** 2)
    words = "$n_1 = {}$, $m_1 = {}$, $S_1 = {}$ and $n_2 = {}$, $m_2 = {}$, $S_2 = {}$"
    return Variant(
        {"counts": counts, "means": means, "scatters": scatters},
        {
            words.format(3, 2, 8, 6, 5, 10): words.format(
                *(part[i] for i in (0, 1) for part in (counts, means, scatters))
            )
        },
        scatter,
        sum(scatters),
    )


@family("large-6")
def workers_at_home(rng):
    rows, speed = whole(rng, 1, 9), whole(rng, 1, 9)
    square = rows * 1e8 * 1e9 / (8 * speed * 1e9)
    return Variant(
        {"n": rows * 1e8, "multiplications": speed * 1e9},
        {
            r"$n = 5 \cdot 10^8$": rf"$n = {rows} \cdot 10^8$",
            r"$\varphi = 5 \cdot 10^9$": rf"$\varphi = {speed} \cdot 10^9$",
        },
        np.sqrt(square),
        square,
    )
