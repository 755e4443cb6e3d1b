"""Forty everyday tasks over the sources of aiohttp 3.14.5, and what one types for each of them.

A line is what a practised user of the tool types, none where it cannot do the task. A task is done
when all that it needs stands on the first screen, and nothing that it forbids. `FRESH` stands for a
function that was written into a file just before.
"""

from typing import Final

from msgspec import Struct

TOOLS: Final = ("ggrep", "rg", "semble", "codegraph")
FRESH: Final = "fresh_function_NN"


class At(Struct, frozen=True):
    """Some line of these has to be told by path and number, or within a range that is told."""

    path: str
    first: int
    last: int


class Task(Struct, frozen=True):
    """What is asked, of each tool.

    Attributes:
        needs: places, and regular expressions, that all have to be shown.
        never: a regular expression that nothing of the output may match.
        status: the exit status that scripts wait for, where the task is about it.
        folder: where one stands, below the repository.
        edit: what is done to the files just before: `fresh`, `rename`.
        whole: whether all of the output counts, not the first screen alone.
    """

    name: str
    needs: tuple[At | str, ...]
    ggrep: str | None = None
    rg: str | None = None
    semble: str | None = None
    codegraph: str | None = None
    never: str = ""
    status: int | None = None
    folder: str = "."
    edit: str = ""
    whole: bool = False

    def line(self, tool: str) -> str | None:
        """Return what is typed, or None."""
        return {
            "ggrep": self.ggrep,
            "rg": self.rg,
            "semble": self.semble,
            "codegraph": self.codegraph,
        }[tool]


_USAGES: Final = (
    At("aiohttp/connector.py", 1110, 1110),
    At("aiohttp/cookiejar.py", 530, 530),
    At("aiohttp/cookiejar.py", 555, 555),
    At("aiohttp/cookiejar.py", 731, 731),
    At("aiohttp/cookiejar.py", 869, 869),
    At("tests/test_helpers.py", 308, 308),
)

