"""The base of requests, which names the type of their answer."""

from dataclasses import dataclass
from typing import Generic, TypeVar

R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Request(Generic[R]):
    """A question to one repository whose answer is an `R`."""
