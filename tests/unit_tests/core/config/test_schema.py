"""Which schema fits which version, and what the checked-in ones hold."""

import json

import pytest

from primus.core.config.owned_keys import OWNED_KEYS, OWNED_SCHEMA
from primus.core.config.presets import default_configs_dir
from primus.core.config.schema import describe_keys, load_schema, params_document, release_of, schema_versions

SCHEMAS = sorted((default_configs_dir() / "schemas").glob("*.json"))


@pytest.fixture
def versions(tmp_path):
    for version in ("0.1.0", "0.2.0", "0.2.10", "0.2.9", "0.10.0"):
        (tmp_path / f"toy-{version}.json").write_text("{}")
    (tmp_path / "toy-more-9.0.json").write_text("{}")
    (tmp_path / "toy.json").write_text("{}")
    return tmp_path


def chosen(version, folder):
    schema = load_schema("toy", version, folder)
    return schema and schema.version


def test_an_exact_version_is_taken(versions):
    assert chosen("0.2.0", versions) == "0.2.0" and chosen("0.10.0", versions) == "0.10.0"


def test_a_pre_release_or_local_version_counts_as_its_release(versions):
    assert chosen("0.2.0rc1", versions) == "0.2.0" and chosen("v0.2.0+rocm6", versions) == "0.2.0"


def test_else_the_highest_of_the_same_series_is_taken(versions):
    assert chosen("0.2.5", versions) == "0.2.10"


def test_a_version_of_another_series_has_none(versions):
    assert chosen("0.3.0", versions) is None and chosen("unknown", versions) is None


def test_an_unknown_version_takes_the_newest(versions):
    assert chosen(None, versions) == "0.10.0"


def test_a_framework_without_files_has_none(versions):
    assert load_schema("other", "1.0", versions) is None and load_schema("other", None, versions / "no") is None


def test_versions_are_sorted_by_number_and_other_names_left_out(versions):
    assert list(schema_versions("toy", versions)) == ["0.1.0", "0.2.0", "0.2.9", "0.2.10", "0.10.0"]


def test_the_numbers_of_a_version():
    assert release_of("v1.2.3rc1+x") == (1, 2, 3) and release_of("main") == ()


def test_keys_that_primus_owns_are_in_every_frameworks_parameters():
    assert set(params_document(None)["properties"]) == set(OWNED_KEYS)
    assert params_document(None)["additionalProperties"] is True


def test_primus_owns_no_key_of_a_framework():
    for path in SCHEMAS:
        document = json.loads(path.read_text())
        assert not OWNED_KEYS & set(document["properties"]), path.name


def test_the_corpus_keys_are_those_that_preparing_a_corpus_takes():
    from primus.data.corpus_settings import KEYS

    assert tuple(OWNED_SCHEMA["corpus"]["properties"]) == KEYS


@pytest.mark.parametrize("path", SCHEMAS, ids=lambda path: path.stem)
def test_checked_in_schemas_are_valid_and_their_defaults_fit_them(path):
    jsonschema = pytest.importorskip("jsonschema", reason="pip install jsonschema")
    document = json.loads(path.read_text())
    jsonschema.Draft202012Validator.check_schema(document)
    for key, entry in describe_keys(document):
        assert "description" not in entry
        jsonschema.validate(entry["default"], entry), key


def test_an_installed_version_without_schema_is_told(strict):
    experiment = strict.compose("exp.yaml", "any.key=1", framework_version="2.0.0")
    assert experiment.schema is None
    assert experiment.warnings == ("toy 2.0.0 has no schema (there are 1.0.0): its keys are not checked",)


def test_the_version_is_asked_for_only_where_there_are_schemas(tree):
    def never(framework):
        raise AssertionError("asked")

    assert tree.compose(framework_version=never).schema is None
