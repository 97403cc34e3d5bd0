"""How what is logged reads. Pure."""

import logging


class OneLine(logging.Filter):
    """Makes of an error that callers cause at will, with its traceback, a warning of one line. The setting that Django
    names has another name outside.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        record.levelno, record.levelname = logging.WARNING, "WARNING"
        record.msg = str(record.msg).replace(" to ALLOWED_HOSTS", " to ARF_ALLOWED_HOSTS")
        record.exc_info = record.exc_text = None
        return True
