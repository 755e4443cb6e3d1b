"""Secrets inside of files are masked where they stand, and next to nothing else is."""

import re

import pytest

from ggrep.parse.source.masking import mask
from ggrep.parse.source.secret_records import in_manifests
from tests.source.secret_contents import harmless, secrets


def test_secrets_in_texts_are_masked() -> None:
    """At least 95 of 100; those that are missed are listed by the failure."""
    texts = secrets()
    missed = [
        (text, secret)
        for text, values in texts
        for secret in values
        if secret.encode() in mask(f"first\n{text}\nlast\n".encode()).data
    ]

    assert len(texts) >= 60
    assert len(missed) * 20 <= len(texts), missed


def test_texts_that_look_alike_stay_as_they_are() -> None:
    """At most 5 of 100 are touched."""
    texts = [f"first\n{text}\nlast\n".encode() for text in harmless()]
    touched = [text for text in texts if mask(text).data != text]

    assert len(texts) >= 60
    assert len(touched) * 20 <= len(texts), touched


@pytest.mark.parametrize("text", [text for text, _ in secrets()])
def test_a_masked_text_keeps_its_length_and_its_lines(text: str) -> None:
    """Offsets and line numbers hold, whatever was masked."""
    data = f"größer\r\n{text}\r\n".encode()

    masked = mask(data).data

    assert len(masked) == len(data)
    assert [line.isspace() for line in masked.split(b"\n")] == [
        line.isspace() for line in data.split(b"\n")
    ]
    assert masked.count(b"\n") == data.count(b"\n")
    assert masked.decode()


def test_what_is_masked_is_counted_and_a_second_look_finds_nothing() -> None:
    """Health counts values; masks are no secrets of their own."""
    data = "\n".join(text for text, _ in secrets()).encode()

    once = mask(data)

    assert once.values >= 55
    assert mask(once.data).data == once.data


def test_a_file_that_is_a_private_key_is_known_as_one() -> None:
    """It is left out whole; a key inside of a program is only masked."""
    key = secrets()[0][0]
    program = "x = 1\n" * 200 + key + "\n" + "y = 2\n" * 200

    assert mask(key.encode()).is_key
    assert not mask(program.encode()).is_key
    assert mask(program.encode()).data.count(b"y = 2") == 200


def test_looking_takes_time_in_proportion_to_the_file() -> None:
    """Each place is judged within a bounded number of bytes, however they are nested."""
    hostile = b"token=" * 6_000 + b'"password": "' * 3_000 + b"://a:" * 3_000 + b"sk-" * 3_000
    hostile += b"_KEY=" * 6_000 + b" pypi-" * 3_000 + b"pypi-" * 3_000 + b"connect('" * 3_000
    hostile += b"kind: Secret\ndata:\n" * 3_000 + b"mysql " * 3_000 + b"password {\n" * 3_000

    assert len(mask(hostile).data) == len(hostile)


def test_each_manifest_and_each_of_its_lines_is_read_once() -> None:
    """Sections within sections would else be read as often as they are deep."""
    nested = b"".join(b" " * depth + b"data:\n" for depth in range(400))

    assert len(list(in_manifests(b"kind: Secret\n" + nested))) < 400

    class Asked(bytes):
        times = 0

        def __contains__(self, part: object) -> bool:
            Asked.times += 1
            return super().__contains__(part)  # type: ignore[operator] # bytes alone

    assert list(in_manifests(Asked(b"kind: Secret\n---\n" * 50))) == []
    assert Asked.times == 1


def test_a_value_is_masked_wherever_its_file_has_it() -> None:
    """To its end, in comments, and in a column whose name is given once."""
    value = "q7Rw2ZkP9xVt4LmN8sBc6HdJ"

    masked = mask(f"# was {value} until May\ntoken = '{value}'\nlog({value})\n".encode())

    assert value.encode() not in masked.data
    assert b"until May" in masked.data

    value = "q7Rw2ZkP9xVt4LmN8sBc6HdJ" * 60

    for text in (
        f'session_token = "{value}"\n',
        f"session_token={value}\n",
        f"{{token: '{value}'}}",
    ):
        assert mask(text.encode()).data.count(b"q7Rw") == 0

    records = b"site,username,password\nh.example.com,webmaster,Ru5tyNail_31\nm.example.com,i,yes\n"
    page = b"| host | password |\n|------|----------|\n| mail | lavendel.Feld.9 |\n\nlavendel\n"

    assert mask(records).data == records.replace(b"Ru5tyNail_31", b"*" * 12)
    assert mask(page).data == page.replace(b"lavendel.Feld.9", b"*" * 15)

    assert mask(b"PGPASSWORD=brambl32 psql\n").data == b"PGPASSWORD=******** psql\n"


