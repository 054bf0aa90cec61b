"""A call that knows no deadline is given one: it is made on a thread that may be left behind."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

T = TypeVar("T")


def within(seconds: float, thread: str, call: Callable[[], T]) -> T:
    """What `call` gives, or raises.

    Raises:
        TimeoutError: it did not come to its end in time.
    """
    answer: Future[T] = Future()

    def run() -> None:
        try:
            answer.set_result(call())
        except BaseException as failure:  # noqa: BLE001 - whatever went wrong belongs to the thread that waits
            answer.set_exception(failure)

    threading.Thread(target=run, name=thread, daemon=True).start()
    return answer.result(seconds)
