"""YAML is read strictly, and every node knows its place."""

import pytest
import yaml

from primus.core.config.nodes import to_plain
from primus.core.config.yaml_events import MAX_EVENTS
from primus.core.config.yaml_reader import MAX_ALIASED, parse_yaml, read_yaml
from primus.core.errors import ConfigError

PARSERS = [pytest.param(False, id="python")]
if hasattr(yaml, "_yaml"):
    PARSERS.append(pytest.param(True, id="libyaml"))


@pytest.fixture(params=PARSERS)
def read(request):
    return lambda text: parse_yaml(text, "exp.yaml", "experiment", use_c=request.param)


def message(read, text):
    with pytest.raises(ConfigError) as caught:
        read(text)
    return caught.value.lines()


def test_every_node_knows_file_line_and_column_of_its_key(read):
    root = read("a: 1\nb:\n  c: [x,\n      y]\n")
    places = {key: (root.find(key).origin.line, root.find(key).origin.column) for key in ("a", "b", "b.c")}
    assert places == {"a": (1, 1), "b": (2, 1), "b.c": (3, 3)}
    assert [item.origin.line for item in root.find("b.c").items] == [3, 4]
    assert root.find("a").origin.place == "exp.yaml:1" and root.find("a").origin.layer == "experiment"


def test_plain_scalars_are_typed_and_quoted_ones_stay_text(read):
    root = read("a: 1e-5\nb: '1e-5'\nc: \"true\"\nd: 1.10\ne: |\n  12\n")
    assert to_plain(root) == {"a": 1e-5, "b": "1e-5", "c": "true", "d": 1.1, "e": "12\n"}
    assert root.find("d").text == "1.10"


def test_a_file_without_content_is_nothing(read):
    assert read("") is None and read("# only a comment\n") is None and read("---\n") is None


def test_a_duplicate_key_is_refused_with_both_lines(read):
    assert message(read, "a: 1\nb: 2\na: 3\n") == ["exp.yaml:3: key 'a' is there already in line 1", "keep one of them"]


def test_a_duplicate_key_in_braces_is_refused(read):
    assert message(read, "x: {a: 1, a: 2}")[0] == "exp.yaml:1: key 'a' is there already in line 1"


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("a:\n\tb: 1\n", "exp.yaml:2: a tab in column 1"),
        ("a:\tb\n", "exp.yaml:1: a tab in column 3"),
        ("a: b\t# c\n", "exp.yaml:1: a tab in column 5"),
        ("a: b\tc\n", "exp.yaml:1: a tab in column 5"),
        ("a: [b,\tc]\n", "exp.yaml:1: a tab in column 7"),
        ("- a\n-\tb\n", "exp.yaml:2: a tab in column 2"),
        ("a: |\t\n  b\n", "exp.yaml:1: a tab in column 5"),
        ("a: 'x'\t\n", "exp.yaml:1: a tab in column 7"),
    ],
)
def test_a_tab_outside_of_quotes_blocks_and_comments_is_refused(read, text, place):
    assert message(read, text) == [
        f"{place}, where YAML wants spaces",
        "replace it with spaces, or quote the value that holds it",
    ]


def test_a_tab_inside_of_quotes_blocks_and_comments_is_kept(read):
    text = "# a\tcomment\na: 'x\ty' # b\tc\nb: |\n  x\ty\n  z\n#\tc\n"
    assert to_plain(read(text)) == {"a": "x\ty", "b": "x\ty\nz\n"}


def test_a_line_of_a_million_tabs_in_a_comment_is_read_at_once(read):
    assert to_plain(read("a: 1 #" + "\t" * 1_000_000 + "\n")) == {"a": 1}


def test_several_documents_are_refused(read):
    assert message(read, "a: 1\n---\nb: 2\n") == [
        "exp.yaml:2: a second document starts",
        "keep one document in a file",
    ]


def test_document_marks_around_one_document_are_fine(read):
    assert to_plain(read("%YAML 1.2\n---\na: 1\n...\n")) == {"a": 1}


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("1: x", "key '1' is no text"),
        ("true: x", "key 'true' is no text"),
        ("~: x", "key '~' is no text"),
        ("1e5: x", "key '1e5' is no text"),
        ("{? : x}", "a key is empty"),
        ("? [a]\n: x", "a list or section stands as a key"),
        ("{a: b}: c", "a list or section stands as a key"),
        ("a: &k b\n*k : c", "an alias stands as a key"),
        ("&k a: b", "key 'a' has an anchor or a tag"),
        ("<<: {a: 1}", "'<<' is no part of YAML 1.2"),
    ],
)
def test_a_key_that_is_no_text_is_refused(read, text, what):
    assert message(read, text)[0].partition(": ")[2] == what


