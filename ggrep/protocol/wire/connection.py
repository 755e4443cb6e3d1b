"""A connection between client and daemon without I/O: turns received bytes into events."""

from collections import deque
from collections.abc import Mapping
from enum import Enum
from itertools import count
from types import MappingProxyType
from typing import Final, TypeAlias

from msgspec import Struct

from ggrep.base import stable_json
from ggrep.base.errors import BudgetExceeded, GgrepError, InvalidRequest
from ggrep.base.stable_json import Document
from ggrep.protocol.wire.frames import (
    HARD_MAX_REQUEST_BYTES,
    HARD_MAX_RESPONSE_BYTES,
    FrameError,
    FrameReader,
    frame,
    parse_object,
)
from ggrep.protocol.wire.handshake import (
    Hello,
    Welcome,
    answer_hello,
    check_welcome,
    hello_json,
    parse_hello,
    parse_welcome,
    welcome_json,
)
from ggrep.protocol.wire.messages import (
    Cancel,
    Envelope,
    Message,
    message_json,
    parse_message,
    request_id_of,
)
from ggrep.protocol.wire.replies import Reply, error_json, error_of, parse_reply


class Role(Enum):
    """The side of a connection."""

    CLIENT = "client"
    DAEMON = "daemon"


class State(Enum):
    """The state of a connection.

    Attributes:
        GREETING: before the client's hello.
        GREETED: after the hello, before the daemon's answer.
        ENDING: further bytes of the client cannot be parsed. The daemon answers the earlier
            requests and then sends a refusal with the reason.
    """

    GREETING = "greeting"
    GREETED = "greeted"
    OPEN = "open"
    ENDING = "ending"
    CLOSED = "closed"


class Step(Enum):
    """An event of a connection.

    Attributes:
        REPLY: an answer or a failure, with the id of its request.
        REFUSAL: a failure without a request id.
        GARBLED: a whole frame with an invalid message.
        UNFRAMED: an invalid length, so that the start of the next frame is unknown.
    """

    HELLO = "hello"
    REQUEST = "request"
    WELCOME = "welcome"
    REPLY = "reply"
    REFUSAL = "refusal"
    GARBLED = "garbled"
    UNFRAMED = "unframed"
    END = "end"


class OutOfTurn(Exception):
    """A step that the table of states lacks; only a bug on this side can cause such a step."""


_LOST: Final = dict.fromkeys((Step.REFUSAL, Step.GARBLED, Step.UNFRAMED, Step.END), State.CLOSED)
_END: Final = {Step.END: State.CLOSED}

TABLE: Final[Mapping[Role, Mapping[State, Mapping[Step, State]]]] = MappingProxyType(
    {
        Role.CLIENT: {
            State.GREETING: {Step.HELLO: State.GREETED, **_END},
            # A plain search does not wait for its welcome.
            State.GREETED: {Step.REQUEST: State.GREETED, Step.WELCOME: State.OPEN, **_LOST},
            # A refusal in this state belongs to an unknown request.
            State.OPEN: {Step.REQUEST: State.OPEN, Step.REPLY: State.OPEN, **_LOST},
            State.ENDING: {},
            State.CLOSED: _END,
        },
        Role.DAEMON: {
            # The first frame counts as a hello.
            State.GREETING: {Step.HELLO: State.GREETED, Step.UNFRAMED: State.ENDING, **_END},
            State.GREETED: {Step.WELCOME: State.OPEN, Step.REFUSAL: State.CLOSED, **_END},
            State.OPEN: {
                Step.HELLO: State.GREETED,
                Step.REQUEST: State.OPEN,
                Step.REPLY: State.OPEN,
                Step.GARBLED: State.OPEN,
                Step.REFUSAL: State.OPEN,
                Step.UNFRAMED: State.ENDING,
                **_END,
            },
            State.ENDING: {Step.REPLY: State.ENDING, Step.REFUSAL: State.CLOSED, **_END},
            State.CLOSED: _END,
        },
    }
)


