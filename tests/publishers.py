"""A loopback server that plays the sites where law is published, with their faults, and keeps what it was asked."""

import hashlib
import io
import json
import re
import threading
import zipfile
from base64 import b64encode
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

PAGES = Path(__file__).parent / "retrieval" / "parsing" / "uscis_pages"


@dataclass
class Page:
    """What stands at a path. `cut` answers end after so many bytes, as often as `times` says; so do failing ones."""

    body: bytes = b""
    status: int = 200
    headers: dict = field(default_factory=dict)
    etag: str = ""
    cut: int = 0
    failing: list[tuple[int, dict]] = field(default_factory=list)


class Site:
    """Pages by path. `asked`: the path and headers of each request."""

    def __init__(self) -> None:
        self.pages: dict[str, Page] = {}
        self.asked: list[tuple[str, dict]] = []
        self.address = ""

    def put(self, path: str, body: bytes | str | dict, **fields) -> Page:
        packed = json.dumps(body) if isinstance(body, dict) else body
        content = packed.encode() if isinstance(packed, str) else packed
        content = content.replace(b"ADDRESS", self.address.encode())
        etag = fields.pop("etag", f'"{hashlib.sha256(content).hexdigest()[:12]}"')
        self.pages[path] = Page(content, etag=etag, **fields)
        return self.pages[path]

    def paths(self) -> list[str]:
        return [path for path, _ in self.asked]

    # -- The publishers

    def release(self, law: str, day: str, titles: dict[str, str], *, label: str = "") -> None:
        """uscode.house.gov: the page of a release point, and its zips; `titles`: XML by "08", and "All" of all."""
        label = label or law
        base = f"releasepoints/us/pl/{label.replace('-', '/', 1)}"
        links = "".join(f'<a href="{base}/xml_usc{n}@{label}.zip" title="">[XML]</a>' for n in titles)
        self.put(
            "/download/download.shtml",
            f"<html><body><h3>Current Release Point</h3><p>Public Law {law} ({day})</p>{links}"
            f'<a href="{base}/pdf_usc{next(iter(titles))}@{label}.zip">[PDF]</a></body></html>',
        )
        for number, xml in titles.items():
            members = xml if isinstance(xml, dict) else {f"usc{number}.xml": xml}
            self.put(f"/download/{base}/xml_usc{number}@{label}.zip", packed(members))

    def ecfr(self, titles: dict[int, tuple[str, str]]) -> None:
        """ecfr.gov: `titles` are a day of issue and XML by number."""
        self.put(
            "/api/versioner/v1/titles.json",
            {
                "titles": [
                    {
                        "number": number,
                        "name": f"Title {number}",
                        "latest_amended_on": day or None,
                        "latest_issue_date": day or None,
                        "up_to_date_as_of": day or None,
                        "reserved": not day,
                    }
                    for number, (day, _) in titles.items()
                ],
                "meta": {"date": "2025-01-03", "import_in_progress": False},
            },
        )
        for number, (day, xml) in titles.items():
            self.put(f"/api/versioner/v1/full/{day}/title-{number}.xml", xml)

    def cases(self, *pages: list[dict]) -> None:
        """courtlistener.org: clusters on pages, with their opinions."""
        for number, rows in enumerate(pages, start=1):
            following = f"ADDRESS/api/rest/v4/clusters/?page={number + 1}" if number < len(pages) else None
            shown = []
            for row in rows:
                opinions = [f"ADDRESS/api/rest/v4/opinions/{row['id']}{n}/" for n in range(len(row["texts"]))]
                for url, text in zip(opinions, row["texts"], strict=True):
                    said = {"id": 1, "type": "020lead", "author_str": "Warren", "plain_text": text}
                    self.put(url.removeprefix("ADDRESS"), said)
                shown.append({**{k: v for k, v in row.items() if k != "texts"}, "sub_opinions": opinions})
            path = "/api/rest/v4/clusters/" + (f"?page={number}" if number > 1 else "")
            self.put(path, {"next": following, "previous": None, "results": shown})

    def manual(self, folder: Path = PAGES) -> None:
        """uscis.gov: the pages of a folder, by their names."""
        for file in folder.glob("*.html"):
            path = "/policy-manual" + ("" if file.stem == "policy-manual" else f"/{file.stem}")
            self.put(path, file.read_bytes())


def packed(members: dict[str, str]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in members.items():
            archive.writestr(zipfile.ZipInfo(name), text)
    return file.getvalue()


def digest_of(body: bytes) -> str:
    """As RFC 9530 writes it."""
    return f"sha-256=:{b64encode(hashlib.sha256(body).digest()).decode()}:"


def answering(site: Site) -> Callable[..., BaseHTTPRequestHandler]:
    class Answering(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            site.asked.append((self.path, dict(self.headers)))
            page = site.pages.get(self.path) or site.pages.get(self.path.partition("?")[0])
            if page is None:
                self.say(404, b"<html>Not found</html>")
            elif page.failing:
                status, headers = page.failing.pop(0)
                self.say(status, b"<html>Later</html>", headers)
            elif page.etag and self.headers.get("If-None-Match") == page.etag:
                self.say(304, b"", {"ETag": page.etag})
            else:
                self.say_part(page)

        def say_part(self, page: Page) -> None:
            headers, body, status = {"ETag": page.etag} | page.headers, page.body, page.status
            asked = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", ""))
            if asked and self.headers.get("If-Range") == page.etag:
                start = int(asked[1])
                headers["Content-Range"] = f"bytes {start}-{len(body) - 1}/{len(body)}"
                body, status = body[start:], 206
            cut, page.cut = page.cut, 0
            self.say(status, body, headers, cut=cut)

        def say(self, status: int, body: bytes, headers: dict | None = None, *, cut: int = 0) -> None:
            self.send_response(status)
            for name, value in (headers or {}).items():
                if value:
                    self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body[:cut] if cut else body)
            if cut:
                self.close_connection = True

        def log_message(self, *args) -> None:
            pass

    return Answering


class Server(ThreadingHTTPServer):
    def handle_error(self, *args) -> None:
        """A client that closes early is no fault."""


@contextmanager
def served() -> Iterator[Site]:
    site = Site()
    server = Server(("127.0.0.1", 0), answering(site))
    site.address = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield site
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
