"""How columns of text are compared and put in order in SQL."""

from django.db import models

from retrieval.text.normalization import fold

_LETTERS = "".join(letter for letter in map(chr, range(0x80, 0x250)) if fold(letter).isascii() and letter.isalpha())


@models.CharField.register_lookup
class Under(models.Lookup):
    """Begins with, by an operator that PostgreSQL trusts: LIKE may use no index under row-level security."""

    lookup_name = "under"

    def as_sql(self, compiler, connection) -> tuple[str, list]:
        left, left_params = self.process_lhs(compiler, connection)
        right, right_params = self.process_rhs(compiler, connection)
        return f"{left} ^@ {right}", [*left_params, *right_params]


class InNaturalOrder(models.Func):
    """A text to order by, in which 9 comes before 10: its numbers have ten digits, with zeros before."""

    template = (
        r"regexp_replace(regexp_replace(%(expressions)s, '([0-9]+)', '000000000\1', 'g'),"
        r" '[0-9]*([0-9]{10})', '\1', 'g')"
    )
    output_field = models.TextField()


class AsCited(models.Func):
    """A title as citations of it are compared: the words of as much of it as is cited, in small letters, without
    accents. `retrieval.citations.titled.as_words` does the same.
    """

    template = (
        f"btrim(regexp_replace(lower(translate(left(normalize(%(expressions)s, NFC), 80), "
        f"'{_LETTERS}', '{fold(_LETTERS)}')), '[^[:alnum:]]+', ' ', 'g'))"
    )
