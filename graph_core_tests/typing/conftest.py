"""The checkers belong to the development tools: where they are not installed, what runs them is no test."""

from importlib.util import find_spec

collect_ignore = [] if find_spec("mypy") and find_spec("pyright") else ["test_checkers.py"]
