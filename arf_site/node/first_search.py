"""Where the web server listens, and one question really asked of it. `python -m arf_site.node.first_search http://127.0.0.1:8000`"""

import json
import sys
from ipaddress import ip_address
from urllib.error import URLError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

QUESTION = "Can the police search my phone without a warrant?"
SHOWN = 3


def host_and_port(host: str, port: int) -> str:
    """An IPv6 address stands in brackets: [::1]:8000."""
    bare = host.strip("[]")
    return f"[{bare}]:{port}" if ":" in bare else f"{bare}:{port}"


def reached_by(host: str) -> str:
    """The host by which this machine reaches a server bound to `host`: one bound to every address, by loopback."""
    try:
        address = ip_address(host.strip("[]"))
    except ValueError:
        return host
    return {4: "127.0.0.1", 6: "::1"}[address.version] if address.is_unspecified else host


def ask(base_url: str, question: str = QUESTION) -> dict:
    """The API's answer. Raises URLError while the server does not listen, HTTPError when it refuses."""
    query = urlencode({"q": question, "k": SHOWN})
    with urlopen(asked(f"{base_url}/api/v1/search?{query}"), timeout=30) as response:
        return json.load(response)


def listens(base_url: str) -> bool:
    try:
        with urlopen(asked(f"{base_url}/api/v1/health"), timeout=10):
            return True
    except URLError as problem:
        return hasattr(problem, "code")  # it answered, if only to say that something is amiss
    except (ConnectionError, TimeoutError):
        return False


def asked(url: str) -> Request:
    """As through a proxy with TLS: a server that stands behind one sends everything else to https. By a name that it
    answers to, whatever address it is bound to.
    """
    return Request(url, headers={"X-Forwarded-Proto": "https", "Host": "localhost"})


def in_words(answer: dict) -> str:
    lines = [f"“{answer['query']['text']}”  ({answer['took_ms']:.0f} ms)"]
    for result in answer["results"] or answer["near_misses"]:
        lines.append(f"  {result['rank']}. {result['citation']}: {result['title']}")
    if answer["abstained"]:
        lines.append("  No provision answers this well enough; these are near misses.")
    if answer["degraded"]:
        lines.append(f"  Without: {', '.join(answer['degraded'])}")
    return "\n".join(lines)


if __name__ == "__main__":
    print(in_words(ask(sys.argv[1])))
