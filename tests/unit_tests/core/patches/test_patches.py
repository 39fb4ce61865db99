"""Patches are filtered, ordered, applied and accounted for."""

import logging
from types import SimpleNamespace

import pytest

from primus.core.errors import ConfigError, PatchError
from primus.core.patches import PatchContext, patch_registry, register_patch, registered_patches, run_patches
from primus.core.patches.runner import version_matches


@pytest.fixture(autouse=True)
def own_patches(monkeypatch):
    monkeypatch.setattr(patch_registry, "_patches", {})


@pytest.fixture
def log(caplog, monkeypatch):
    monkeypatch.setattr(logging.getLogger("primus"), "propagate", True)
    caplog.set_level(logging.DEBUG, logger="primus")
    return caplog


def context(phase="setup", version="0.2.2", **kwargs):
    return PatchContext(backend="b", phase=phase, device="cpu", detect_version=lambda: version, **kwargs)


def add(id, calls, phase="setup", **kwargs):
    def function(ctx):
        """Say that it ran."""
        calls.append(id)

    function.__qualname__ = f"function_{id}"
    register_patch(id, backend=kwargs.pop("backend", "b"), phase=phase, **kwargs)(function)


def test_patches_run_by_priority_then_by_byte_order_of_their_ids():
    calls = []
    add("b", calls)
    add("Z", calls)
    add("late", calls, priority=90)
    add("early", calls, priority=1)
    add("other phase", calls, phase="after_train")
    add("other backend", calls, backend="c")
    assert run_patches(context(), environ={}) == ["early", "Z", "b", "late"] == calls


@pytest.mark.parametrize(
    ("version", "version_range", "expected"),
    [
        ("0.2.2", ">=0.2,<0.3", True),
        ("0.3.0", ">=0.2,<0.3", False),
        ("0.2.0rc1", ">=0.2,<0.3", True),
        ("0.2.0.dev20260101", ">=0.2,<0.3", True),
        ("0.2.2+rocm6", "==0.2.2", True),
        ("0.3.0a1", "<0.3", False),
    ],
)
def test_a_prerelease_or_local_version_counts_as_its_release(version, version_range, expected):
    assert version_matches(version, version_range) is expected


def test_a_version_that_cannot_be_read_is_an_error():
    with pytest.raises(PatchError) as caught:
        version_matches("dummy-0.1", ">=1")
    assert caught.value.message == "cannot compare the framework's version 'dummy-0.1' with '>=1'"


def test_the_version_is_asked_for_only_when_a_patch_needs_it_and_once():
    asked = []
    ctx = PatchContext("b", "setup", "cpu", detect_version=lambda: asked.append(1) or "0.2.2")
    add("plain", [])
    add("conditional", [], backend_version=">=9", condition=lambda ctx: False)
    run_patches(ctx, environ={})
    assert asked == []
    add("ranged", [], backend_version=">=0.2")
    add("ranged too", [], backend_version=">=0.2")
    assert run_patches(ctx, environ={}) == ["plain", "ranged", "ranged too"] and asked == [1]


def test_one_line_tells_what_was_applied_and_one_what_was_skipped_and_why(log):
    add("a", [])
    add("c", [], condition=lambda ctx: ctx.device == "cuda")
    add("v", [], backend_version=">=0.3")
    run_patches(context(), environ={})
    assert log.messages == [
        "patches applied before setup: a",
        "patches skipped before setup: c (condition), v (version 0.2.2 not >=0.3)",
    ]


@pytest.mark.parametrize(("choice", "expected"), [("all", ["a", "z"]), ("", ["a", "z"]), ("none", []), ("z, ", ["z"])])
def test_PRIMUS_PATCHES_chooses(choice, expected):
    add("a", [])
    add("z", [])
    assert run_patches(context(), environ={"PRIMUS_PATCHES": choice}) == expected


def test_PRIMUS_PATCHES_with_an_unknown_id_is_an_error_with_the_nearest():
    add("torch.thing", [])
    with pytest.raises(ConfigError) as caught:
        run_patches(context(), environ={"PRIMUS_PATCHES": "torch.thinx"})
    assert caught.value.message == ("PRIMUS_PATCHES names an unknown patch 'torch.thinx': did you mean 'torch.thing'?")


def test_a_failing_patch_stops_the_run_and_keeps_its_cause():
    calls = []

    @register_patch("bad", backend="b", phase="setup")
    def bad(ctx):
        raise AttributeError("gone upstream")

    add("later", calls)
    with pytest.raises(PatchError) as caught:
        run_patches(context(), environ={})
    assert caught.value.message == "patch 'bad' failed in phase 'setup': AttributeError: gone upstream"
    assert isinstance(caught.value.__cause__, AttributeError) and calls == []


def test_a_patch_sees_and_may_replace_the_backend_args():
    @register_patch("change", backend="b", phase="build_args")
    def change(ctx):
        ctx.backend_args = SimpleNamespace(old=ctx.backend_args, device=ctx.device)

    ctx = context(phase="build_args", backend_args="args")
    run_patches(ctx, environ={})
    assert ctx.backend_args == SimpleNamespace(old="args", device="cpu")


def test_an_id_belongs_to_one_function():
    add("same", [])
    add("same", [])
    with pytest.raises(PatchError, match="patch id 'same' is taken by"):

        @register_patch("same", backend="b", phase="setup")
        def another(ctx): ...


def test_a_phase_or_a_range_that_does_not_exist_is_refused_at_registration():
    with pytest.raises(PatchError, match="no phase 'befor_train'"):
        add("x", [], phase="befor_train")
    with pytest.raises(PatchError, match="'0.2' is no version range"):
        add("x", [], backend_version="0.2")
    assert registered_patches() == []


def test_the_docstring_describes_a_patch_that_says_nothing_else():
    add("a", [])
    add("b", [], description="Why it is.")
    assert [patch.description for patch in registered_patches()] == ["Say that it ran.", "Why it is."]
