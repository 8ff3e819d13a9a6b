"""A Dask cluster as an executor."""

from __future__ import annotations

import importlib
import logging
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager

from pebble.common.errors import InvalidInput, PebbleError

__all__ = ["dask_cluster"]


@contextmanager
def dask_cluster(address: str, timeout: float = 10) -> Iterator[tuple[Executor, int]]:
    """Connect to a running Dask scheduler; yield its executor, and how many workers it has now.

    Parameters
    ----------
    address : str
        Such as ``tcp://10.0.0.1:8786``.
    timeout : float
        Seconds to wait for the scheduler.

    Raises
    ------
    InvalidInput
        If Dask is not installed or the address makes no sense.
    PebbleError
        If no scheduler answers.
    """
    try:
        distributed = importlib.import_module("distributed")
    except ImportError:
        raise InvalidInput("Dask is not installed: pip install 'pebble-io[dask]' (or '.[dask]')") from None
    for name in ("distributed", "distributed.client"):  # importing has set both
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)  # tracebacks of what we say in our own words
    try:
        distributed.comm.get_address_host_port(address)
    except ValueError as error:
        raise InvalidInput(
            f"{address!r} is not the address of a Dask scheduler, such as tcp://10.0.0.1:8786: {error}"
        ) from error
    try:
        client = distributed.Client(address, timeout=timeout, set_as_default=False)
    except OSError as error:
        raise PebbleError(
            f"no Dask scheduler answers at {address}: {error or type(error).__name__}"
        ) from error
    try:
        yield client.get_executor(), len(client.scheduler_info()["workers"])
    finally:
        client.close()
