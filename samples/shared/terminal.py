"""Text for whatever stdout is: a terminal of few letters, a pipe, a stream in memory."""

import os
import sys


def show(text: str) -> None:
    """Print `text`; letters that stdout can not show are escaped, and a reader that has left is no error."""
    # A stream in memory has no encoding at all.
    encoding = sys.stdout.encoding or "utf-8"
    try:
        print(text.encode(encoding, "backslashreplace").decode(encoding), flush=True)
    except BrokenPipeError:
        # The reader, such as `head`, has seen enough; without this Python complains once more at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
