"""Sabotages of what is written into the files of agents; see `sabotages.py`."""

from tests.mutants.sabotages import Sabotage

PLAN = "tests/agents/test_plan.py::"
ANY = "tests/agents/test_any_file.py::"
APPLYING = "tests/agents/test_applying.py::"

AGENT_SABOTAGES = (
    Sabotage(
        "an entry that the user changed is taken out",
        "ggrep/interfaces/agents/plan.py",
        'return Planned("changed", old, mine)',
        "pass",
        (PLAN + "test_what_the_user_changed_since_is_left",),
    ),
    Sabotage(
        "a file is undone by what was remembered of another state of it",
        "ggrep/interfaces/agents/plan.py",
        'if mine is not None and digest_of(old or b"") == mine.digest:',
        "if mine is not None:",
        (PLAN + "test_other_servers_that_came_since_stay",),
    ),
    Sabotage(
        "a file that was there is removed with our entry",
        "ggrep/interfaces/agents/plan.py",
        "edit = Edit(splice, piece.spelled, old is None, digest_of(data))",
        "edit = Edit(splice, piece.spelled, True, digest_of(data))",
        (PLAN + "test_a_file_has_its_former_bytes_again",),
    ),
    Sabotage(
        "what comes out is not held against what went in",
        "ggrep/interfaces/agents/plan.py",
        "if not same or not fits:",
        "if not fits:",
        (PLAN + "test_a_marker_in_a_string_is_no_marker",),
    ),
    Sabotage(
        "a comment in an object that was opened for us goes with it",
        "ggrep/interfaces/agents/json_edit.py",
        "if tokens.has_comment(path[depth].start, path[depth].end):",
        "if False:",
        (ANY + "test_what_the_user_does_meanwhile_stays",),
    ),
    Sabotage(
        "a link out of the home is followed",
        "ggrep/interfaces/agents/config_files.py",
        "if not any(real.is_relative_to(top) for top in self._allowed()):",
        "if False:",
        (APPLYING + "test_a_link_that_leads_elsewhere_is_refused",),
    ),
    Sabotage(
        "a file that changed while it was planned is overwritten",
        "ggrep/interfaces/agents/writing.py",
        "if planned.data == old or self._read(real) == old:",
        "if True:",
        (APPLYING + "test_a_file_that_changes_while_it_is_written_is_read_again",),
    ),
    Sabotage(
        "a section that another client needs is taken out",
        "ggrep/interfaces/agents/writing.py",
        "if self.is_wanted or mine is None:",
        "if True:",
        (APPLYING + "test_a_file_that_several_clients_read_goes_with_the_last",),
    ),
    Sabotage(
        "a file becomes readable for others",
        "ggrep/interfaces/agents/writing.py",
        "mode = usual if old is None else stat.S_IMODE(real.stat().st_mode)",
        "mode = 0o644",
        (APPLYING + "test_the_mode_of_a_file_is_kept",),
    ),
    Sabotage(
        "a dry run writes",
        "ggrep/interfaces/agents/writing.py",
        "        if self.dry:\n            self.drawn[real] = new\n        elif new is None",
        "        if new is None",
        (APPLYING + "test_a_dry_run_writes_nothing_and_shows_all",),
    ),
)
