"""Code rows that define options: command-line flags and environment variables.

Told by the postings from the words that common libraries for it are called by: no text is read,
and a module that defines its program's flags is found whatever it is called.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from ggrep.index.lexical.layout import BODY
from ggrep.search.query.segments import SearchableSegment

_WORDS: Final = """
    add_argument addargument argparse optparse optionparser getopt getopt_long getenv environ
    lookupenv secure_getenv add_option addoption typer click clap structopt argh docopt kingpin
    cobra pflag viper flagset stringvar boolvar intvar durationvar bindenv commander yargs minimist
    dotenv basesettings configparser hocon getproperty value_parser default_value env_var
    long_flag picocli jcommander slop thor
"""
OPTION_WORDS: Final = tuple(_WORDS.split())
"""Whole words, case-folded."""


def option_rows(segment: SearchableSegment) -> npt.NDArray[np.bool_]:
    """Return bool (rows,): the rows that hold one of OPTION_WORDS."""
    held = np.zeros(segment.image.rows, dtype=np.bool_)
    for word in OPTION_WORDS:
        held[segment.row_postings.rows_with(word, range(BODY, BODY + 1))] = True
    return held
