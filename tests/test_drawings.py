"""The drawings of `ARCHITECTURE.md` show the layers of the actual imports."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest

from bench import drawings
from tests.test_architecture import ORDER

NAME = "{http://www.w3.org/2000/svg}"


def test_the_drawings_and_their_words_are_up_to_date() -> None:
    for path, text in drawings.contents().items():
        assert path.read_text(encoding="utf-8") == text, "python -m bench.drawings writes them anew"


@pytest.mark.parametrize("package", ORDER)
def test_every_part_is_in_one_box_that_holds_its_name(package: str) -> None:
    picture = ET.fromstring(drawings.drawing(package))
    boxes = [each for each in picture.iter(f"{NAME}rect") if each.get("class") != "layer"]
    names = [each.text for each in picture.iter(f"{NAME}text")]
    assert sorted(map(str, names)) == sorted(part for part in ORDER[package] if not part.startswith("__"))
    for box, name in zip(boxes, names, strict=True):
        assert float(box.attrib["width"]) > len(str(name)) * 7.9
        assert 0 <= float(box.attrib["x"]) <= float(picture.attrib["width"]) - float(box.attrib["width"])


@pytest.mark.parametrize("package", ORDER)
def test_no_part_imports_one_of_its_layer(package: str) -> None:
    for layer in drawings.layers(package):
        for part in layer:
            assert not drawings.imports(package, part) & set(layer) - {part}


def test_a_part_that_imports_its_neighbour_begins_a_layer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ORDER, "oracle", ["errors", "text", "mqi"])
    assert drawings.layers("oracle") == [["errors"], ["text"], ["mqi"]]


def test_a_page_without_a_drawing_is_refused() -> None:
    with pytest.raises(SystemExit, match=r"has to show docs/drawings/oracle\.svg once"):
        drawings.page("No drawing.\n")
