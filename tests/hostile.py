"""Files that are made to break an import: what each is called, and its bytes. None is longer than a form may be."""

MILLION = 1_000_000
MANY = 100_000  # what takes time with the square of it takes minutes
FORMULAS = ("=cmd|' /C calc'!A0", "+1+1", "-2+3", "@SUM(1)", "\t=1", "\r=1", '=HYPERLINK("http://x")')

TABLES = {
    "very many columns": b"topic,locator,grade" + b",x" * MANY + b"\n" + b"1," * MANY,
    "very many columns of nothing": b"," * 2 * MANY,
    "a field of 3 MB": b"topic,query,locator,grade\nt9,%b,/us/const/amendment/V,1\n" % (b"x" * 3 * MILLION),
    "a quote that is not closed": b'topic,query,locator,grade\nt9,"what,/us/const/amendment/V,1\n' + b"a,b\n" * 100_000,
    "quotes alone": b'"' * 300_001,
    "very many rows of nothing": b"topic,query,locator,grade\n" + b",,,\n" * MANY,
    "NUL bytes": b"topic,query,locator,grade\nt9,\0,/us/const/amendment/V,1\n",
    "UTF-16 without a mark": "topic,query,locator,grade\nt9,what,/us/const/amendment/V,1\n".encode("utf-16-le"),
    "UTF-16 with half a character": "topic,query\nt9,what\n".encode("utf-16") + b"\x41",
    "UTF-16 with NUL": "topic,query\nt9,w\0t\n".encode("utf-16"),
    "UTF-32": "topic,query\nt9,what\n".encode("utf-32"),
    "a mark alone": b"\xef\xbb\xbf",
    "a zip file": b"PK\x03\x04" + bytes(1_000),
    "a gzip file": b"\x1f\x8b\x08" + bytes(range(256)) * 10,
    "every byte but NUL": bytes(range(1, 256)) * 100,
    "long names": b"topic,query,locator,judge,grade,domain,language,split\n"
    + b",".join([*(letter * 5_000 for letter in (b"t", b"q", b"/l", b"j", b"9", b"d")), b"s", b"s"]),
}  # fmt: skip
OBJECTS = {
    "JSON nested deeply": b"[" * 100_000,
    "JSON lines nested deeply": b'{"topic": "t9", "query": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    "JSON with NUL": b'{"topic": "t9", "query": "w\\u0000t"}',
    "JSON with half a character": b'{"topic": "t9", "query": "w\\ud800t"}',
    "JSON with a long number": b'{"topic": "t9", "query": "w", "locator": "/us/const/amendment/V", "grade": '
    + b"9" * 5_000
    + b"}",
    "JSON with other types": b'{"topic": ["t9"], "query": {"a": 1}, "tags": 5, "answerable": [], "relevant": {"": []}}',
    "JSON with infinity": b'{"topic": "t9", "query": "w", "locator": "/us/const/amendment/V", "grade": Infinity}',
    "JSON with a private domain": b'{"topic": "t9", "query": "w", "domain": "client\\u0000_cases"}',
}
TOPICS = {
    "topics without an end": b"<top>" * 600_000,
    "topics with one end": b"</topic>" + b"<top " * 600_000,
    "one part without an end": b"<top><" + b"a" * 3 * MILLION + b"</top>",
    "a word before a colon that is not there": b"<top><num> " + b"a" * 3 * MILLION + b"</top>",
}
