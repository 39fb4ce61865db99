"""What configuration asks a framework's backend: names, versions, renamed keys, numbers that must fit."""

import pytest

from primus.backends.torchtitan.renamed_keys import RENAMED_KEYS
from primus.core.backend.backend_adapter import BackendAdapter
from primus.core.backend.backend_registry import BackendRegistry
from primus.core.config.experiment import compose_experiment
from primus.core.config.framework_facts import check_fit, detect_version
from primus.core.config.schema import describe_keys, load_schema, release_of, schema_versions
from primus.core.errors import ConfigError, LaunchEnvironmentError


@pytest.fixture
def refusals(tmp_path, monkeypatch):
    """Return the lines that an override of a TorchTitan experiment gives."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "exp.yaml").write_text("modules: {pre_trainer: {framework: torchtitan}}\n")

    def call(*overrides, version="0.2.2"):
        with pytest.raises(ConfigError) as caught:
            compose_experiment("exp.yaml", overrides=overrides, environ={}, framework_version=version)
        return caught.value.message.split("\n")

    return call


@pytest.mark.parametrize(
    ("version", "override", "words"),
    [
        ("0.2.2", "training.compile=true", "renamed to compile.enable in torchtitan 0.2.0"),
        ("0.2.2", "checkpoint.enable_checkpoint=true", "renamed to checkpoint.enable in torchtitan 0.2.0"),
        ("0.2.2", "float8.emulate=true", "renamed to quantize.linear.float8.emulate in torchtitan 0.2.0"),
        ("0.2.2", "training.seed=1", "renamed to debug.seed in torchtitan 0.2.1"),
        (
            "0.2.2",
            "training.debug_moe_force_load_balance=true",
            "renamed to debug.moe_force_load_balance in torchtitan 0.2.1",
        ),
        ("0.2.0", "debug.seed=1", "named training.seed before torchtitan 0.2.1; this is 0.2.0"),
        ("0.2.2", "dataloader.dataset=c4", "named training.dataset before torchtitan 0.3.0; this is 0.2.2"),
        (
            "0.2.2",
            "profiler.enable_profiling=true",
            "named profiling.enable_profiling before torchtitan 0.3.0; this is 0.2.2",
        ),
    ],
)
def test_renamed_keys_are_told_with_their_other_name_and_version(refusals, version, override, words):
    key = override.partition("=")[0]
    assert refusals(override, version=version) == [f"command line: {key}: unknown key, {words}"]


def test_in_an_unknown_section_each_key_is_told_where_one_was_renamed(refusals):
    assert refusals("dataloader.dataset=c4", "dataloader.other=1") == [
        "command line: dataloader.dataset: unknown key, named training.dataset before torchtitan 0.3.0; this is 0.2.2",
        "command line: dataloader.other: unknown key",
    ]


@pytest.mark.parametrize("version", schema_versions("torchtitan"))
def test_each_renamed_key_has_exactly_the_name_that_its_version_has(version):
    schema = load_schema("torchtitan", version)
    assert schema is not None
    known = {key for key, _ in describe_keys(schema.document)}

    def there(name):
        return name in known or any(key.startswith(f"{name}.") for key in known)

    for old, new, since in RENAMED_KEYS:
        renamed = release_of(version) >= release_of(since)
        # A key may be younger than the oldest schema.
        assert there(new if renamed else old) or version == "0.2.0", (version, old, new)
        assert not there(old if renamed else new) or old.startswith(f"{new}."), (version, old, new)


class Adapter(BackendAdapter):
    """A framework in whatever state a test asks for."""

    trouble: Exception | None = None

    def load_trainer_class(self, stage="pretrain"):
        raise AssertionError("not asked for")

    def convert_config(self, params):
        raise AssertionError("not asked for")

    def detect_backend_version(self):
        if self.trouble is not None:
            raise self.trouble
        return "1.2" if self.location is None else "of another place"

    def locate(self, backend_path=None):
        return backend_path

    def check_params(self, params, world_size):
        return [f"{name} is wrong for {world_size}" for name in params]


@pytest.fixture
def toy(monkeypatch):
    monkeypatch.setattr(BackendRegistry, "_adapters", {"toy": Adapter})


def test_the_version_is_the_one_of_the_place_that_a_run_would_take(toy):
    assert detect_version("toy") == "1.2" and detect_version("toy", "/elsewhere") == "of another place"


@pytest.mark.parametrize("trouble", [ImportError("x"), OSError("x"), ValueError("x"), LaunchEnvironmentError("x")])
def test_a_framework_that_cannot_tell_its_version_has_none(toy, monkeypatch, trouble):
    monkeypatch.setattr(Adapter, "trouble", trouble)
    assert detect_version("toy") is None


def test_a_fault_of_a_backend_is_not_hidden(toy, monkeypatch):
    monkeypatch.setattr(Adapter, "trouble", ZeroDivisionError())
    with pytest.raises(ZeroDivisionError):
        detect_version("toy")


def test_all_numbers_that_do_not_fit_are_told(toy, tree):
    with pytest.raises(ConfigError) as caught:
        check_fit(tree.compose("exp.yaml", "a=1"), 4)
    assert caught.value.lines() == [
        "exp.yaml: training is wrong for 4\ncommand line: a: a is wrong for 4",
        "2 problems; mend one of these values, or the number of processes",
    ]
