"""Explorers: figures that move, with a kernel in JupyterLab and without one on the pages of the book.

`explore` shows points beside their embedding, one frame for each value of a parameter; `sweep` shows any
Matplotlib figure over a grid of values. The build of the book sets DIMRED_BOOK=1: then every frame is computed
at once and stored in the page, and the script of `scripts`, the same as in JupyterLab, shows them. `gallery` shows
many maps that have been computed before, `live` points that a reader moves and what a method makes of them, and `ink`
a sheet that a reader writes on and maps of it.
"""

from dimred_lessons.classroom.explorers.explorer import explore
from dimred_lessons.classroom.explorers.gallery import gallery
from dimred_lessons.classroom.explorers.ink import ink
from dimred_lessons.classroom.explorers.live import live
from dimred_lessons.classroom.explorers.sweeps import sweep

__all__ = ["explore", "gallery", "ink", "live", "sweep"]
