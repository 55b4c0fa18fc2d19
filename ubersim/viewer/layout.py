"""Where things are on the page: the tree and graphs to the left of the scene, controls and details to its right.

The scene is framed between the columns, never behind them. On a small screen the columns become sections of one sheet.
"""

from __future__ import annotations

from typing import Any

from ubersim.viewer.page import Page

TREE_WIDTH, CONTROLS_WIDTH = 250.0, 370.0
"""Of the columns [px]; both can be dragged to another width."""


class PageLayout:
    """Places for panels; a place is a context, in which controls are added (`with layout.score(): ...`)."""

    def __init__(self, page: Page) -> None:
        gui = page.gui
        gui.set_panel_label("Controls")
        gui.main_panel.dock_right()
        gui.main_panel.set_width(CONTROLS_WIDTH)
        self._left = gui.add_panel()
        self.tree: Any = self._left.add_tab("World")
        """The tree of robots and all else."""
        self._left.dock_left()
        self._left.set_width(TREE_WIDTH)
        self._kept = gui.add_panel(visible=False)
        self.graphs: Any = self._kept.add_tab("Graphs")
        """Graphs that are kept; see `show_graphs`."""
        self._kept.dock_below(self._left)
        self._boards = gui.add_panel(visible=False)
        self._boards.dock_below(gui.main_panel)
        self._tabs: dict[str, Any] = {}

    def show_graphs(self, visible: bool) -> None:
        """There are graphs that are kept, or none any more."""
        if self._kept.visible != visible:
            self._kept.visible = visible

    def score(self) -> Any:
        """The place of a score board, below the controls; it is there from the first call on."""
        return self.board("Score")

    def board(self, title: str) -> Any:
        """A tab below the controls, for whatever is to be seen all the time."""
        if title not in self._tabs:
            self._tabs[title] = self._boards.add_tab(title)
            self._boards.visible = True
        return self._tabs[title]
