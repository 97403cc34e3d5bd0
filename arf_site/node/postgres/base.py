"""Django's database backend for the embedded server, found by its place: each request looks at its connection without
a statement.
"""

import select

from django.db.backends.postgresql import base
from psycopg.pq import TransactionStatus


class DatabaseWrapper(base.DatabaseWrapper):
    def is_usable(self) -> bool:
        """The server ends or closes every socket of this machine when it ends, and says nothing between statements."""
        return self._is_quiet() or super().is_usable()

    def _is_quiet(self) -> bool:
        """Whether the connection waits for a statement, and nothing has come since the last one."""
        if self.connection is None or self.errors_occurred:
            return False
        server = self.connection.pgconn
        if server.transaction_status != TransactionStatus.IDLE:
            return False
        arrived = select.poll()
        arrived.register(server.socket, select.POLLIN)
        return not arrived.poll(0)
