"""The files that a user wrote, among all files whose code runs."""

from __future__ import annotations

import os
import site
import sys
import sysconfig
from functools import cache, lru_cache

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_LIBRARY_FOLDERS = ("site-packages", "dist-packages")


def is_within(file: str, folder: str) -> bool:
    """Whether a path is a folder, or is below it."""
    return file == folder or file.startswith(os.path.join(folder, ""))


@cache
def _libraries() -> tuple[str, ...]:
    """The folders of Python and of installed packages."""
    found = [sys.prefix, sys.base_prefix, sys.exec_prefix, *sysconfig.get_paths().values(), *site.getsitepackages()]
    found.append(site.getusersitepackages())
    return tuple(dict.fromkeys(path for one in found for path in (os.path.abspath(one), os.path.realpath(one))))


@lru_cache(maxsize=4096)
def is_of_user(file: str, folder: str) -> bool:
    """Whether a file belongs neither to Python, nor to a package that is installed, nor to this package.

    Args:
        file: the file, as the code that was compiled from it names it.
        folder: the folder of the script. A library folder around it, such as `/usr`, does not make it a library.
    """
    if not file or file.startswith("<"):
        return False
    path, folder = os.path.abspath(file), os.path.abspath(folder)
    below = os.path.relpath(path, folder) if is_within(path, folder) else path
    if is_within(path, _PACKAGE) or any(part in _LIBRARY_FOLDERS for part in below.split(os.sep)):
        return False
    return not any(is_within(path, one) for one in _libraries() if not is_within(folder, one))
