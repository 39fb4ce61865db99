"""``train pretrain --config exp.yaml [options] [overrides]``."""

import pytest

from primus.core.config.command_line import parse_train_command
from primus.core.errors import ConfigError


def parse(*words, **options):
    return parse_train_command(["train", "pretrain", *words], **options)


def refusal(*words):
    with pytest.raises(ConfigError) as caught:
        parse_train_command(words)
    return caught.value.lines()


def test_options_are_told_from_overrides_in_any_order():
    command = parse("a=1", "--config", "E.yaml", "--debug", "b=2", "--c", "3", "--allow-unknown", "--d")
    assert (command.stage, command.config, command.debug, command.allow_unknown) == ("pretrain", "E.yaml", True, True)
    assert command.overrides == ["a=1", "b=2", "--c=3", "--d=true"]


@pytest.mark.parametrize("form", [["--backend-path", "/x"], ["--backend_path=/x"], ["--backend-path=/x"]], ids=" ".join)
def test_hyphens_and_underscores_mean_the_same_in_options(form):
    assert parse("--config", "E", *form).backend_path == "/x"


def test_every_option_with_a_value_is_taken():
    command = parse("--config=E", "--data_path", "/d", "--export-config", "out.yaml")
    assert (command.data_path, command.export_config, command.backend_path) == ("/d", "out.yaml", None)
    assert command.overrides == []


def test_the_last_of_a_repeated_option_wins():
    assert parse("--config", "A", "--config", "B").config == "B"


def test_a_flag_takes_a_truth_value_and_nothing_else():
    assert parse("--config", "E", "--debug=false", "--allow_unknown=TRUE").allow_unknown is True
    assert refusal("train", "pretrain", "--config", "E", "--debug=maybe") == [
        "command line: --debug got 'maybe'",
        "write --debug alone, or =true, =false",
    ]


def test_a_section_named_like_a_flag_is_an_override():
    assert parse("--config", "E", "--debug.seed", "3").overrides == ["--debug.seed=3"]


def test_an_option_without_dashes_is_an_override():
    assert parse("--config", "E", "config=x").overrides == ["config=x"]


def test_after_two_dashes_there_are_overrides_alone():
    command = parse("--config", "E", "x=1", "--", "--a", "b", "--debug", "--config=F")
    assert command.overrides == ["x=1", "--a=b", "--debug=true", "--config=F"]
    assert (command.config, command.debug) == ("E", False)


def test_an_abbreviated_option_is_no_option():
    assert refusal("train", "pretrain", "--confg", "E.yaml") == [
        "command line: no --config, but --confg",
        "add --config EXPERIMENT.yaml",
    ]


@pytest.mark.parametrize(
    ("words", "lines"),
    [
        ([], ["command line: no command", "write: train pretrain --config EXPERIMENT.yaml"]),
        (["trian"], ["command line: unknown command 'trian'", "write: train pretrain --config EXPERIMENT.yaml"]),
        (["train"], ["command line: train without a stage", "write: train pretrain ... or train posttrain ..."]),
        (["train", "sft"], ["command line: unknown stage 'sft'", "write: train pretrain ... or train posttrain ..."]),
        (["train", "pretrain"], ["command line: no --config", "add --config EXPERIMENT.yaml"]),
        (["train", "pretrain", "--config"], ["command line: --config has no value", "write --config VALUE"]),
        (["train", "pretrain", "--config", "--debug"], ["command line: --config has no value", "write --config VALUE"]),
        (
            ["train", "pretrain", "--config="],
            ["command line: --config is empty", "write --config VALUE, or leave it out"],
        ),
        (
            ["train", "pretrain", "--config", "E", "stray"],
            ["command line: stray word 'stray'", "write key=value, --key=value or --key value"],
        ),
    ],
)
def test_malformed_commands_are_refused(words, lines):
    assert refusal(*words) == lines


def test_hooks_words_are_pairs_whatever_their_values_look_like():
    command = parse("--lr", "1", "--text", "--dashes", "--config", "E", "--lr", "2", hook_extras=4)
    assert command.hook_overrides == ["--lr=1", "--text=--dashes"]
    assert command.overrides == ["--lr=2"]


def test_a_hook_may_give_an_option_and_the_user_wins():
    assert parse("--backend_path", "/hook", "--config", "E", hook_extras=2).backend_path == "/hook"
    assert (
        parse("--backend_path", "/hook", "--config", "E", "--backend_path", "/me", hook_extras=2).backend_path == "/me"
    )


def test_a_posttrain_command_has_its_stage():
    assert parse_train_command(["train", "posttrain", "--config", "E"]).stage == "posttrain"


def test_words_that_look_like_protocol_are_ordinary_keys():
    assert parse("--config", "E", "environment=x", "extra_args=1", "env_file=y").overrides == [
        "environment=x",
        "extra_args=1",
        "env_file=y",
    ]


def test_the_resolved_experiment_never_overwrites_the_experiment(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "link.yaml").symlink_to("exp.yaml")
    for output in ("exp.yaml", "./exp.yaml", str(tmp_path / "exp.yaml"), "link.yaml"):
        with pytest.raises(ConfigError) as caught:
            parse_train_command(["train", "pretrain", "--config", "exp.yaml", "--export_config", output])
        assert caught.value.lines() == [
            f"command line: --export_config {output} is the experiment itself",
            "name another file",
        ]


@pytest.mark.parametrize("word", ["--dry-run", "--dry_run=true"])
def test_a_dry_run_after_the_separator_is_refused_where_it_would_train(word):
    with pytest.raises(ConfigError) as caught:
        parse_train_command(["train", "pretrain", "--config", "exp.yaml", word])
    assert caught.value.message == "command line: --dry-run belongs to the launcher"
    assert caught.value.hint == "write it before --: primus-cli direct --dry-run -- train ..."
