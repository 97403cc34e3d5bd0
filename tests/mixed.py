"""Everything that people and programs ask of a running ARF, mixed by seed: searches, citations, provisions, pages, the
admin, documents, uploads.
"""

import random
import re
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, Request, build_opener

from tests import files
from tests.running import RunningArf

WORDS = (
    "search", "phone", "warrant", "vote", "president", "senate", "treaty", "war", "tax", "jury", "speech", "religion",
    "arms", "soldier", "house", "trial", "bail", "punishment", "slave", "court", "judge", "impeach", "pardon", "oath",
    "copyright", "commerce", "money", "navy", "militia", "capital", "quorum", "citizen",
)  # fmt: skip
LOCATORS = [f"/us/const/amendment/{number}" for number in ("I", "IV", "V", "VIII", "XIII", "XIX", "XXVI")]
ADMIN = (
    "/admin/", "/admin/retrieval/searchlog/", "/admin/rules/alias/", "/admin/rules/rule/", "/admin/evaluation/topic/",
    "/admin/retrieval/section/", "/admin/retrieval/jobrun/", "/admin/rule-usage/", "/admin/quality/", "/admin/upload/",
)  # fmt: skip
FORM = "application/x-www-form-urlencoded"
SHARES = {
    "search": 50,
    "page": 15,
    "section": 8,
    "citations": 8,
    "admin": 8,
    "documents": 6,
    "health": 4,
    "upload": 1,
}
KEY = """
from retrieval.models import Domain
from retrieval.models.access import ApiKey
Domain.objects.get_or_create(
    slug="leases", defaults={"name": "Leases", "locator_prefix": "/leases", "visibility": "public"}
)
print(ApiKey.issue(name="mixed", scopes=["search", "documents"], rate_per_minute=100_000)[1])
"""


class Mixed:
    """A client that is signed in to the admin and has a key."""

    def __init__(self, arf: RunningArf, *, seed: int):
        self.url, self.seed, self.counts = arf.url, seed, Counter[str]()
        self.key = arf.run(KEY).strip()
        self.browser = build_opener(HTTPCookieProcessor())
        shown = self.get("/admin/login/").decode()
        token = re.search(r'csrfmiddlewaretoken" value="(\w+)"', shown)[1]
        form = {
            "username": "admin",
            "password": arf.environment["ARF_ADMIN_PASSWORD"],
            "csrfmiddlewaretoken": token,
        }
        self.send("/admin/login/", urlencode(form | {"next": "/admin/"}).encode())

    def ask(self, numbers: range, *, threads: int = 4) -> None:
        with ThreadPoolExecutor(threads) as pool:
            self.counts.update(pool.map(self.one, numbers))

    def one(self, number: int) -> str:
        """Its kind, and the status of one that was not answered well."""
        chance = random.Random(f"{self.seed} {number}")
        kind = chance.choices([*SHARES], [*SHARES.values()])[0]
        try:
            getattr(self, kind)(chance)
        except HTTPError as problem:
            return f"{kind} {problem.code}"
        return kind

    def get(self, path: str, **given: object) -> bytes:
        return self.send(f"{path}?{urlencode(given)}" if given else path)

    def send(self, path: str, body: bytes | None = None, kind: str = FORM) -> bytes:
        headers = {"Content-Type": kind, "Referer": self.url}
        if path.startswith("/api/"):
            headers["Authorization"] = f"Bearer {self.key}"
        with self.browser.open(Request(self.url + path, body, headers), timeout=60) as answer:
            return answer.read()

    def search(self, chance: random.Random) -> None:
        asked = {"q": " ".join(chance.sample(WORDS, chance.randint(1, 5))), "k": chance.choice((1, 10, 100))}
        self.get(
            "/api/v1/search", **asked | chance.choice(({}, {"explain": "true"}, {"as_of": "1900-01-01"}))
        )

    def page(self, chance: random.Random) -> None:
        asked = {"q": " ".join(chance.sample(WORDS, 3))}
        path, given = chance.choice((("/", {}), ("/search", asked), (f"/law{chance.choice(LOCATORS)}", {})))
        self.get(path, **given)

    def section(self, chance: random.Random) -> None:
        self.get(f"/api/v1/sections{chance.choice(LOCATORS)}")

    def citations(self, chance: random.Random) -> None:
        cited = (f"U.S. Const. art. I, § {chance.randint(1, 10)}" for _ in range(chance.randint(1, 60)))
        self.get("/api/v1/citations/resolve", q=" and ".join(cited))

    def admin(self, chance: random.Random) -> None:
        self.get(chance.choice(ADMIN))

    def documents(self, chance: random.Random) -> None:
        self.get(chance.choice(("/api/v1/documents", "/api/v1/documents/us/const", "/api/v1/domains")))

    def health(self, chance: random.Random) -> None:
        self.get("/api/v1/health")

    def upload(self, chance: random.Random) -> None:
        """A lease of its own, of a few pages."""
        lines = [" ".join(chance.choices(WORDS, k=12)) for _ in range(chance.randint(2, 30))]
        content = files.pdf(*(files.column(*lines) for _ in range(chance.randint(1, 4))))
        self.send("/api/v1/documents", *multipart(f"lease {chance.randint(1, 10**6)}.pdf", content))


def multipart(name: str, content: bytes) -> tuple[bytes, str]:
    """A form with a file for the domain of leases, and what kind of body it is."""
    said = 'Content-Disposition: form-data; name="{}"\r\n\r\n'
    parts = (
        said.format("domain").encode() + b"leases",
        said.format(f'file"; filename="{name}').encode() + content,
    )
    body = b"".join(b"--mixed\r\n" + part + b"\r\n" for part in parts) + b"--mixed--\r\n"
    return body, "multipart/form-data; boundary=mixed"


def megabytes(pid: int) -> float:
    """What a process holds of memory."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+) kB", status)[1]) / 1024
