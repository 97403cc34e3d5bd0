"""What the certificates of other sites are checked against. It is read once in a process, which takes 30 ms."""

from functools import cache
from ssl import SSLContext

import httpx2


@cache
def trusted(*, by_environment: bool) -> SSLContext:
    """As each client would make it for itself; `by_environment` as its `trust_env`: SSL_CERT_FILE counts."""
    return httpx2.create_ssl_context(trust_env=by_environment)