def follow(role: Role, state: State, step: Step) -> State:
    """Return the state after a step."""
    following = TABLE[role][state].get(step)
    if following is None:
        raise OutOfTurn(f"unexpected {step.value}: the {role.value} is in the state {state.value}")
    return following


WENT_AWAY: Final = "the daemon closed the connection"


class InvalidMessage(Struct, frozen=True):
    """A client's invalid frame, for `DaemonConnection.refuse`."""

    error: GgrepError
    request_id: str = ""


class Lost(Struct, frozen=True):
    """The daemon ended the connection, or sent an invalid message."""

    reason: str


DaemonEvent: TypeAlias = Hello | Envelope | InvalidMessage
ClientEvent: TypeAlias = Welcome | Reply | GgrepError | Lost
"""A `GgrepError` ends the handshake: the daemon refused it, or is the wrong daemon."""


class Connection:
    """The common part of both sides of a connection."""

    def __init__(self, role: Role, most_received: int, most_sent: int) -> None:
        """Start in the state before the handshake; the bounds limit frames, in bytes."""
        self.state = State.GREETING
        self._role = role
        self._reader = FrameReader(most_received)
        self._payloads: deque[bytes] = deque()
        self._most_sent = most_sent

    @property
    def mid_frame(self) -> bool:
        """Return whether an incomplete frame was received."""
        return self._reader.mid_frame

    def receive(self, data: bytes) -> None:
        """Add bytes that were received from the other side."""
        self._payloads.extend(self._reader.feed(data))

    def close(self) -> None:
        """Record that the connection was closed."""
        self._follow(Step.END)

    def _follow(self, step: Step) -> None:
        self.state = follow(self._role, self.state, step)

    def _framed(self, document: Document) -> bytes:
        return frame(stable_json.dumps(document), cap_bytes=self._most_sent)


class DaemonConnection(Connection):
    """The daemon's side of a connection."""

    def __init__(self, most_received: int, most_sent: int) -> None:
        """Start in the state before a client's hello; the bounds limit frames, in bytes."""
        super().__init__(Role.DAEMON, most_received, most_sent)
        self.hello: Hello | None = None

    def next_event(self) -> DaemonEvent | None:
        """Return the client's next message; None if more bytes are needed.

        Before the next call, the caller must answer a hello with `welcome`, and an invalid message
        with `refuse`.
        """
        if self.state not in {State.GREETING, State.OPEN}:
            return None
        if self._payloads:
            return self._event(self._payloads.popleft())
        if self._reader.fault:
            self._follow(Step.UNFRAMED)
            return InvalidMessage(FrameError(self._reader.fault))
        return None

    def welcome(self, hello: Hello, offer: Welcome) -> bytes:
        """Return the answer to a hello: a welcome, or a refusal that ends the connection."""
        try:
            answer = answer_hello(hello, offer)
        except GgrepError as error:
            return self.refuse(InvalidMessage(error))
        self._follow(Step.WELCOME)
        self.hello = hello
        return self._framed(welcome_json(answer))

    def refuse(self, misfit: InvalidMessage) -> bytes:
        """Return the refusal of an invalid frame; a refused hello or length ends the connection."""
        self._follow(Step.REPLY if misfit.request_id else Step.REFUSAL)
        return self._framed(error_json(misfit.request_id, misfit.error))

    def reply(self, document: Document) -> bytes:
        """Return the bytes of a reply; a reply that is too large becomes a failure."""
        self._follow(Step.REPLY)
        try:
            return self._framed(document)
        except FrameError:
            cause = BudgetExceeded(
                f"the answer is larger than max_response_bytes ({self._most_sent}); "
                "ask for fewer hits or shorter snippets"
            )
            return self._framed(error_json(str(document.get("request_id", "")), cause))

    def _event(self, payload: bytes) -> DaemonEvent:
        greeting = self.state == State.GREETING
        body: Mapping[str, object] = {}
        try:
            body = parse_object(payload)
            greeting = greeting or body.get("message") == "hello"
            event = parse_hello(body) if greeting else parse_message(body)
        except GgrepError as error:
            self._follow(Step.HELLO if greeting else Step.GARBLED)
            return InvalidMessage(error, "" if greeting else request_id_of(body))
        self._follow(Step.HELLO if greeting else Step.REQUEST)
        return event


