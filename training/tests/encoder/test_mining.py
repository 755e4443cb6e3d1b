"""Pairs from files of many languages."""

import pytest

from training.encoder.mining import mine_file, spoken_name
from training.encoder.pairs import Pair

BODY = "alpha beta gamma delta epsilon zeta eta theta"

PYTHON = '''"""Reads settings from files and the environment."""

import os


class Settings:
    """Holds every value that a user may change.

    The values are read once and never again until the process is restarted.
    """

    def load(self, path: str, strict: bool) -> dict[str, str]:
        """Return the values of a file as a mapping.

        Args:
            path: where it lies.
        """
        values = {}
        for line in open(path):
            # lines that begin with a hash are left out here
            if not line.startswith("#"):
                key, value = line.split("=")
                values[key] = value
        if not values and strict:
            raise ValueError(f"the file {path} holds no settings at all")
        return values

    def store_every_value(self, path: str) -> None:
        with open(path, "w") as out:
            for key, value in self.values.items():
                out.write(key + value)
'''

FILES = {
    "a.go": """package a

// Open connects to the server that the address names.
func Open(address string, timeout int) (*Conn, error) {
	c := &Conn{address: address, timeout: timeout}
	if err := c.dial(); err != nil {
		return nil, err
	}
	return c, nil
}
""",
    "a.rs": """use std::io;

/// Counts the words of a text, in linear time.
///
/// # Examples
///
/// ```
/// count("a b");
/// ```
pub fn count(text: &str, limit: usize) -> usize {
    let mut total = 0;
    for _word in text.split_whitespace() { total += 1; }
    total.min(limit)
}
""",
    "a.c": """#include <stdio.h>

/**
 * @brief Writes a buffer to the log and flushes it.
 * @param text what to write
 */
int log_write(const char *text, int length, int level)
{
    return fwrite(text, 1, length, stderr) + level;
}
""",
    "a.ts": """import { x } from "y";

/**
 * Returns the {@link Session} that a token belongs to.
 * @param token the token
 */
export function sessionOf(token: string, store: Store): Session | null {
  const found = store.find(token);
  return found ? found.session : null;
}
""",
    "a.kt": """val one = 1

/**
 * Draws a circle around the given point.
 */
fun circle(canvas: Canvas, x: Float, y: Float, radius: Float) {
    val paint = Paint()
    canvas.drawOval(x - radius, y - radius, x + radius, y + radius, paint)
}
""",
    "a.rb": """class Mailer
  # Sends the message to every subscriber of a list.
  def deliver(list, message, options)
    list.each do |subscriber|
      transport.send(subscriber.address, message, options)
    end
  end
end
""",
    "A.hs": """module A where

-- | Splits a list into runs of equal length.
chunksOf :: Int -> [a] -> [[a]]
chunksOf _ [] = []
chunksOf n items = take n items : chunksOf n (drop n items)
""",
    "A.cs": """namespace A {
    class Cache {
        /// <summary>
        /// Removes the <see cref="Entry"/> that was used least.
        /// </summary>
        /// <param name="count">how many</param>
        public void Evict(int count) {
            foreach (var entry in entries.Take(count)) { entries.Remove(entry); }
        }
    }
}
""",
    "A.java": """package a;

class Queue {
    /**
     * Waits until an element is there and takes it.
     *
     * @return the element
     */
    public Object take(long timeout, TimeUnit unit) {
        while (items.isEmpty()) { lock.await(timeout, unit); }
        return items.remove(0);
    }
}
""",
    "a.sh": """#!/bin/bash

# Stops the service and removes its data folder.
stop_service() {
    local name="$1" folder="$2"
    systemctl stop "$name" && rm -r "$folder"
    echo "stopped $name and removed $folder"
}
""",
    "a.lua": """local M = {}

--- Merges two tables without changing either of them.
-- @param a the first
function M.merge(a, b)
  local out = {}
  for k, v in pairs(a) do out[k] = v end
  for k, v in pairs(b) do out[k] = v end
  return out
end

return M
""",
}
FIRST = {
    "a.go": "the server that the address names",
    "a.rs": "Counts the words of a text, in linear time",
    "a.c": "Writes a buffer to the log and flushes it",
    "a.ts": "Returns the Session that a token belongs to",
    "a.kt": "Draws a circle around the given point",
    "a.rb": "Sends the message to every subscriber of a list",
    "A.hs": "Splits a list into runs of equal length",
    "A.cs": "Removes the Entry that was used least",
    "A.java": "Waits until an element is there and takes it",
    "a.sh": "Stops the service and removes its data folder",
    "a.lua": "Merges two tables without changing either of them",
}


def mined(path: str, text: str) -> list[Pair]:
    """Return the pairs of a file."""
    return mine_file("test/one", path, text.encode())


def of_kind(pairs: list[Pair], kind: str) -> list[Pair]:
    """Return the pairs of one kind."""
    return [pair for pair in pairs if pair.kind == kind]


