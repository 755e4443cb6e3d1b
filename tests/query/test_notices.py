"""Opening lines are spent on what a file is, not on who owns it."""

import pytest

from ggrep.search.slate.pack_material import notice_end


def told(text: str, language: str = "go") -> str:
    """Return the lines of a file that would be shown."""
    return "\n".join(text.split("\n")[notice_end(text, language) :])


APACHE = """// Copyright 2015 The Authors
// Licensed under the Apache License, Version 2.0 (the "License");
// you may not use this file except in compliance with the License.
"""


@pytest.mark.parametrize(
    ("language", "notice"),
    [
        ("go", APACHE),
        ("c", "/*\n * Copyright (c) 2007 Somebody\n *\n * PROVIDED AS IS\n */\n"),
        ("c", "/* SPDX-License-Identifier: MIT */\n"),
        ("python", "#!/usr/bin/env python3\n# -*- coding: utf-8 -*-\n#\n# Copyright Somebody\n"),
        ("python", "# retry.py\n# Licence: MIT\n"),
        ("sql", "-- Copyright Somebody\n"),
        ("rust", "// SPDX-License-Identifier: MIT\n\n// Copyright Somebody\n\n"),
    ],
)
def test_a_notice_in_front_of_a_file_is_passed_over(language: str, notice: str) -> None:
    """A slate's bytes are few, and a licence is the same in every file."""
    assert told(f"{notice}\nrun()\n\nstop()", language) == "run()\n\nstop()"


@pytest.mark.parametrize(
    "text",
    [
        '"""How calls are tried again."""\n\nimport time',
        "# Tries a failed call again after a while.\nimport time",
        "import time\n\n# Copyright Somebody",
        "# Checks that a customer's licence is still good.\nimport time",
        "#!/bin/sh\nset -e",
        "# " + "a" * 400_000 + " copyright\nrun()",
    ],
)
def test_a_file_that_begins_with_no_notice_is_told_from_its_start(text: str) -> None:
    """Comments that explain a file are what opening lines are shown for."""
    assert told(text, "python") == text


@pytest.mark.parametrize("text", [APACHE, "/* Copyright Somebody\n * and", "// (c) Copyright", ""])
def test_nothing_is_told_of_lines_that_are_all_notice(text: str) -> None:
    """An opening that ends inside of the licence has nothing else to show."""
    assert told(text.rstrip()) == ""
