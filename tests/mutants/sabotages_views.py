"""Sabotages of views on a terminal."""

from tests.mutants.sabotages import Sabotage

PICK = "ggrep/interfaces/cli/queries/pick.py"
SCREEN = "ggrep/interfaces/cli/screen.py"
TYPED = "tests/terminal_views/test_pick.py::"
SHOWN = "tests/terminal_views/test_on_a_terminal.py::"

VIEW_SABOTAGES = (
    Sabotage(
        "a search goes on when its query has changed",
        PICK,
        "            self._running.cancel()\n",
        "            pass\n",
        (TYPED + "test_a_changed_query_cancels_the_search_before",),
    ),
    Sabotage(
        "Enter opens a hit of the query before",
        PICK,
        "        if self._running is None and self._rows:\n",
        "        if self._rows:\n",
        (TYPED + "test_enter_waits_for_the_answer_of_what_was_typed",),
    ),
    Sabotage(
        "a file name becomes an option of the editor",
        PICK,
        'path.startswith(("-", "+"))',
        'path.startswith("\\0")',
        (TYPED + "test_a_file_name_is_no_option_of_the_editor",),
    ),
    Sabotage(
        "a pasted line end picks a hit",
        SCREEN,
        'self._pasting = sequence == "[200~"',
        "self._pasting = False",
        (SHOWN + "test_a_picked_place_is_printed_into_a_pipe",),
    ),
    Sabotage(
        "a view that ends leaves its frame and its modes",
        SCREEN,
        "            curses.endwin()\n",
        "            pass\n",
        (SHOWN + "test_a_signal_ends_a_view_and_the_terminal_is_as_before",),
    ),
    Sabotage(
        "a terminal without a description has no view",
        SCREEN,
        'in (term, _USUAL_TERM, "xterm"):\n',
        "in (term,):\n",
        (SHOWN + "test_ctrl_c_ends_a_picker_as_any_command",),
    ),
)