def documented(path: str) -> list[Pair]:
    """Return the pairs of a definition's documentation; a small class is one piece with it."""
    return [pair for pair in mined(path, FILES[path]) if pair.kind in {"doc", "comment"}]


@pytest.mark.parametrize("path", sorted(FILES))
def test_documentation_asks_for_what_it_documents(path: str) -> None:
    """What people wrote above a definition is how others will ask for it."""
    docs = documented(path)

    assert len(docs) == 1
    assert docs[0].query.endswith(FIRST[path])
    assert (docs[0].package, docs[0].path) == ("test/one", path)


@pytest.mark.parametrize("path", sorted(FILES))
def test_documentation_is_gone_from_the_text(path: str) -> None:
    """Else all that is learnt is that a sentence equals itself."""
    docs = documented(path)

    assert all(FIRST[path][-14:] not in pair.text for pair in docs)
    assert all("param" not in pair.text for pair in docs)


def test_a_python_file_gives_pairs_of_every_kind() -> None:
    """Docs, descriptions, comments, messages and the file's own words are all questions."""
    asked = {(pair.kind, pair.query) for pair in mined("a.py", PYTHON)}

    assert ("doc", "Return the values of a file as a mapping") in asked or (
        "doc",
        "Holds every value that a user may change",
    ) in asked
    assert ("comment", "lines that begin with a hash are left out here") in asked
    assert ("message", "the file holds no settings at all") in asked
    assert ("module", "Reads settings from files and the environment") in asked


def test_each_text_lacks_its_own_question_only() -> None:
    """The other comments of a chunk are part of it."""
    for pair in mined("a.py", PYTHON):
        assert pair.query not in pair.text.replace("{path} ", "")
    comment = of_kind(mined("a.py", PYTHON), "comment")[0]
    assert "holds no settings" in comment.text


def test_licence_headers_ask_nothing() -> None:
    """Every file of a project has one."""
    header = "# Copyright 2020 Somebody.\n# Licensed under terms that follow here.\n\n"
    pairs = mined("a.py", header + f"def one(a):\n    return '{BODY}'\n")

    assert not [pair for pair in pairs if pair.kind in {"module", "module2", "doc"}]


def test_a_licence_in_front_of_the_files_words_is_passed_over() -> None:
    """What follows it speaks of the file."""
    text = (
        "// Copyright 2020 Somebody.\n\n// Package a keeps sessions in a file.\npackage a\n\n"
        + FILES["a.go"].split("\n", 2)[2]
    )

    assert [pair.query for pair in of_kind(mined("a.go", text), "module")] == [
        "Package a keeps sessions in a file"
    ]


def test_code_that_is_commented_out_asks_nothing() -> None:
    """It is no phrase."""
    text = f"""int one(int a) {{
    int b = a;
    // if (a > b) {{ return first(a, b) + 1; }}
    // eslint-disable-next-line no-console
    // TODO say something useful about this place
    call("{BODY}");
    return b;
}}
"""

    assert not of_kind(mined("a.c", text), "comment")


def test_tests_are_asked_for_less() -> None:
    """Only by documentation and name, and half as often."""
    kinds = {pair.kind for pair in mined("tests/test_a.py", PYTHON)}

    assert kinds <= {"doc", "name"}


def test_sections_are_asked_for_by_heading_or_first_sentence() -> None:
    """A stock heading says nothing of its own."""
    words = " ".join(f"{BODY}" for _ in range(3))
    text = f"""# Widget

## Custom colour themes

Set the theme. {words}

## Usage

Call the widget with a canvas first. {words}

## License

MIT, and so on. {words}
"""
    pairs = of_kind(mined("README.md", text), "section")

    assert [pair.query for pair in pairs] == [
        "Widget Custom colour themes",
        "Call the widget with a canvas first",
    ]
    assert "Custom colour" not in pairs[0].text
    assert "canvas first" not in pairs[1].text


@pytest.mark.parametrize("name", ["LICENSE.md", "CHANGELOG.md", "CONTRIBUTING.md"])
def test_documents_about_the_project_are_left_out(name: str) -> None:
    """They answer nothing about the code."""
    assert not mined(name, f"# Some long heading here\n\n{BODY} {BODY}\n")


def test_the_same_bytes_give_the_same_pairs() -> None:
    """Chance is drawn from the text itself."""
    assert mined("a.py", PYTHON) == mined("a.py", PYTHON)


@pytest.mark.parametrize("path", ["vendor/a.py", "a_pb2.py"])
def test_what_others_or_programs_wrote_is_left_out(path: str) -> None:
    """It is mined where it belongs, or not at all."""
    assert not mined(path, PYTHON)


def test_names_are_spoken_as_words() -> None:
    """Nobody asks in camel case."""
    assert spoken_name("HTTPServer.readLine") == "http server read line"
    assert spoken_name("a.store_every_value") == "a store every value"
    assert not spoken_name("run")


def test_a_file_that_a_program_wrote_asks_nothing() -> None:
    """Its comments are a template's."""
    assert not mined("a.py", "# This file was generated, do not edit.\n\n" + PYTHON)
