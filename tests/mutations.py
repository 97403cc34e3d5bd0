"""Breaks a USLM file in the ways that files break, each time another, by seed."""

import random
import re
from collections.abc import Callable, Iterator

TAG = re.compile(rb"<[^<>]+>")
WORDS = re.compile(rb">([^<>]*\w[^<>]*)<")
VALUE = re.compile(rb'="([^"]*)"')

Mutation = Callable[[bytes, random.Random], bytes]


def at_some(pattern: re.Pattern, source: bytes, chance: random.Random, new: Callable[[bytes], bytes]) -> bytes:
    """One match in its first group, or whole where it has none, put in other words."""
    found = chance.choice([*pattern.finditer(source)])
    group = min(1, pattern.groups)
    return source[: found.start(group)] + new(found[group]) + source[found.end(group) :]


def flip_bits(source: bytes, chance: random.Random) -> bytes:
    broken = bytearray(source)
    for _ in range(chance.choice([1, 3, 40])):
        broken[chance.randrange(len(broken))] ^= 1 << chance.randrange(8)
    return bytes(broken)


def drop_tag(source: bytes, chance: random.Random) -> bytes:
    return at_some(TAG, source, chance, lambda tag: b"")


def double_tag(source: bytes, chance: random.Random) -> bytes:
    return at_some(TAG, source, chance, lambda tag: tag * 2)


def swap_tags(source: bytes, chance: random.Random) -> bytes:
    first, second = sorted(chance.sample([*TAG.finditer(source)], 2), key=lambda tag: tag.start())
    middle = source[first.end() : second.start()]
    return source[: first.start()] + second[0] + middle + first[0] + source[second.end() :]


def rename_element(source: bytes, chance: random.Random) -> bytes:
    """All of one kind become another kind."""
    names = sorted(set(re.findall(rb"<(\w+)", source)))
    old, new = chance.sample(names, 2)
    return re.sub(rb"(</?)%b\b" % old, rb"\1" + new, source)


def nest_wrongly(source: bytes, chance: random.Random) -> bytes:
    """A whole section stands inside the text of another."""
    [*sections] = re.finditer(rb"<section .*?</section>", source, re.DOTALL)
    inner = chance.choice(sections)[0]
    return at_some(WORDS, source, chance, lambda words: words + inner)


def nest_deeply(source: bytes, chance: random.Random) -> bytes:
    depth = chance.choice([40, 90, 300, 20_000])
    name = chance.choice([b"paragraph", b"section", b"i", b"quotedContent", b"level"])
    return at_some(WORDS, source, chance, lambda words: b"<%b>" % name * depth + words + b"</%b>" % name * depth)


def name_entity(source: bytes, chance: random.Random) -> bytes:
    entity = chance.choice([b"&nbsp;", b"&bomb;", b"&#0;", b"&#xFFFF;", b"&", b"&#x1F600;", b"&lt;script&gt;"])
    return at_some(WORDS, source, chance, lambda words: words + entity)


def declare_entity(source: bytes, chance: random.Random) -> bytes:
    declared = chance.choice(
        [
            b'<!ENTITY a "%b"><!ENTITY b "%b">' % (b"x" * 1_000, b"&a;" * 1_000),
            b'<!ENTITY b SYSTEM "file:///etc/passwd">',
            b'<!ENTITY %% p SYSTEM "http://127.0.0.1:1/p"> %%p;',
        ]
    )
    head, _, rest = source.partition(b"?>")
    told = at_some(WORDS, rest, chance, lambda words: words + b"&b;")
    return head + b"?><!DOCTYPE lawDoc [" + declared + b"]>" + told


def lengthen_value(source: bytes, chance: random.Random) -> bytes:
    long = chance.choice([b"x" * 70, b"x" * 700, b"x" * 2_000_000, b"/us/law/" + b"s/" * 200, b"\xc3\xa9" * 40])
    return at_some(VALUE, source, chance, lambda value: value + long)


def change_value(source: bytes, chance: random.Random) -> bytes:
    other = [b"", b" ", b"/", b"../..", b"%00", b"'; DROP TABLE x;--", b"\xe2\x80\xae", b"9999-99-99", b"de", b"0"]
    return at_some(VALUE, source, chance, lambda value: chance.choice(other))


def add_attributes(source: bytes, chance: random.Random) -> bytes:
    many = b"".join(b' a%d="%d"' % (n, n) for n in range(chance.choice([3, 5_000])))
    known = [b' status="repealed"', b' name="%b"' % (b"n" * 90), b' startPeriod="soon"', b' endPeriod="0001-01-01"']
    return at_some(TAG, source, chance, lambda tag: tag.rstrip(b"/>") + chance.choice([many, *known]) + b">")


def lengthen_text(source: bytes, chance: random.Random) -> bytes:
    long = chance.choice([b"word " * 40_000, b"x" * 3_000_000, b"\n" * 100_000, b"\xc2\xa7 1. " * 5_000])
    return at_some(WORDS, source, chance, lambda words: long)


def change_text(source: bytes, chance: random.Random) -> bytes:
    other = [b"", b"\x00", b"\xff\xfe", b"\xed\xa0\x80", b"]]>", b"<![CDATA[<section>]]>", b"<!-- -- -->", b"<?x?>"]
    return at_some(WORDS, source, chance, lambda words: chance.choice(other))


def cut_short(source: bytes, chance: random.Random) -> bytes:
    return source[: chance.randrange(len(source))]


def lose_middle(source: bytes, chance: random.Random) -> bytes:
    start, end = sorted(chance.sample(range(len(source)), 2))
    return source[:start] + source[end:]


def encode_wrongly(source: bytes, chance: random.Random) -> bytes:
    text = source.decode()
    encoding = chance.choice(["utf-16", "utf-16-le", "utf-32", "cp1252", "utf-7", "cp037"])
    told = text.replace("UTF-8", chance.choice(["UTF-8", "UTF-16", "ISO-8859-1", "none-such"]))
    return told.encode(encoding, errors="replace")


def repeat_whole(source: bytes, chance: random.Random) -> bytes:
    return source * 2


MUTATIONS: tuple[Mutation, ...] = (
    flip_bits, drop_tag, double_tag, swap_tags, rename_element, nest_wrongly, nest_deeply, name_entity,
    declare_entity, lengthen_value, change_value, add_attributes, lengthen_text, change_text, cut_short,
    lose_middle, encode_wrongly, repeat_whole,
)  # fmt: skip


def mutated(source: bytes, count: int, seed: int) -> Iterator[tuple[str, bytes]]:
    """So many broken files, each kind in turn; every third is broken twice."""
    chance = random.Random(seed)
    for n in range(count):
        kind = MUTATIONS[n % len(MUTATIONS)]
        broken, name = kind(source, chance), kind.__name__
        if n % 3 == 2 and len(broken) < 10 * len(source):
            other = chance.choice((flip_bits, cut_short, lengthen_text if b"<" in broken else flip_bits))
            with_both = other(broken, chance) if TAG.search(broken) and WORDS.search(broken) else broken
            broken, name = with_both, f"{name} {other.__name__}"
        yield f"{n} {name}", broken
