"""Messages of system checks."""

from collections.abc import Iterable

DEFAULT = {"app_configs": None, "databases": ["default"]}


def only(messages: Iterable) -> tuple[str, str]:
    [message] = messages
    return message.id, message.msg