def test_a_quoted_key_is_text_whatever_it_looks_like(read):
    assert to_plain(read("'1': x\n\"<<\": y\n")) == {"1": "x", "<<": "y"}


def test_aliases_repeat_a_value_with_the_place_of_the_alias(read):
    root = read("a: &k {x: 1}\nb: *k\n")
    assert to_plain(root) == {"a": {"x": 1}, "b": {"x": 1}}
    assert root.find("b").origin.line == 2 and root.find("b.x").origin.line == 1


def test_an_alias_without_an_anchor_is_refused(read):
    assert message(read, "a: *star") == ["exp.yaml:1: alias *star has no anchor", "quote the value if it is a text"]


def test_an_alias_inside_its_own_anchor_is_refused(read):
    assert message(read, "a: &k [*k]") == ["exp.yaml:1: alias *k is inside its own anchor", "write it out"]


def test_an_alias_bomb_is_refused(read):
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 12)]
    assert message(read, "\n".join(lines)) == [
        f"exp.yaml:4: aliases expand to more than {MAX_ALIASED} values",
        "write them out",
    ]


def test_deep_nesting_is_refused(read):
    assert message(read, "[" * 5000)[0] == "exp.yaml:1: more than 100 levels"


def test_too_many_values_are_refused(read, monkeypatch):
    assert MAX_EVENTS == 100_000
    monkeypatch.setattr("primus.core.config.yaml_events.MAX_EVENTS", 1000)
    assert message(read, "[" + "a," * 1001)[0] == "exp.yaml:1: more than 1000 values"


def test_a_word_in_braces_without_a_value_is_refused(read):
    assert message(read, "a: {x}") == [
        "exp.yaml:1: 'x' in braces has no value",
        "write {key: value}, or use quotes",
    ]
    assert message(read, "a: {x:1}")[0] == "exp.yaml:1: 'x:1' in braces has no value"
    assert to_plain(read("a: {x: }")) == {"a": {"x": None}}


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (
            "a: b: c",
            ["exp.yaml:1: ': ' stands where no key can", "quote the value that holds it, or mend the indentation"],
        ),
        ("a: [1, 2", ["exp.yaml:1: a list in brackets is not closed", "write ',' or ']'"]),
        ("a: {b: 1", ["exp.yaml:1: a section in braces is not closed", "write ',' or '}'"]),
        ("a: 'x", ["exp.yaml:1: a quote is not closed", "close it"]),
        (
            "a: 1\nb",
            ["exp.yaml:2: a line is neither 'key: value' nor '- item'", "mend the line, or the quotes before it"],
        ),
        (
            "a:\n  b: 1\n c: 2",
            ["exp.yaml:3: the indentation does not fit the lines above", "line up the keys of one section"],
        ),
        ("a: @x", ["exp.yaml:1: a value cannot start with '@'", "quote the value"]),
        ("a: `x", ["exp.yaml:1: a value cannot start with '`'", "quote the value"]),
        ('a: "\\q"', ["exp.yaml:1: unknown escape in double quotes", "double the backslash, or use single quotes"]),
        (
            "a: !!python/object:os.system x",
            ["exp.yaml:1: tag !!python/object:os.system does not fit 'x'", "leave the tag out"],
        ),
        ('a: "\\ud83d"', ["exp.yaml:1: an escape stands for half a character", "write the character itself"]),
        ('"\\ud83d": a', ["exp.yaml:1: an escape stands for half a character", "write the character itself"]),
        ("a: !thing {}", ["exp.yaml:1: tag !thing is not known", "leave the tag out"]),
    ],
)
def test_malformed_yaml_is_explained_with_its_line(read, text, lines):
    assert message(read, text) == lines


def test_standard_tags_decide_the_type(read):
    assert to_plain(read("a: !!str 12\nb: !!int '12'\nc: !!float 1.5\nd: ! 12\n")) == {
        "a": "12",
        "b": 12,
        "c": 1.5,
        "d": "12",
    }
    assert message(read, "a: !!int x")[0] == "exp.yaml:1: tag !!int does not fit 'x'"
    assert message(read, "a: !!int true")[0] == "exp.yaml:1: tag !!int does not fit 'true'"


