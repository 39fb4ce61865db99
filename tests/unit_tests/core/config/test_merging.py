"""One deep merge: sections merge, everything else replaces."""

from primus.core.config.merging import merge
from primus.core.config.nodes import history, leaves, to_plain
from primus.core.config.yaml_reader import parse_yaml


def tree(text, file="f.yaml", layer="experiment"):
    return parse_yaml(text, file, layer)


def merged(*texts):
    result = tree(texts[0], "0.yaml")
    for number, text in enumerate(texts[1:], start=1):
        result = merge(result, tree(text, f"{number}.yaml"))
    return result


def test_sections_merge_deep_and_keep_the_order_of_the_lower_layer():
    result = merged("a: {b: {c: 1, d: 2}, e: 3}\nf: 4", "a: {b: {d: 20, x: 5}}\ng: 6")
    assert to_plain(result) == {"a": {"b": {"c": 1, "d": 20, "x": 5}, "e": 3}, "f": 4, "g": 6}
    assert list(result.items) == ["a", "f", "g"]


def test_lists_replace():
    assert to_plain(merged("a: [1, 2, 3]", "a: [4]")) == {"a": [4]}


def test_a_value_replaces_a_section_and_the_other_way_round():
    assert to_plain(merged("a: {b: 1}\nc: 2", "a: 3\nc: {d: 4}")) == {"a": 3, "c": {"d": 4}}


def test_null_replaces():
    assert to_plain(merged("a: 1\nb: {c: 2}\nd: 3", "a: null\nb: null\nd:")) == {"a": None, "b": None, "d": None}


def test_a_section_without_a_line_keeps_what_lower_layers_set():
    assert to_plain(merged("b: {c: 2}", "b:")) == {"b": {"c": 2}}


def test_a_value_equal_to_the_lower_one_still_counts_as_set_above():
    assert merged("a: 1", "a: 1").find("a").origin.file == "1.yaml"


def test_a_value_remembers_everything_it_replaced_nearest_first():
    node = merged("a: 1", "a: 2", "a: 3").find("a")
    assert [(to_plain(old), old.origin.file) for old in history(node)] == [(2, "1.yaml"), (1, "0.yaml")]


def test_merging_a_merged_tree_on_top_keeps_both_histories():
    upper = merge(tree("a: 3", "2.yaml"), tree("a: 4", "3.yaml"))
    node = merge(tree("a: 1", "1.yaml"), upper).find("a")
    assert [old.origin.file for old in history(node)] == ["2.yaml", "1.yaml"]


def test_a_long_history_needs_no_deep_stack():
    node = merged(*[f"a: {number}" for number in range(3000)]).find("a")
    assert len(list(history(node))) == 2999


def test_neither_input_is_changed():
    base, over = tree("a: {b: 1}"), tree("a: {c: 2}")
    merge(base, over)
    assert to_plain(base) == {"a": {"b": 1}} and to_plain(over) == {"a": {"c": 2}}


def test_leaves_are_all_that_is_no_filled_section():
    assert [key for key, _ in leaves(tree("a: {b: 1, c: {}}\nd: []"))] == ["a.b", "a.c", "d"]
