"""Exceptions of MORSE's builder."""

from .. import _native


class MorseBuilderError(_native.SwarmariumError):
    """A script that MORSE's builder refuses."""


class MorseBuilderNoComponentError(MorseBuilderError):
    """There is no such component."""


class MorseBuilderUnexportableError(MorseBuilderError):
    """A component cannot have streams."""


def refuse(message: str) -> MorseBuilderError:
    """The exception for something that MORSE refuses, too."""
    return MorseBuilderError(message)