def test_a_byte_order_mark_and_windows_line_ends_change_nothing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "exp.yaml").write_bytes(b'\xef\xbb\xbfa: 1\r\nb: |\r\n  x\r\n  y\r\nc: "p\r\n  q"\r\n')
    root = read_yaml("exp.yaml", "experiment")
    assert to_plain(root) == {"a": 1, "b": "x\ny\n", "c": "p q"}
    assert root.find("b").origin.line == 2


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        ("a: 1".encode("utf-16"), ["exp.yaml:1: the file is UTF-16", "save it as UTF-8"]),
        (b"a: 1\nb: \xe9\n", ["exp.yaml:2: byte 0xe9 is not UTF-8", "save the file as UTF-8"]),
        (
            b"a: 1\nb: x\x00\n",
            [
                "exp.yaml:2: character U+0000 is not allowed in YAML",
                "remove it, or write it as an escape in double quotes",
            ],
        ),
        (
            "a: x\ufeffy".encode(),
            [
                "exp.yaml:1: character U+FEFF is not allowed in YAML",
                "remove it, or write it as an escape in double quotes",
            ],
        ),
    ],
)
def test_bytes_that_are_no_yaml_text_are_refused_with_their_line(tmp_path, monkeypatch, data, lines):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "exp.yaml").write_bytes(data)
    with pytest.raises(ConfigError) as caught:
        read_yaml("exp.yaml", "experiment")
    assert caught.value.lines() == lines


def test_what_is_no_readable_file_is_refused(tmp_path, monkeypatch):
    import os

    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe")
    (tmp_path / "expo.yaml").write_text("a: 1")
    (tmp_path / "big.yaml").write_bytes(b"#" * (4 * 1024 * 1024 + 1))
    seen = []
    for name in ("exp.yaml", ".", "pipe", "big.yaml", "expo.yaml/x", "no/exp.yaml", "nul\0.yaml"):
        with pytest.raises(ConfigError) as caught:
            read_yaml(name, "experiment")
        seen.append(caught.value.lines())
    assert seen == [
        ["exp.yaml does not exist", "did you mean expo.yaml?"],
        [". is a directory", "name a file in it"],
        ["pipe is no regular file", "write it to one: it is read again"],
        ["big.yaml has 4194305 bytes, more than 4194304"],
        ["expo.yaml/x cannot be read: Not a directory"],
        ["no/exp.yaml does not exist", "there is no folder no either"],
        ["nul\0.yaml cannot be read: embedded null byte"],
    ]


def test_both_parsers_are_there_or_the_python_one_serves_alone(monkeypatch):
    from primus.core.config import yaml_events

    monkeypatch.setattr(yaml_events, "_CParser", None)
    assert to_plain(parse_yaml("a: [1, x]", "exp.yaml", "experiment")) == {"a": [1, "x"]}


@pytest.mark.parametrize("old", ["\x85", "\u2028", "\u2029"])
def test_lines_are_those_of_an_editor_whatever_yaml_1_1_called_a_line_end(read, old):
    node = read(f"# one{old}two: 3\na: 'x{old}y'\nb: \"{old} \\ue000\"\nc: d{old}e\r\nf: |\n  g{old}h\ni: 1\n")
    assert to_plain(node) == {"a": f"x{old}y", "b": f"{old} \ue000", "c": f"d{old}e", "f": f"g{old}h\n", "i": 1}
    assert [item.origin.line for item in node.items.values()] == [2, 3, 4, 5, 7]
    with pytest.raises(ConfigError) as caught:
        read(f"a: '{old}'\n\tb: 1\n")
    assert caught.value.line == 2


def test_the_escapes_of_json_for_one_character_are_put_together(read):
    assert to_plain(read(r'{"\ud83d\ude00": "a\ud83d\ude00b"}')) == {"\U0001f600": "a\U0001f600b"}
    with pytest.raises(ConfigError) as caught:
        read(r'a: "\ud83d\ude00\ud83d"')
    assert caught.value.lines() == ["exp.yaml:1: an escape stands for half a character", "write the character itself"]


def test_the_line_of_a_byte_that_is_not_utf_8_counts_every_line_end(tmp_path):
    (tmp_path / "a.yaml").write_bytes(b"a: 1\rb: 2\r\nc: \xff\n")
    with pytest.raises(ConfigError) as caught:
        read_yaml(tmp_path / "a.yaml", "experiment")
    assert caught.value.line == 3


@pytest.mark.parametrize("text", ["a: [${A:x}]", "a: [${A}, 1]", "a: {b: ${A}}"])
def test_a_variable_in_brackets_without_quotes_is_told_so(read, text):
    told = ["exp.yaml:1: '${' in brackets or braces without quotes", 'put it in quotes: "${NAME:default}"']
    assert message(read, text) == told
