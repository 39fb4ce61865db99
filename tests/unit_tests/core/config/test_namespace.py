"""Nested dicts to nested namespaces and back."""

from types import SimpleNamespace

from primus.core.config.namespace import to_dict, to_namespace


def test_sections_become_namespaces_at_every_depth():
    space = to_namespace({"a": {"b": {"c": 1}}, "d": [1, {"e": 2}]})
    assert space.a.b.c == 1 and space.d[0] == 1 and space.d[1].e == 2


def test_the_way_back_gives_the_same():
    values = {"a": {"b": {"c": None}}, "d": [1, {"e": 2.5}], "self": "x"}
    assert to_dict(to_namespace(values)) == values


def test_what_is_no_section_is_returned_as_it_is():
    assert to_dict(3) == 3 and to_dict([SimpleNamespace(a=1)]) == [{"a": 1}]
