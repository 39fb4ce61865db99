"""Backends are found by name, on demand."""

import pytest

from primus.core.backend import backend_registry
from primus.core.backend.backend_adapter import BackendAdapter
from primus.core.backend.backend_registry import BackendRegistry
from primus.core.errors import BackendNotFoundError, PrimusError


class Adapter(BackendAdapter):
    def load_trainer_class(self, stage="pretrain"):
        return object

    def convert_config(self, params):
        return params

    def detect_backend_version(self):
        return "1.0"


class Other(Adapter):
    pass


@pytest.fixture(autouse=True)
def own_registry(monkeypatch):
    monkeypatch.setattr(BackendRegistry, "_adapters", {})


@pytest.fixture
def backend_package(tmp_path, monkeypatch):
    """Add a package to primus.backends, as a file pasted into the tree would be."""
    import primus.backends

    monkeypatch.setattr(primus.backends, "__path__", [*primus.backends.__path__, str(tmp_path)])

    def make(name, text):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text(text)

    return make


def test_a_registered_adapter_is_made_anew_for_each_call():
    BackendRegistry.register_adapter("one", Adapter)
    first, second = BackendRegistry.get_adapter("one"), BackendRegistry.get_adapter("one")
    assert type(first) is Adapter and first is not second and first.framework == "one"


def test_registering_the_same_class_again_is_harmless_and_another_class_is_refused():
    BackendRegistry.register_adapter("one", Adapter)
    BackendRegistry.register_adapter("one", Adapter)
    with pytest.raises(PrimusError, match="backend 'one' is registered twice"):
        BackendRegistry.register_adapter("one", Other)


def test_something_that_is_no_adapter_is_refused():
    with pytest.raises(PrimusError, match="is not a subclass of BackendAdapter"):
        BackendRegistry.register_adapter("one", dict)


def test_an_unknown_name_lists_what_exists_and_the_nearest(backend_package):
    backend_package("gigatron", "")
    with pytest.raises(BackendNotFoundError) as caught:
        BackendRegistry.get_adapter("gigatrom")
    assert caught.value.message == "unknown framework 'gigatrom': did you mean 'gigatron'?"
    assert caught.value.hint == f"known frameworks: {', '.join(BackendRegistry.list_backends())}"
    assert "gigatron" in caught.value.hint and caught.value.exit_status == 2


@pytest.mark.parametrize("name", ["", "a.b", "../x", "a-b", "torchtitan.patches"])
def test_a_name_that_is_no_identifier_is_never_imported(name):
    with pytest.raises(BackendNotFoundError, match="^unknown framework"):
        BackendRegistry.get_adapter(name)


def test_a_package_is_imported_on_demand(backend_package):
    backend_package(
        "lazyone",
        "from primus.core.backend.backend_registry import BackendRegistry as R\n"
        "from primus.core.backend.backend_adapter import BackendAdapter as B\n"
        "class A(B):\n"
        "    def load_trainer_class(self, stage='pretrain'): pass\n"
        "    def convert_config(self, params): pass\n"
        "    def detect_backend_version(self): return '1'\n"
        "R.register_adapter('lazyone', A)\n",
    )
    assert BackendRegistry.get_adapter("lazyone").third_party_dir_name == "lazyone"


def test_an_import_error_inside_a_backend_keeps_its_own_exception(backend_package):
    backend_package("broken", "import a_module_that_does_not_exist\n")
    with pytest.raises(ModuleNotFoundError, match="a_module_that_does_not_exist"):
        BackendRegistry.get_adapter("broken")


def test_a_package_that_registers_nothing_is_told_how(backend_package):
    backend_package("silent", "")
    with pytest.raises(BackendNotFoundError) as caught:
        BackendRegistry.get_adapter("silent")
    assert caught.value.lines() == [
        "the package of backend 'silent' does not register it",
        "call BackendRegistry.register_adapter('silent', ...) in its __init__.py",
    ]


def test_a_backend_outside_the_tree_registers_by_its_entry_point(monkeypatch):
    class EntryPoint:
        name = "outside"

        def load(self):
            return Adapter

    monkeypatch.setattr(backend_registry, "_entry_points", lambda: [EntryPoint()])
    assert "outside" in BackendRegistry.list_backends()
    assert type(BackendRegistry.get_adapter("outside")) is Adapter
