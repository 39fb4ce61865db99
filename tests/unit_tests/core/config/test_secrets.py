"""Which names and values look like secrets."""

import pytest

from primus.core.config.secrets import MASK, looks_secret, looks_secret_name, looks_secret_value, mask_text, mask_value


@pytest.mark.parametrize(
    "name",
    [
        "HF_TOKEN",
        "HUGGING_FACE_HUB_TOKEN",
        "WANDB_API_KEY",
        "AWS_SECRET_ACCESS_KEY",
        "AWS_ACCESS_KEY_ID",
        "GITHUB_TOKEN",
        "X_TOKEN",
        "DB_PASSWORD",
        "SSH_PRIVATE_KEY",
        "MY_SECRET",
        "hf_token",
        "wandb.api_key",
        "apiKey",
        "authToken",
        "client-secret",
        "service.auth.password",
        "GCP_CREDENTIALS",
        "tokens.access_token",
        "secret[0]",
        "PGPASSWORD",
        "HF_TOKENS",
        "MYTOKEN",
        "AUTH_HEADER",
        "AZURE_STORAGE_CONNECTION_STRING",
    ],
)
def test_names_of_secrets(name):
    assert looks_secret_name(name)


@pytest.mark.parametrize(
    "name",
    [
        "tokenizer_path",
        "model.tokenizer",
        "num_tokens",
        "max_tokens",
        "tokens_per_expert",
        "eos_token",
        "pad_token",
        "pad_token_id",
        "token_dropping",
        "moe_token_dispatcher_type",
        "author",
        "key",
        "keys",
        "monkey",
        "training.steps",
        "secretary",
        "SSH_AUTH_SOCK",
        "XAUTHORITY",
        "passes",
        "token_ids",
        "MAX_TOKENS",
        "NUM_TOKENS",
        "hidden_key",
        "mistoken",
        "header",
    ],
)
def test_names_of_other_things(name):
    assert not looks_secret_name(name)


# Made-up values in the form of known kinds, put together so that no scanner takes this file for a leak.
KINDS = [
    "hf_" + "a" * 34,
    "sk-" + "a1" * 20,
    "ghp_" + "a1" * 18,
    "github_pat_" + "a1" * 20,
    "glpat-" + "a1" * 10,
    "xoxb-" + "1234567890-abc",
    "AKIA" + "A1" * 8,
    "eyJ" + "a" * 20 + ".eyJ" + "b" * 20 + ".sig",
    "-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----",
    "https://user:passw0rd@host/path",
    "Bearer " + "a1" * 10,
    "https://hooks.slack.com/" + "services/T0/B0/" + "a1" * 12,
    "AccountName=x;AccountKey=" + "a1" * 20 + "==",
]


@pytest.mark.parametrize("value", KINDS)
def test_values_of_known_kinds(value):
    assert looks_secret_value(f"before {value} after")


@pytest.mark.parametrize("value", ["hf_assets", "sk-learn", "1234e567", "a" * 64, "https://host:80/a@b", "user@host"])
def test_values_of_other_kinds(value):
    assert not looks_secret_value(value)


def test_a_value_is_secret_by_its_name_its_form_or_its_variable():
    assert looks_secret("hf_token", "x") and looks_secret("note", KINDS[0])
    assert looks_secret("note", "x", "${WANDB_API_KEY:x}") and not looks_secret("note", "x", "${HOME}")


def test_masking_hides_the_value_and_leaves_nothing_of_it():
    assert mask_value("HF_TOKEN", "abc") == MASK and mask_value("NOTE", "abc") == "abc"
    assert mask_value("HF_TOKEN", "") == ""


def test_masking_a_text_hides_known_kinds_and_values_of_secret_variables():
    environ = {"HF_TOKEN": "S3CRET-value", "SHORT_TOKEN": "1", "HOME": "/home/me"}
    text = f"--token S3CRET-value --url https://u:p4ss@h/ {KINDS[0]} 1 /home/me"
    assert mask_text(text, environ) == f"--token {MASK} --url https://{MASK}@h/ {MASK} 1 /home/me"
