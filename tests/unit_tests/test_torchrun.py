"""The agent names the rank that failed first, and gives each rank one log file."""

import shlex
import sys
from types import SimpleNamespace

import pytest

from primus import torchrun


def failure(time=None, exitcode=1):
    data = {"message": {"message": "", "extraInfo": {"timestamp": "5", "exact_time": str(time)}}} if time else {}
    return SimpleNamespace(error_file_data=data, exitcode=exitcode)


def test_of_several_exceptions_the_earliest_is_the_cause():
    failures = {0: failure(5.75), 1: failure(5.25), 2: failure(5.5)}
    assert torchrun.first_failure(failures) == (1, failures[1])


def test_a_rank_killed_by_a_signal_and_noticed_first_is_the_cause_of_later_exceptions():
    failures = {3: failure(exitcode=-9), 0: failure(5.25)}
    assert torchrun.first_failure(failures) == (3, failures[3])


def test_ranks_that_were_stopped_because_of_an_exception_are_not_its_cause():
    failures = {0: failure(5.25), 1: failure(exitcode=-15)}
    assert torchrun.first_failure(failures) == (0, failures[0])


def test_a_rank_that_reported_an_error_and_met_the_agents_term_ended_by_its_error():
    reported = failure(5.25, exitcode=-15)
    reported.error_file_data["message"]["extraInfo"]["status"] = "2"
    assert torchrun.how_it_ended(reported) == (2, "exited with status 2")
    assert torchrun.how_it_ended(failure(exitcode=-9)) == (137, "was killed by signal SIGKILL")
    assert torchrun.how_it_ended(failure(exitcode=17)) == (17, "exited with status 17")


def test_an_earlier_starts_log_file_is_never_touched(tmp_path):
    first = torchrun._new_file(tmp_path, 3)
    first.write_text("precious")
    assert torchrun._new_file(tmp_path, 3).name == "rank-00003.1.log"
    assert torchrun._new_file(tmp_path, 3).name == "rank-00003.2.log"
    assert (first.name, first.read_text()) == ("rank-00003.log", "precious")


def test_an_interpreter_without_torch_is_told_how_to_get_it(monkeypatch, capsys):
    monkeypatch.setattr(torchrun.importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(torchrun, "_install_early_handlers", lambda: None)
    assert torchrun.main(["--standalone", "x.py"]) == 3
    assert capsys.readouterr().err == (
        f"[primus] {sys.executable} has no torch\n[primus] {shlex.quote(sys.executable)} -m pip install torch\n"
    )


@pytest.mark.parametrize("text", ["", "no callstack"])
def test_the_last_lines_of_a_rank_without_a_report_come_from_its_log(tmp_path, text):
    log = tmp_path / "log"
    log.write_text("".join(f"line {number}\n" for number in range(100)))
    last = torchrun._last_words(failure(), log)
    assert last == "".join(f"line {number}\n" for number in range(80, 100))


def test_a_launcher_that_compares_nodes_reads_when_and_how_the_first_rank_failed(tmp_path, monkeypatch):
    file = tmp_path / "failure"
    torchrun._leave_failure(5.25, "not asked for")
    monkeypatch.setenv("PRIMUS_FAILURE_FILE", str(file))
    torchrun._leave_failure(1700000000.25, "rank 3 exited with status 7")
    assert file.read_text() == "1700000000250000\nrank 3 exited with status 7\n"
