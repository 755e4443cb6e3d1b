"""Names and contents that are markup, scripts, or misleading."""

PAYLOADS = (
    "<script>window.pwned=1</script>",
    "<img src=x onerror=window.pwned=1>",
    "</code></div><svg onload=window.pwned=1>",
    '" autofocus onfocus=window.pwned=1 x="',
    "javascript:window.pwned=1",
    "{{constructor.constructor('window.pwned=1')()}}",
    "${window.pwned=1}",
    "<iframe srcdoc='<script>parent.pwned=1</script>'>",
    "&lt;b&gt;",
    "<style>body{display:none}</style>",
)

HOSTILE = {
    "<img src=x onerror=pwned=1>.py": "def payload_name():\n    return 1\n",
    "<svg onload=pwned=1>/a&b\"'.md": "# payload <script>pwned=1</script>\n\npayload text\n",
    "javascript:pwned=1.py": "def payload_scheme():\n    return 'payload'\n",
    "contents.py": "".join(
        f"def payload_{number}():\n    # payload {text}\n    return {text!r}\n\n\n"
        for number, text in enumerate(PAYLOADS)
    ),
    "names.js": 'class payload { ["<img src=x onerror=pwned=1>"]() { return "payload"; } }\n',
    "README.md": "# <img src=x onerror=pwned=1>\n\nA payload <script>pwned=1</script>.\n",
}
