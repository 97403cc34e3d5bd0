"""One base error whose message is safe to show, and the few kinds that callers treat differently."""


def gettext_noop(message: str) -> str:
    """Marks a message that is translated where it is shown: pure modules know no language."""
    return message


def storable(value: object) -> str:
    """As much of a value as a message needs, without what PostgreSQL keeps in no text."""
    return str(value).replace("\0", "")[:200]


def grouped(value: object) -> object:
    """A number as English writes it, 1,000; any other value as it is."""
    return f"{value:,}" if isinstance(value, int) else value


class ArfError(Exception):
    """An error with a message for people and an HTTP status."""

    status = 400
    code = "bad_request"

    def __init__(self, template: str, **values: object):
        """The values are kept apart, so that the message can be told in another language (`in_words`)."""
        self.message = template % {name: grouped(value) for name, value in values.items()} if values else template
        super().__init__(self.message)
        kept = {name: value if isinstance(value, int) else storable(value) for name, value in values.items()}
        self.refusal = {"template": str(template), "values": kept}


class NotFound(ArfError):
    """Absent, or not for this caller: the two are answered alike."""

    status = 404
    code = "not_found"


class UnknownPipeline(NotFound):
    code = "unknown_pipeline"

    def __init__(self, name: str):
        super().__init__(gettext_noop("There is no pipeline named “%(name)s”."), name=name)


class Forbidden(ArfError):
    status = 403
    code = "forbidden"


class Unprocessable(ArfError):
    """Well-formed, but of no use."""

    status = 422
    code = "unprocessable"


class SourceRefused(Unprocessable):
    """A source that cannot be ingested; the corpus stays as it was."""

    code = "source_refused"


class TooManyWaiting(Unprocessable):
    """Somebody who has as many files waiting to be read as one may have."""

    status = 429
    code = "too_many_waiting"
    wait = 30  # seconds after which one of them may have been read


class NoRoom(Unprocessable):
    """A file that cannot be kept just now."""

    status = 503
    code = "no_room"


class NotRun(ArfError):
    """A stage that did not do its part. `degrades`: the answer is worse for it, and says so."""

    status = 503
    code = "stage_not_run"

    def __init__(self, template: str, *, degrades: bool = True, **values: object):
        super().__init__(template, **values)
        self.degrades = degrades

    @property
    def status_in_trace(self) -> str:
        return "failed" if self.degrades else "skipped"


class SearchUnavailable(ArfError):
    """A search in which no part that finds anything worked: its emptiness would be no answer."""

    status = 503
    code = "search_unavailable"

    def __init__(self):
        super().__init__(
            gettext_noop("The search does not work at present: nothing could be looked up. Try again soon.")
        )
