"""The states of a connection, and what leads from one to the next: who may say what, and when.

The table has a half for each role, as the two ends of one connection see different things: what
one says the other hears, and bytes that cannot be followed are met by their reader alone.
"""

from collections.abc import Mapping
from enum import Enum
from types import MappingProxyType
from typing import Final


class Role(Enum):
    """Which end of the connection."""

    CLIENT = "client"
    DAEMON = "daemon"


class State(Enum):
    """Where a connection stands.

    Attributes:
        GREETING: nobody has introduced himself.
        GREETED: the client has; the daemon's answer is still to come.
        ENDING: the client's bytes cannot be followed any more. What it asked before is answered;
            then it is told why.
    """

    GREETING = "greeting"
    GREETED = "greeted"
    OPEN = "open"
    ENDING = "ending"
    CLOSED = "closed"


class Step(Enum):
    """What happens to a connection.

    Attributes:
        HELLO: said by the client, as is `REQUEST`.
        WELCOME: said by the daemon, as are `REPLY` and `REFUSAL`.
        REPLY: an answer or a failure, of a request that it names.
        REFUSAL: a failure that names no request.
        GARBLED: a whole frame was read that spells none of these.
        UNFRAMED: a length was read that begins no frame: nobody can tell where the next one is.
        END: one of both closed the connection.
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
    """A step that the table does not have: a fault of this end, as the other's are steps."""


_LOST: Final = dict.fromkeys((Step.REFUSAL, Step.GARBLED, Step.UNFRAMED, Step.END), State.CLOSED)
_END: Final = {Step.END: State.CLOSED}

TABLE: Final[Mapping[Role, Mapping[State, Mapping[Step, State]]]] = MappingProxyType(
    {
        Role.CLIENT: {
            State.GREETING: {Step.HELLO: State.GREETED, **_END},
            # A plain search does not wait for its welcome.
            State.GREETED: {Step.REQUEST: State.GREETED, Step.WELCOME: State.OPEN, **_LOST},
            # A refusal here is of one of several requests: of which, nobody can tell.
            State.OPEN: {Step.REQUEST: State.OPEN, Step.REPLY: State.OPEN, **_LOST},
            State.ENDING: {},
            State.CLOSED: _END,
        },
        Role.DAEMON: {
            # Whatever comes first is taken for a hello.
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
    """Return the state after a step.

    Raises:
        OutOfTurn: the table has none.
    """
    found = TABLE[role][state].get(step)
    if found is None:
        raise OutOfTurn(f"{step.value} is out of turn: the {role.value} is at {state.value}")
    return found
