"""HTML, XML and style sheets are cut at what they mark."""

from collections.abc import Callable

from ggrep.model.files import ChunkedFile

Chunked = Callable[..., ChunkedFile]

WORDS = "\n".join(f"<p>line {i}" for i in range(9))


def rows(file: ChunkedFile) -> list[tuple[str, tuple[str, ...]]]:
    """Return name and breadcrumb of each chunk but the anchor."""
    return [(chunk.name, chunk.breadcrumb) for chunk in file.chunks[1:]]


def test_html_is_cut_at_headings_and_ids(chunked: Chunked) -> None:
    """The heading is what a page's reader looks for."""
    text = (
        f"<title>Site</title>\n<h1 id=top>Guide &amp; <em>more</em></h1>\n{WORDS}\n"
        f"<h2>Install</h2>\n{WORDS}\n<div id='faq'>\n{WORDS}</div>\n<h2>Use</h2>\n{WORDS * 8}"
    )

    file = chunked("a.html", text)

    found = rows(file)
    assert found[0] == ("Site", ())
    assert ("Guide & more", ()) in found
    assert ("Install", ("Guide & more",)) in found
    assert "faq" in {name for chunk in file.chunks[1:] for name in chunk.names}
    assert ("Use", ("Guide & more",)) in found


def test_scripts_and_comments_hold_no_headings(chunked: Chunked) -> None:
    """Templates inside of a script are not the page's own."""
    text = "<h1>A</h1>\n<script>if (a<b) x = '<h2>no</h2>'</script>\n<!-- <h2>no</h2> -->\nend"

    names = [name for chunk in chunked("a.html", text).chunks[1:] for name in chunk.names]

    assert names == ["A"]


def test_xml_elements_are_named_by_what_identifies_them(chunked: Chunked) -> None:
    """A build file's dependencies all have the same tag."""
    dependency = (
        "<dependency>\n<groupId>g</groupId>\n<artifactId>{}</artifactId>\n"
        + "<x>\n" * 3
        + "</x>\n" * 3
        + "</dependency>\n"
    )
    text = (
        '<?xml version="1.0"?>\n<project>\n<!-- what it needs -->\n<dependencies>\n'
        + dependency.format("junit")
        + dependency.format("guava")
        + f"</dependencies>\n<bean id='source' class='C'>\n{'<p/>' * 300}</bean>\n</project>\n"
    )

    file = chunked("pom.xml", text)

    found = {name: chunk for chunk in file.chunks[1:] for name in chunk.names}
    assert found["source"].breadcrumb == ("project", "bean")
    assert found["dependencies"].text.lstrip().startswith(("<!--", "<?xml"))
    assert {"junit", "guava"} <= set(found)


def test_style_sheets_are_cut_at_rules(chunked: Chunked) -> None:
    """Selectors are the names of a style sheet."""
    body = "\n".join(f"  p{i}: url(http://x/#y);" for i in range(9))
    text = (
        f'@import "x";\n$accent: #fff;\n/* all buttons */\n.btn,\n.btn-primary {{\n{body}\n}}\n'
        f"@media (min-width: 10px) {{\n  #side {{\n{body}\n  }}\n  .a > b {{ c: d }}\n}}\n"
    )

    file = chunked("a.scss", text)

    found = rows(file)
    assert (".btn, .btn-primary", ()) in found
    assert ("@media (min-width: 10px)", ()) in found
    assert file.chunks[1].names == ('@import "x"', "$accent")
    assert any(chunk.text.startswith("/* all buttons */") for chunk in file.chunks[1:])


def test_a_minified_style_sheet_is_cut_between_rules(chunked: Chunked) -> None:
    """All of it stands on one line."""
    text = "".join(f".r{i}{{color:red;margin:0 {i}px}}" for i in range(200))

    chunks = chunked("a.min.css", text).chunks[1:]

    assert len(chunks) > 2
    assert all(chunk.text.startswith(".r") and chunk.text.endswith("}") for chunk in chunks)
