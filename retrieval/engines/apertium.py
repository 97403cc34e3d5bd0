"""Apertium's Spanish to English and English to Spanish, each kept running as one pipeline of programs by this process;
what its stream format asks of a text, and Spanish typed without accents.
"""

import os
import re
import select
import shlex
import shutil
import signal
import threading
import time
import unicodedata
import weakref
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from retrieval.errors import NotRun
from retrieval.text.normalization import fold
from retrieval.text.spoken_spanish import standard

MODE = Path("/usr/share/apertium/modes/spa-eng.mode")
INTO_SPANISH = MODE.with_name("eng-spa.mode")
WARM_LIMIT = 0.2  # s; a warm pipeline answers a question in about 1 ms, so a longer wait means it hangs
OF_TEXTS = 20.0  # s; nobody waits for a sentence of a text that is being read, on a busy machine
START_LIMIT = 2.0  # s; the first answer also loads the dictionaries
REST = 30.0  # s; a pipeline that could not start is not tried at every query
MAX_CHARACTERS = 8_000  # keeps a request below what a pipe holds (64 KiB), so writing it never blocks
_ACCENTS = Path(__file__).with_name("spanish-accents.rcx")
_ENVIRONMENT = {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C.UTF-8"}


class TranslationUnavailable(NotRun):
    """The translator is absent, died, or did not answer in time; the next call starts it again."""

    code = "translation_unavailable"


class TranslatorDown(TranslationUnavailable):
    """It could not be started: not one text, but any, would get no answer."""


class _Died(TranslationUnavailable):
    """The pipeline ended in mid-answer."""


_ANSWER_END = b"[][\n]\0"  # a superblank is passed through; NUL makes every program flush
_REQUEST_END = b"." + _ANSWER_END  # without the end of a sentence the tagger waits for more


def installed(mode: Path = MODE) -> bool:
    """Whether this direction of the pair and every program of its pipeline are on this machine."""
    return mode.is_file() and all(shutil.which(command[0]) for command in _commands(mode))


def _commands(mode: Path) -> list[list[str]]:
    """The mode file's pipeline, each program flushing at NUL. Into English, the first restores accents and ``$1`` drops
    the marks of unknown words, which into Spanish stay: "*unlawful".
    """
    into_spanish = mode.stem == INTO_SPANISH.stem
    pipeline = mode.read_text().replace("$1", "-g" if into_spanish else "-n").replace("$2", "")
    (program, *arguments), *rest = (shlex.split(part) for part in pipeline.split("|"))
    accents = [] if into_spanish else ["-r", str(_ACCENTS)]
    return [[command[0], "-z", *command[1:]] for command in ([program, *accents, *arguments], *rest)]


class _Pipeline:
    """The running programs, joined by pipes, in one process group that ends as one."""

    def __init__(self, mode: Path):
        self._in, self._out, self.group = _spawn(_commands(mode))
        # Runs once: when closed, when forgotten, or when the interpreter exits.
        self.close = weakref.finalize(self, _end, os.getpid(), self.group, self._in, self._out)

    def ask(self, request: bytes, limit: float) -> bytes:
        """The answer to one escaped text. TranslationUnavailable after ``limit`` seconds."""
        deadline = time.monotonic() + limit
        try:
            os.write(self._in, request + _REQUEST_END)
        except BrokenPipeError:
            raise _Died("The translator stopped.") from None
        answer = b""
        while not answer.endswith(b"\0"):
            answer += self._read(deadline)
        if not answer.endswith(_ANSWER_END):  # programs losing their reader or writer send a bare NUL
            raise _Died("The translator stopped.")
        return answer.removesuffix(_ANSWER_END)

    def _read(self, deadline: float) -> bytes:
        poll = select.poll()
        poll.register(self._out, select.POLLIN)
        if not poll.poll(max(0.0, deadline - time.monotonic()) * 1000):
            raise TranslationUnavailable("The translator did not answer in time.")
        part = os.read(self._out, 1 << 16)
        if not part:
            raise _Died("The translator stopped.")
        return part


def _spawn(commands: Sequence[Sequence[str]]) -> tuple[int, int, int]:
    """Descriptors to write to and read from, and the process group. Nothing is left behind on failure."""
    reading, first = os.pipe()
    group = 0
    for command in commands:
        following, writing = os.pipe()
        try:
            pid = _start(command, reading, writing, group)
        except OSError:
            _end(os.getpid(), group, first, following, reading, writing)
            raise TranslatorDown(f"{command[0]} could not be started.") from None
        os.close(reading)
        os.close(writing)
        group, reading = group or pid, following
    return first, reading, group


def _start(command: Sequence[str], stdin: int, stdout: int, group: int) -> int:
    """posix_spawn, not subprocess: no object that waits for these children in a forked copy of us."""
    return os.posix_spawnp(
        command[0],
        command,
        _ENVIRONMENT,
        file_actions=[
            (os.POSIX_SPAWN_DUP2, stdin, 0),
            (os.POSIX_SPAWN_DUP2, stdout, 1),
            (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
        ],
        setpgroup=group,
        setsigmask=[],
        setsigdef=[signal.SIGPIPE],  # Python ignores it; a program whose reader is gone must end
    )


def _end(owner: int, group: int, *descriptors: int) -> None:
    """Close, kill and reap; in a forked copy of the owner only close, for the programs are not its own."""
    for descriptor in descriptors:
        os.close(descriptor)
    if os.getpid() != owner or not group:
        return
    with suppress(ProcessLookupError):  # all gone already
        os.killpg(group, signal.SIGKILL)
    with suppress(ChildProcessError):  # none left to reap
        while True:
            os.waitpid(-group, 0)


class Apertium:
    """One direction of Apertium, as one pipeline kept by this process. Thread-safe and fork-safe.

    It starts at the first call (40-90 ms). One that died is replaced within the call; one that hangs is
    killed, the call raises, and the next call starts another.
    """

    def __init__(self, mode: Path = MODE, *, limit: float | None = None):
        self._mode = mode
        self._limit = limit
        self._lock = threading.Lock()
        self._pipeline: _Pipeline | None = None
        self._rest_until = 0.0
        _engines.add(self)

    def translate(self, text: str, *, unaccented: bool | None = None) -> str:
        """``text`` in the other language, on one line. ``unaccented``: whether its words may lack their accents, where
        it was changed since it was typed. Raises TranslationUnavailable, also for an overlong text.
        """
        if len(text) > MAX_CHARACTERS:
            raise TranslationUnavailable(f"Texts over {MAX_CHARACTERS} characters are not translated.")
        asked = clean(text)
        if not asked:
            return ""
        marked = asked if self._mode.stem == INTO_SPANISH.stem else prepared(asked, unaccented)
        with self._lock:
            answer = self._answer(escape(marked).encode())
        made = unescape(answer.decode().removesuffix("."))
        return " ".join((made if marked == asked else made.translate(UNMARKED)).split())

    def close(self) -> None:
        """End the programs; a later call starts them again."""
        with self._lock:
            self._drop()

    def _answer(self, request: bytes) -> bytes:
        kept = self._pipeline is not None
        try:
            return self._ask(request)
        except _Died:
            if not kept:
                raise
            return self._ask(request)

    def _ask(self, request: bytes) -> bytes:
        if self._pipeline is not None:
            return self._ask_running(request, self._limit or WARM_LIMIT)
        if time.monotonic() < self._rest_until:
            raise TranslatorDown("The translator could not be started.")
        self._rest_until = time.monotonic() + REST
        if not installed(self._mode):
            raise TranslatorDown("The translator is not installed.")
        self._pipeline = _Pipeline(self._mode)
        answer = self._ask_running(request, self._limit or START_LIMIT)
        self._rest_until = 0.0
        return answer

    def _ask_running(self, request: bytes, limit: float) -> bytes:
        try:
            return self._pipeline.ask(request, limit)
        except BaseException:  # whatever it was, an answer may still be under way: never reuse this one
            self._drop()
            raise

    def _drop(self) -> None:
        if self._pipeline is not None:
            self._pipeline.close()
            self._pipeline = None

    def _forget_after_fork(self) -> None:
        self._lock = threading.Lock()  # a thread that no longer exists may hold the old one
        self._drop()


_engines: "weakref.WeakSet[Apertium]" = weakref.WeakSet()


def _forget_all_after_fork() -> None:
    for engine in list(_engines):
        engine._forget_after_fork()


os.register_at_fork(after_in_child=_forget_all_after_fork)


# -- What the stream format asks of a text

_RESERVED = re.compile(r"[\[\]{}^$/\\@<>]")
_TILDE = "[~]"  # a bare tilde is a mark of the last program; inside a superblank it is left alone


def clean(text: str) -> str:
    """One line, composed, and nothing in it that could be taken for the end of a request."""
    text = unicodedata.normalize("NFC", text)
    return " ".join("".join(" " if unicodedata.category(c) in ("Cc", "Cs") else c for c in text).split())


def escape(text: str) -> str:
    return _RESERVED.sub(r"\\\g<0>", text).replace("~", _TILDE)


def unescape(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text.replace(_TILDE, "~"))


_MARK = str.maketrans("aeioun", "àèìòùń")
UNMARKED = str.maketrans("àèìòùńÀÈÌÒÙŃ", "aeiounAEIOUN")
_LONG_WORD = re.compile(r"\b[A-Za-z]{4,}\b")
_ACCENTED = re.compile(r"[^\W\d_A-Za-z]")
_FIRST_WORD = re.compile(r"^\W*(\w+)")
# A question's first word, typed without its accent.
_ASKING_WORDS = "qué cómo cuándo dónde cuál cuáles quién quiénes cuánto cuánta cuántos cuántas"
_ASKING = {fold(word): word for word in _ASKING_WORDS.split()}
# Words whose bare form is as common as the accented one: left alone elsewhere.
_AMBIGUOUS = {*_ASKING, "desde", "entre", "esta", "estas", "este", "esto", "estos", "hasta"}
_AMBIGUOUS |= {"para", "pero", "sobre", "solo"}


def is_accented(text: str) -> bool:
    return _ACCENTED.search(text) is not None


def prepared(text: str, unaccented: bool | None = None) -> str:
    """Spoken words as dictionaries have them, and of a text without any accent what may lack one marked."""
    if unaccented is None:
        unaccented = not is_accented(text)
    text = standard(text)
    return mark_unaccented(text) if unaccented else text


def mark_unaccented(text: str) -> str:
    """Mark what may lack its accent, for ``spanish-accents.rcx``."""
    text = re.sub(r"\b([Aa])n(os?)\b", r"\1ñ\2", text)
    text = _LONG_WORD.sub(_mark_word, text)
    return _FIRST_WORD.sub(_ask_first, text)


def _mark_word(match: re.Match[str]) -> str:
    word = match[0]
    return word if word.lower() in _AMBIGUOUS else word.lower().translate(_MARK)


def _ask_first(match: re.Match[str]) -> str:
    return match[0].replace(match[1], _ASKING.get(match[1].lower(), match[1]))
