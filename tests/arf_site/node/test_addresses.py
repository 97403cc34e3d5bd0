"""Addresses of the web server, as URLs and gunicorn write them."""

import pytest

from arf_site.management.commands import up


@pytest.mark.parametrize(
    ("bound", "url"),
    [
        ("127.0.0.1", "http://127.0.0.1:8000"),
        ("0.0.0.0", "http://127.0.0.1:8000"),
        ("::1", "http://[::1]:8000"),
        ("[::1]", "http://[::1]:8000"),
        ("::", "http://[::1]:8000"),
    ],
)
def test_an_ipv6_address_stands_in_brackets(settings, bound, url):
    settings.ARF_BIND, settings.ARF_PORT = bound, 8000
    assert up.base_url() == url
