"""Messages of system checks."""

DEFAULT = {"app_configs": None, "databases": ["default"]}


def only(messages: list) -> tuple[str, str]:
    [message] = messages
    return message.id, message.msg
