"""The part that controllers and sensors share: each belongs to a robot."""

from __future__ import annotations

from typing import Any


class Attached:
    """A controller or a sensor of a robot."""

    agent: Any = None
    parent: Any = None

    def set_agent(self, agent: Any, parent: Any = None) -> None:
        """Gives it its robot."""
        self.agent = agent
        if parent is not None:
            self.parent = parent
        elif self.parent is None:
            self.parent = agent

    def set_parent(self, parent: Any = None) -> None:
        """Gives it its parent, by default its robot."""
        self.parent = self.agent if parent is None else parent
