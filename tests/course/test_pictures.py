"""How large a picture is on a screen stands in the head of its file, however few bytes it has."""

import base64

import pytest

from grading import pages
from grading.pictures import Album, is_too_large


def png(width, height):
    return b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR" + width.to_bytes(4, "big") + height.to_bytes(4, "big")


def jpeg(width, height, before=b"\xff\xe0\0\4\xff\xc0"):
    return b"\xff\xd8" + before + b"\xff\xc2\0\x0b\x08" + height.to_bytes(2, "big") + width.to_bytes(2, "big")


def webp(kind, size):
    return b"RIFF\0\0\0\0WEBP" + kind + bytes(4) + size


def lossy(width, height):
    return webp(b"VP8 ", b"\0\0\0\x9d\x01\x2a" + width.to_bytes(2, "little") + height.to_bytes(2, "little"))


def lossless(width, height):
    return webp(b"VP8L", b"\x2f" + (width - 1 | (height - 1) << 14).to_bytes(4, "little"))


def extended(width, height):
    return webp(b"VP8X", bytes(4) + (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little"))


@pytest.mark.parametrize("make", [png, jpeg, lossy, lossless, extended])
def test_the_pixels_of_a_picture_are_counted(make):
    assert not is_too_large(make(8000, 5000)) and is_too_large(make(8001, 5000))


@pytest.mark.parametrize(
    "between", [b"", b"\xff\xe0\0\2junk", b"\xff\xff\xff\x01", b"\xff\xc4\0\3x", b"\xff\0\xff\xd8"]
)
def test_what_stands_before_the_size_in_a_jpeg_hides_nothing(between):
    assert is_too_large(jpeg(9000, 9000, between))


@pytest.mark.parametrize("data", [b"", b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"\xff\xd8\xff\xe0", b"RIFF....WEBPVP8X"])
def test_a_picture_that_does_not_say_its_size_shows_none(data):
    assert not is_too_large(data)


def test_no_way_leads_a_picture_of_too_many_pixels_to_a_page():
    data = base64.b64encode(png(30000, 30000)).decode()
    album = Album()
    text, kept = album.keep("![x](attachment:x)", {"x": {"image/png": data}}, "task 1")
    assert text == "*The picture x was not kept.*" and not kept
    assert album.notes == ["task 1: the picture x was not kept: it has more than 40 million pixels"]
    output = {"output_type": "display_data", "data": {"image/png": data, "text/plain": "<Figure>"}}
    pages.make_plain(output, 1000)
    assert output["data"] == {"text/plain": "(a picture of more than 40 million pixels)"}
    context = type("Context", (dict,), {})()
    assert "base64" not in pages.text_to_html(context, f"![x](data:image/png;base64,{data})")
    small = base64.b64encode(png(300, 300)).decode()
    assert small in pages.text_to_html(context, f"![x](data:image/png;base64,{small})")
