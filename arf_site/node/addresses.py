"""Where the web server listens, as URLs and gunicorn write it. Pure."""


def host_and_port(host: str, port: int) -> str:
    """An IPv6 address stands in brackets: [::1]:8000."""
    bare = host.strip("[]")
    return f"[{bare}]:{port}" if ":" in bare else f"{bare}:{port}"


def reached_by(host: str) -> str:
    """The host by which this machine reaches a server bound to `host`: one bound to every address, by loopback."""
    return {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host.strip("[]"), host)