class ClientConnection(Connection):
    """The client's side of a connection.

    Attributes:
        lost: reason why no more requests are possible; empty while the connection is open.
    """

    def __init__(self, hello: Hello, name: str) -> None:
        """Start in the state before the handshake; `name` is the prefix of request ids."""
        super().__init__(Role.CLIENT, HARD_MAX_RESPONSE_BYTES, HARD_MAX_REQUEST_BYTES)
        self.lost = ""
        self._hello = hello
        self._name = name
        self._ids = count(1)
        self._open_requests: set[str] = set()

    def greet(self) -> bytes:
        """Return the bytes of the hello."""
        self._follow(Step.HELLO)
        return self._framed(hello_json(self._hello))

    def request(
        self, message: Message, request_id: str = "", caller: str = ""
    ) -> tuple[str, bytes]:
        """Return the request id of a message, and the message's bytes."""
        request_id = request_id or f"{self._name}-{next(self._ids)}"
        data = self._framed(message_json(request_id, message, caller))
        self._follow(Step.REQUEST)
        self._open_requests.add(request_id)
        return request_id, data

    def cancel(self, request_id: str) -> bytes:
        """Return the bytes that cancel a request.

        The replies to the request and to its cancellation are dropped when they arrive.
        """
        cancelling, data = self.request(Cancel(request_id))
        self.forget(cancelling)
        self.forget(request_id)
        return data

    def forget(self, request_id: str) -> None:
        """Drop the reply to a request when it arrives."""
        self._open_requests.discard(request_id)

    def close(self, reason: str = WENT_AWAY) -> None:
        """Record the reason for the end of the connection, unless one is already recorded."""
        super().close()
        self.lost = self.lost or reason

    def next_event(self) -> ClientEvent | None:
        """Return the daemon's next message; None if more bytes are needed."""
        if self.state not in {State.GREETED, State.OPEN}:
            return None
        if self._payloads:
            payload = self._payloads.popleft()
            return self._answer(payload) if self.state == State.GREETED else self._reply(payload)
        if self._reader.fault:
            return self._lose(Step.UNFRAMED, _invalid_reply(self._reader.fault))
        return None

    def _answer(self, payload: bytes) -> Welcome | GgrepError:
        try:
            body = parse_object(payload)
            if "error" in body:
                self._lose(Step.REFUSAL, "the daemon refused the connection")
                return error_of(body)
            welcome = parse_welcome(body)
            check_welcome(welcome, self._hello)
        except GgrepError as error:
            self._lose(Step.GARBLED, "the daemon is not compatible")
            return error
        self._follow(Step.WELCOME)
        return welcome

    def _reply(self, payload: bytes) -> Reply | Lost:
        try:
            reply = parse_reply(parse_object(payload))
        except InvalidRequest as error:
            return self._lose(Step.GARBLED, _invalid_reply(str(error)))
        request_id = reply.request_id
        if not request_id:
            # With several open requests, it is unknown which was refused.
            if len(self._open_requests) != 1:
                return self._lose(Step.REFUSAL, f"the daemon refused a request: {reply.error}")
            (request_id,) = self._open_requests
        self._follow(Step.REPLY)
        self.forget(request_id)
        return Reply(request_id, reply.name, reply.body, reply.error)

    def _lose(self, step: Step, reason: str) -> Lost:
        self._follow(step)
        self.lost = reason
        return Lost(reason)


def _invalid_reply(reason: str) -> str:
    return f"invalid reply from the daemon: {reason}"
