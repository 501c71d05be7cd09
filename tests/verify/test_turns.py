"""The turns that a cluster's asynchronous workers take."""

import threading

import pytest

from tf2towers.verify.cluster import Turnstile
from tf2towers.verify.recorder.turns import Turns


def test_a_turn_that_raised_is_over() -> None:
    """The script may have caught the error, at the end of an iterator; its next turn, and the others', come."""
    turnstile = Turnstile(2)
    turns = [Turns(turnstile.address, worker) for worker in range(2)]
    taken = []

    def take(worker: int) -> None:
        for number in range(3):
            try:
                with turns[worker].turn():
                    taken.append((number, worker))
                    if number == 1:
                        raise IndexError("the iterator's end")
            except IndexError:
                pass

    threads = [threading.Thread(target=take, args=(worker,), daemon=True) for worker in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    turnstile.close()
    assert taken == [(number, worker) for number in range(3) for worker in range(2)]


def test_a_turn_whose_turnstile_has_gone() -> None:
    """The error of the script's own is the one that is seen."""
    turnstile = Turnstile(1)
    turns = Turns(turnstile.address, 0)
    with pytest.raises(IndexError), turns.turn():
        turnstile.close()
        raise IndexError