TASKS: Final = (
    Task(
        "a definition by its name",
        (At("aiohttp/connector.py", 932, 932),),
        "ggrep symbol TCPConnector",
        "rg 'class TCPConnector'",
        "semble search TCPConnector -k 10 --max-snippet-lines 3 --format text",
        "codegraph query TCPConnector",
    ),
    Task(
        "a definition by a part of its name",
        (At("aiohttp/connector.py", 1212, 1212),),
        "ggrep throttle -n",
        "rg 'def.*throttle'",
        "semble search throttle --format text",
        "codegraph query throttle",
    ),
    Task(
        "all usages of a function",
        _USAGES,
        "ggrep refs is_ip_address",
        "rg -w is_ip_address",
        "semble search is_ip_address -k 20 --format text",
        "codegraph callers is_ip_address",
    ),
    Task(
        "the callers of a function",
        (
            r"\b_resolve_host\b",
            r"\bupdate_cookies_from_headers\b",
            r"\b_update_cookies\b",
            r"\bfilter_cookies\b",
            r"\b_is_domain_match\b",
        ),
        "ggrep refs is_ip_address",
        None,
        "semble search is_ip_address -k 20 --format text",
        "codegraph callers is_ip_address",
    ),
    Task(
        "an exact text",
        (At("aiohttp/connector.py", 675, 675), At("aiohttp/connector.py", 1134, 1134)),
        "ggrep '\"Connector is closed\"' -n",
        "rg 'Connector is closed'",
        "semble search 'Connector is closed' --format text",
        "codegraph query 'Connector is closed'",
    ),
    Task(
        "lines that match a regular expression",
        (At("aiohttp/connector.py", 1106, 1106), At("aiohttp/connector.py", 1212, 1212)),
        "ggrep 'async def _\\w+host' -E -n",
        "rg 'async def _\\w+host'",
    ),
    Task(
        "by meaning: which cookies go when there are too many",
        (At("aiohttp/cookiejar.py", 459, 524),),
        "ggrep 'which cookies go when there are too many'",
        "rg -i 'too many cookies|evict|max_cookies'",
        "semble search 'which cookies go when there are too many' --format text",
        "codegraph context which cookies go when there are too many",
    ),
    Task(
        "where is it handled: a redirect to another host",
        (At("aiohttp/client.py", 935, 1060),),
        "ggrep 'where is a redirect to another host handled'",
        "rg -i redirect aiohttp",
        "semble search 'where is a redirect to another host handled' --format text",
        "codegraph context where is a redirect to another host handled",
    ),
    Task(
        "a word of two meanings: why a websocket was closed, by number",
        (At("aiohttp/_websocket/models.py", 11, 24),),
        "ggrep 'numbers that say why a websocket was closed'",
        "rg -i close.?code aiohttp",
        "semble search 'numbers that say why a websocket was closed' --format text",
        "codegraph context numbers that say why a websocket was closed",
    ),
    Task(
        "the files of a topic",
        (r"aiohttp/client_middleware_digest_auth\.py", r"tests/test_client_middleware_digest_auth"),
        "ggrep 'digest auth' --compact",
        "rg --files | rg digest",
        "semble search 'digest auth' --format text --max-snippet-lines 0",
        "codegraph files --pattern '*digest*' --format flat",
    ),
    Task(
        "path:line:column for an editor",
        (r"^aiohttp/connector\.py:932:\d+:",),
        "ggrep TCPConnector --vimgrep",
        "rg --vimgrep 'class TCPConnector'",
    ),
    Task(
        "choose a hit with fzf",
        (r"cookiejar\.py:\d+",),
        "ggrep cookie --vimgrep | fzf -f jar",
        "rg cookie | fzf -f jar",
        "semble search cookie --format text --max-snippet-lines 0 | fzf -f jar",
        "codegraph query cookie -l 50 | fzf -f jar",
    ),
    Task(
        "without tests",
        (At("aiohttp/_cookie_helpers.py", 100, 360),),
        "ggrep 'parse a cookie header' --no-tests -n",
        "rg 'def .*parse.*cookie' -g '!tests'",
        "semble search 'parse a cookie header' aiohttp --format text",
        "codegraph query cookie_header | grep -v tests/",
        never=r"tests/",
    ),
    Task(
        "only tests",
        (r"\btest_connector\.py",),
        "ggrep 'dns cache expires' tests -n",
        "rg 'def test.*dns_cache' tests",
        "semble search 'dns cache expires' tests --format text",
        "codegraph query dns_cache | grep tests/",
        never=r"\baiohttp/connector\.py",
    ),
    Task(
        "in one language",
        (r"src/llhttp/http\.ts",),
        "ggrep span -t ts -n",
        "rg span -tts",
        codegraph="codegraph query span -l 50 | grep ts:",
        never=r"\.(py|c|h|rst|md)\b:",
    ),
    Task(
        "below one folder",
        (At("aiohttp/_websocket/reader_py.py", 120, 615),),
        "ggrep 'handle a ping frame' aiohttp/_websocket -n",
        "rg -i ping aiohttp/_websocket",
        "semble search 'handle a ping frame' aiohttp/_websocket -k 10 --max-snippet-lines 3"
        " --format text",
        "codegraph query ping -l 50 | grep _websocket/",
        never=r"tests/",
    ),
    Task(
        "below two folders",
        (r"client_advanced\.rst", r"fake_server\.py"),
        "ggrep resolver docs examples -n",
        "rg resolver docs examples",
        "semble search resolver docs examples --content all -k 10 --max-snippet-lines 3"
        " --format text",
        "codegraph query resolver -l 50 | grep -E 'docs/|examples/'",
    ),
    Task(
        "in one file",
        (r"\b256:", r"\b274:"),
        "ggrep '\"sock_connect\"' aiohttp/client.py --vimgrep",
        "rg sock_connect aiohttp/client.py",
    ),
    Task(
        "only the names of files",
        (
            r"^aiohttp/connector\.py$",
            r"^aiohttp/cookiejar\.py$",
            r"^aiohttp/helpers\.py$",
            r"^tests/test_helpers\.py$",
        ),
        "ggrep '\"is_ip_address\"' --compact",
        "rg -l is_ip_address",
    ),
    Task(
        "the number of matches in each file",
        (r"aiohttp/cookiejar\.py\D+5$|\b5 aiohttp/cookiejar\.py",),
        "ggrep '\"is_ip_address\"' --vimgrep | cut -d: -f1 | sort | uniq -c",
        "rg -c is_ip_address",
    ),
    Task(
        "JSON for a script",
        (r'"(path|text|filePath|file_path|file)": ?"aiohttp/connector\.py"', r"\b932\b|\b924\b"),
        "ggrep symbol TCPConnector --json",
        "rg --json 'class TCPConnector'",
        "semble search TCPConnector -k 10",
        "codegraph query TCPConnector -j",
        whole=True,
    ),
    Task(
        "the function around a line",
        (r"\b_resolve_host\b",),
        "ggrep expand aiohttp/connector.py:1130",
        "sed 1130q aiohttp/connector.py | rg 'def ' | tail -1",
        None,
        "codegraph node -f aiohttp/connector.py --symbols-only",
    ),
    Task(
        "one definition's body",
        (r"def _resolve_host_with_throttle", r"for fut in futures"),
        "ggrep expand _resolve_host_with_throttle",
        "rg -A40 'def _resolve_host_with_throttle'",
        "semble search _resolve_host_with_throttle -k 1 --format text",
        "codegraph node _resolve_host_with_throttle",
    ),
    Task(
        "an outline of a file",
        (r"\bThreadedResolver\b", r"\bAsyncResolver\b", r"\b_resolve_with_query\b"),
        "ggrep outline aiohttp/resolver.py",
        "rg '^ *(async )?(def|class) ' aiohttp/resolver.py",
        None,
        "codegraph node -f aiohttp/resolver.py --symbols-only",
    ),
    Task(
        "help about filters",
        (r"lang:|--glob|--pattern",),
        "ggrep help search",
        "rg -h",
        None,
        "codegraph files -h",
        whole=True,
    ),
    Task(
        "a tour of the repository",
        (r"(?i)http client/server framework", r"\btests/", r"\bvendor/", r"\bdocs/"),
        "ggrep tour",
        None,
        None,
        "codegraph files --max-depth 1",
    ),
    Task(
        "in another letter case",
        (At("aiohttp/connector.py", 932, 932),),
        "ggrep tcpconnector -n",
        "rg -i 'class tcpconnector'",
        "semble search tcpconnector -k 10 --max-snippet-lines 3 --format text",
        "codegraph query tcpconnector",
    ),
    Task(
        "a word, but not inside longer words",
        (At("aiohttp/web_urldispatcher.py", 691, 691), At("aiohttp/web_protocol.py", 836, 836)),
        "ggrep refs Response --in aiohttp",
        "rg -w Response aiohttp",
        None,
        "codegraph callers Response",
        never=r"class (Client|Stream)Response",
        whole=True,
    ),
    Task(
        "a pattern over two lines",
        (At("aiohttp/client.py", 949, 950),),
        "ggrep 'raise TooManyRedirects\\(\\n\\s+history' -E -n",
        "rg -U 'raise TooManyRedirects\\(\\n\\s+history'",
    ),
    Task(
        "only documents",
        (At("docs/web_advanced.rst", 1037, 1110),),
        "ggrep 'graceful shutdown' --corpus prose -n",
        "rg -i 'graceful shutdown' -g '*.rst'",
        "semble search 'graceful shutdown' --content docs --format text",
        None,
        never=r"\.py\b",
    ),
    Task(
        "a hidden file of settings",
        (r"\.mypy\.ini",),
        "ggrep follow_imports_for_stubs -n",
        "rg -uu follow_imports_for_stubs",
        "semble search follow_imports_for_stubs --content config --format text",
    ),
    Task(
        "a file that git ignores",
        (r"aiohttp/_find_header\.c",),
        None,
        "rg -u NEXT_CHAR",
    ),
    Task(
        "a query that begins with a dash",
        (At("pytest.ini", 13, 13),),
        "ggrep -- '\"--showlocals\"'",
        "rg -- --showlocals",
        "semble search --content config --format text -- --showlocals",
        None,
    ),
    Task(
        "a word with letters outside ASCII",
        (At("tests/test_http_parser.py", 2879, 2886), At("docs/client_quickstart.rst", 137, 137)),
        "ggrep путь -n",
        "rg путь",
        "semble search путь --content all --format text",
        "codegraph query путь",
    ),
    Task(
        "in another repository",
        (At("src/flask/sessions.py", 337, 385),),
        "ggrep 'save the session cookie' ../flask -n",
        "rg 'def save_session' ../flask",
        "semble search 'save the session cookie' ../flask --format text",
        "codegraph query save_session -p ../flask",
    ),
    Task(
        "in two repositories at once",
        (r"src/flask/(?:app|sessions|wrappers|ctx)\.py", r"aiohttp/(?:\w+/)?\w+\.py"),
        "ggrep 'response cookie' --workspace ../two.jsonc -n",
        "rg 'def.*cookie' aiohttp ../flask/src",
        "semble search 'response cookie' . ../flask -k 10 --max-snippet-lines 3 --format text",
        "codegraph query cookie; codegraph query cookie -p ../flask",
    ),
    Task(
        "in the current folder of a monorepo",
        (At("src/llhttp/http.ts", 1, 1400),),
        "ggrep 'allow LF without CR' -n",
        "rg -i LFWithoutCR",
        "semble search 'allow LF without CR' --format text",
        "codegraph query LFWithoutCR",
        never=r"\baiohttp/",
        folder="vendor/llhttp",
    ),
    Task(
        "an exit status for a script if nothing matches",
        (),
        "ggrep zzqqxx --exit-status",
        "rg zzqqxx",
        None,
        "codegraph query zzqqxx | grep :",
        status=1,
    ),
    Task(
        "a function that was just written",
        (r"aiohttp/helpers\.py", FRESH),
        f"ggrep {FRESH} -n --sync",
        f"rg {FRESH}",
        f"semble search {FRESH} --format text",
        f"codegraph sync; codegraph query {FRESH}",
        edit="fresh",
    ),
    Task(
        "remaining uses of a changed name",
        (At("aiohttp/base_protocol.py", 124, 124), At("tests/test_tcp_helpers.py", 30, 30)),
        "ggrep refs tcp_nodelay --sync",
        "rg -w tcp_nodelay",
        "semble search tcp_nodelay -k 20 --format text",
        "codegraph sync; codegraph callers tcp_nodelay",
        edit="rename",
    ),
)
