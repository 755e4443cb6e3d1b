"""Sabotages of the language server; see `sabotages.py`."""

from tests.mutants.sabotages import Sabotage

TEXTS = "tests/lsp/test_texts.py::"
VIEWS = "tests/lsp/test_views.py::"
STATES = "tests/lsp/test_states.py::"
NAMES = "tests/lsp/test_names.py::"

LSP_SABOTAGES = (
    Sabotage(
        "columns of astral characters are counted as one",
        "ggrep/interfaces/lsp/texts.py",
        'return len(text) if text.isascii() else len(text.encode(codec, "surrogatepass")) // width',
        "return len(text)",
        (TEXTS + "test_columns_are_counted_in_the_clients_units",),
    ),
    Sabotage(
        "a client's column is taken for one of characters",
        "ggrep/interfaces/lsp/texts.py",
        "if line.isascii():",
        "if True:",
        (TEXTS + "test_units_and_columns_undo_each_other",),
    ),
    Sabotage(
        "every line break of Python ends a line",
        "ggrep/interfaces/lsp/texts.py",
        'return text.split("\\n")',
        "return text.splitlines()",
        (TEXTS + "test_lines_end_as_the_protocol_has_it",),
    ),
    Sabotage(
        "lines below an unsaved edit are not moved",
        "ggrep/interfaces/lsp/texts.py",
        "return line + len(edited) - len(saved)",
        "return line",
        (TEXTS + "test_a_line_is_only_where_it_is_the_same",),
    ),
    Sabotage(
        "a line that was edited is shown where it was",
        "ggrep/interfaces/lsp/texts.py",
        "return None if at is None else head + at",
        "return line",
        (TEXTS + "test_places_follow_unsaved_edits",),
    ),
    Sabotage(
        "the rest of an edited line is lost",
        "ggrep/interfaces/lsp/texts.py",
        'lines_of(f"{head}{change.text}{tail}")',
        'lines_of(f"{head}{change.text}")',
        (TEXTS + "test_edits_change_what_the_client_changed",),
    ),
    Sabotage(
        "indexed text is read as Markdown",
        "ggrep/interfaces/lsp/views.py",
        'return _MARKDOWN.sub(r"\\\\\\1", text) if markdown else text',
        "return text",
        (VIEWS + "test_indexed_text_is_never_markdown",),
    ),
    Sabotage(
        "code may end its own fence",
        "ggrep/interfaces/lsp/views.py",
        'fence = "`" * max(3, longest + 1)',
        'fence = "```"',
        (VIEWS + "test_indexed_text_is_never_markdown",),
    ),
    Sabotage(
        "what is printed goes among the messages",
        "ggrep/interfaces/lsp/server.py",
        "os.dup2(2, 1)",
        "pass",
        (STATES + "test_standard_output_is_the_protocol_alone",),
    ),
    Sabotage(
        "a name in other letters is its definition",
        "ggrep/interfaces/lsp/server.py",
        'any(is_same_name(row.fields["name"], name) for name in names)',
        "True",
        (NAMES + "test_a_member_of_two_types_keeps_to_its_own",),
    ),
    Sabotage(
        "usages are asked for without the container",
        "ggrep/interfaces/lsp/server.py",
        'if len(rows) == 1 and rows[0].fields["container"]:',
        "if False:",
        (NAMES + "test_usages_of_a_member_leave_out_those_of_another",),
    ),
)
