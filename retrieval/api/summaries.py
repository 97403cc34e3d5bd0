"""The shapes of what summaries and answers say: sentences, the places they rest on, and Spanish beside them."""

from rest_framework import serializers as s

from retrieval.answers.spanish import MACHINE, OURS

UNIT = "in Unicode code points"  # of every offset


class AnswerTranslation(s.Serializer):
    """Spanish for the English words of law, never official."""

    text = s.CharField()
    by = s.ChoiceField([OURS, MACHINE], help_text="machine: by a program, and often wrong in its grammar and terms.")
    official = s.BooleanField()


class SummarySentence(s.Serializer):
    """A sentence of the law that tells most of what a place says, and where it stands."""

    locator = s.CharField(help_text="Of the provision that says it.")
    citation = s.CharField()
    heading = s.CharField(allow_blank=True)
    heading_es = s.CharField(allow_blank=True)
    start = s.IntegerField(help_text=f"Where it begins in that provision's text, {UNIT}.")
    end = s.IntegerField()
    text = s.CharField()
    text_es = s.CharField(
        allow_blank=True, help_text="Our translation, which is not official; empty where there is none."
    )
    translation = AnswerTranslation(
        allow_null=True,
        help_text="A machine's of English words that we have not translated: of results where the question is in "
        "Spanish, of what is read where Accept-Language asks for Spanish.",
    )


class QuotedPlace(s.Serializer):
    locator = s.CharField()
    citation = s.CharField(help_text="Bluebook form.")
    pin = s.CharField(allow_null=True, help_text="The deepest numbered place that is quoted.")
    quote = s.CharField(allow_blank=True, help_text="Letter by letter; empty where the place is only named.")
    start = s.IntegerField(help_text=f"Where it begins in the provision's own text, {UNIT}.")
    end = s.IntegerField()


class WrittenSentence(s.Serializer):
    text = s.CharField()
    confidence = s.FloatField(help_text="Probability that the words it cites say so.")
    citations = QuotedPlace(many=True)


class SummaryWritten(s.Serializer):
    """What a language model wrote of this version of a long provision, as far as it is proven: no law, and not all that
    the provision says.
    """

    language = s.CharField()
    model = s.CharField()
    written_at = s.DateTimeField()
    sentences = WrittenSentence(many=True)
