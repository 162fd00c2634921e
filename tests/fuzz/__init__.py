"""Damaged and odd input for every reader and for `mq-oracle serve`: nothing escapes, hangs or is lost.

In the ordinary run of the tests each of these tries a few inputs. `tox -e fuzz` tries 20,000 in all, new ones each
time, with a limit of memory. A mistake that an input has shown becomes a test of its own beside the reader's other
tests.
"""
