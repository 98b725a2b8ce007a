"""The registry of classes, and decorators of their configurations."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from typing import Any

registered: dict[str, type] = {}
"""The classes that users registered, by name."""


def associated_type(type_name: str) -> Callable[[type], type]:
    """Notes in the instances of a configuration the class that it configures."""

    def decorate(cls: Any) -> type:
        begin = cls.__init__

        @functools.wraps(begin)
        def noted(self: Any, *args: Any, **kwargs: Any) -> None:
            self.associated_type = type_name
            begin(self, *args, **kwargs)

        cls.__init__ = noted
        return cls

    return decorate


def filter_unexpected_fields(cls: Any) -> Any:
    """Lets a data class keep arguments that are none of its fields as attributes."""
    begin, known = cls.__init__, {field.name for field in dataclasses.fields(cls)}

    @functools.wraps(begin)
    def tolerant(self: Any, *args: Any, **kwargs: Any) -> None:
        begin(self, *args, **{name: value for name, value in kwargs.items() if name in known})
        vars(self).update((name, value) for name, value in kwargs.items() if name not in known)

    cls.__init__ = tolerant
    return cls


def register_dictlike_type(key: str, name: str, cls: type) -> None:
    """Registers a controller, a sensor or another class under a name."""
    registered[name] = cls


def register_dictlike_namespace(key: str) -> None:
    """Registers a family of classes."""


def register_agent_type(name: str, agent_type: type, agent_config: Any = None) -> None:
    """Registers a class of agents."""


def register_world_type(name: str, world_type: type, world_config: Any = None) -> None:
    """Registers a class of worlds."""
