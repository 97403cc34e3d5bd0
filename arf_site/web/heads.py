"""What is answered to a HEAD: the headers alone."""

from collections.abc import Callable

from django.http import HttpRequest
from django.http.response import HttpResponseBase

View = Callable[[HttpRequest], HttpResponseBase]


def without_body(get_response: View) -> View:
    """Stands outside of what tells the length. Views answer as to a GET, and the server complains of every body that it
    has to drop; a stream is not even begun.
    """

    def answered(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        if request.method == "HEAD" and response.streaming:
            response.streaming_content = ()
        elif request.method == "HEAD":
            response.content = b""
        return response

    return answered