@pytest.mark.parametrize(
    "text",
    [
        "#define SIOCDPWE3NEIGHBOR 0x802069de",
        "#define IPIPE_PWRDN_EN_MASK 0x00100000L",
        ".compute_shared_secret = hpre_curve25519_compute_value,",
        "github.com/x/oauth/token 707203bc55114ed114446bf57949c5c211d8b7c0",
        'PIN(GPIO_OUT7_PW1, "DIRECTDC1_OUT7_PW1")',
        "a/b.py,sha256=vm_hTRCjemI0bNh6PJYlV9SQhAlQvb5C1GWMGgGpqjU,28006",
        'password: "Must be at least 8 characters"',
        "PrivateKey: testEd25519PrivateKey,",
    ],
)
def test_registers_names_and_sums_are_no_secrets(text: str) -> None:
    """Each is of a tree in which it was masked by mistake."""
    assert mask(f"{text}\n".encode()).values == 0


@pytest.mark.parametrize(
    "text",
    [
        'jwt_secret = """<q7Rw2ZkP9xVt4LmN8sBc6HdJ>"""',
        "jwt_secret: '''<q7Rw2ZkP9xVt4LmN8sBc6HdJ>'''",
        "ENV['SECRET_KEY_BASE'] ||= '<q7Rw2ZkP9xVt4LmN8sBc6HdJ>'",
        'options.token ??= "<q7Rw2ZkP9xVt4LmN8sBc6HdJ>";',
        "API_TOKEN ?= <q7Rw2ZkP9xVt4LmN8sBc6HdJ>",
        "passphrase: |\n  <q7Rw2ZkP9xVt4LmN8sBc6HdJ>\nport: 1",
        "token: |-\r\n  <q7Rw2ZkP9xVt4LmN8sBc6HdJ>\r\nport: 1",
    ],
)
def test_a_secret_is_one_however_it_is_assigned(text: str) -> None:
    """In quotes of three, as what is in force where there is none, below its name in YAML."""
    before, secret, behind = re.split("[<>]", text)

    masked = mask(f"{before}{secret}{behind}\n".encode()).data.decode()

    assert masked == f"{before}{'*' * len(secret)}{behind}\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    "line",
    [
        b"kind: Secret\ndata:\n  a: b\n",
        b"| password |\n|---|\n| a1b2c3d4 |\n",
        b"a,password,b\n",
        b"password = 'tulpe Hafen kranich'\n",
        b"jwt: {",
        b"jwt: |\n",
        b"jwt '''",
        b"'secret': [1, 2, 3,",
        b"mnemonic 'abandon abandon ",
    ],
)
def test_a_quarter_megabyte_of_what_is_looked_into_is_read_in_some_seconds(line: bytes) -> None:
    """Steps that read the rest of a text at each place would take minutes."""
    text = line * (250_000 // len(line))

    assert len(mask(text).data) == len(text)


_DRAWN = b"q7Rw2ZkP9xVt4LmN8sBc6HdJ"


@pytest.mark.parametrize(
    "text", [b'x = Thing("%s")\n', b"ACME=%s\n", b"acme: %s\n", b"'key' => 'base64:%s',\n"]
)
def test_a_literal_that_chance_made_is_masked_beside_no_telling_word(text: bytes) -> None:
    """Keys of small services have names of their own, or none."""
    assert _DRAWN not in mask(text % _DRAWN).data


@pytest.mark.parametrize(
    "text",
    [
        b'sha256 = "%s"\n',
        b'assert digest("%s")\n',
        b'file_id = "%s"\n',
        b'[\n  "%s",\n  "k3Jf92LmQx81ZpRt7uWy5TbA",\n]\n',
    ],
)
def test_a_literal_that_is_public_or_data_stays(text: bytes) -> None:
    """Sums, names of things and rows of literals look drawn as well."""
    assert _DRAWN in mask(text % _DRAWN).data
