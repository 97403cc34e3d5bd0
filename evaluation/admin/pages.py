"""Pages of the admin on quality: over time, the last ablation, which body of law is told likeliest, what drafts of
thresholds and rules would change, how rules are used, what people ask.
"""

from collections.abc import Iterable, Iterator
from datetime import datetime
from itertools import zip_longest

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.datastructures import MultiValueDict
from django.utils.safestring import mark_safe
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from evaluation.admin.exchange import download
from evaluation.judging.visibility import topics_for
from evaluation.measuring import ablation, answer_runs, measuring_job, quality, questions
from evaluation.models import RulePreview
from evaluation.rule_impact import previews, usage_report
from evaluation.rule_impact.fired_questions import AS_ONE_TYPES, fired_on, on_none
from evaluation.rule_impact.previews import preview
from retrieval import jobs
from retrieval.access.caller import Caller
from retrieval.access.middleware import caller_of
from retrieval.admin.base import admin_url, page, require
from retrieval.admin.picker import described
from retrieval.errors import ArfError
from retrieval.models import Domain, JobRun, RankerModel
from retrieval.models.uploads import in_words
from rules.admin.rule_form import RuleForm
from rules.admin.thresholds import ThresholdForm
from rules.authoring import drafting
from rules.authoring.grammar.names import LONGEST
from rules.engine.clauses import CompiledRule
from rules.models import STRATEGY_NAMES, QuestionPhrase, Rule

MOST_SHOWN = 30  # changed answers written out side by side
MOST_FIRED = 12  # questions named
PREVIEWS = ("rules.view_rule", "retrieval.view_searchlog")  # they show rules and what people asked


def quality_page(request: HttpRequest) -> HttpResponse:
    """Open to staff who may read runs."""
    require(request, "evaluation.view_run")
    unjudged = quality.unjudged(topics_for(caller_of(request)))
    serving, answered = quality.serving(), answer_runs.last()
    context = {
        "title": _("Quality"),
        "series": [(one, mark_safe(one.plot)) for one in quality.series()],
        "serving": serving,
        "strategies": [(STRATEGY_NAMES.get(name, name), percent) for name, percent in serving.strategies],
        "cost_plot": mark_safe(serving.cost_plot),
        "days": quality.DAYS,
        "latencies": mark_safe(quality.latencies()),
        "hierarchy": quality.hierarchy(),
        "answered": answered,
        "answers": answer_runs.in_words(answered),
        "unjudged": dict(zip(("count", "oldest"), unjudged, strict=True)),
        **offer_of_measuring(request),
    }
    return page(request, "admin/quality.html", context)


def offer_of_measuring(request: HttpRequest) -> dict:
    """What the button needs that starts another run, and the job at work."""
    return {
        "may_measure": may_measure(request),
        "measurable": measuring_job.measurable(),
        "measuring": JobRun.objects.unfinished().filter(key=measuring_job.KEY).order_by("pk"),
    }


def may_measure(request: HttpRequest) -> bool:
    return request.user.has_perm("evaluation.add_run")


@require_POST
def measure(request: HttpRequest) -> HttpResponse:
    """Begins a job that measures the usual pipeline, or an ablation; its page opens."""
    require(request, "evaluation.add_run")
    is_ablation = request.POST.get("what") == measuring_job.ABLATION
    try:
        slugs = {domain.slug for domain in measuring_job.measurable()}
        if (domain := request.POST.get("domain")) not in slugs:
            raise ArfError(_("Choose a public domain with judged test topics."))
        what = measuring_job.ABLATION if is_ablation else measuring_job.USUAL
        wanted = measuring_job.request(domain, what, ask="ask" in request.POST)
        return redirect(admin_url(jobs.enqueue(**wanted, by=request.user)))
    except ArfError as problem:
        messages.error(request, in_words(problem.refusal))
        return redirect("admin_ablation" if is_ablation else "admin_quality")


def ablation_page(request: HttpRequest) -> HttpResponse:
    """The last ablation that was stored; open to staff who may read runs."""
    require(request, "evaluation.view_run")
    run, steps = ablation.latest()
    context = {
        "title": _("Ablation"),
        "run": run,
        "steps": [
            (step, [step["measures"][name] for name in ablation.MEASURES], 100 * step["llm_share"])
            for step in steps
        ],
        "topics": steps[0]["topics"] if steps else 0,
        "measures": ablation.MEASURES,
        "left_out": ablation.left_out(),
        "asking": [] if ablation.left_out() else ablation.asking(),
        **offer_of_measuring(request),
        "plot": mark_safe(ablation.plot(steps, f"{ablation.DECIDES}, {run.topics}")) if run else "",
    }
    return page(request, "admin/ablation.html", context)


def bodies_page(request: HttpRequest) -> HttpResponse:
    """Which body of law judged questions were told to be about, as counted after the last training; open to staff who
    may read runs.
    """
    require(request, "evaluation.view_run")
    model = RankerModel.objects.filter(status=RankerModel.Status.ACTIVE).defer("artifact").first()
    counted = model.manifest.get("confusion") if model else None
    counts = counted["counts"] if counted else {}
    context = {
        "title": _("Bodies of law"),
        "model": model,
        "measured_at": counted and datetime.fromisoformat(counted["measured_at"]),
        "fitted": model and fitted_of(model.manifest.get("bodies")),
        **confusion_of(counts, Domain.objects.visible_to(caller_of(request))),
        "may_see_phrases": request.user.has_perm("rules.view_questionphrase"),
        "phrases": QuestionPhrase.objects.filter(use=QuestionPhrase.Use.DOMAIN, enabled=True),
    }
    return page(request, "admin/bodies.html", context)


def fitted_of(account: dict | None) -> dict | None:
    """Of the topics that what tells the bodies apart was tried on, how many the fitted weights and those that ship find
    the body of, in whole questions.
    """
    if account is None:
        return None
    ships, fitted = (round(share * account["topics"]) for share in account["right"])
    return {"topics": account["topics"], "ships": ships, "fitted": fitted, "serves": account["serves"]}


def confusion_of(counts: dict[str, dict[str, int]], domains: Iterable[Domain]) -> dict:
    """A row for each domain with judged questions: how many were told to be about each, and the share told rightly."""
    named = {domain.slug: domain.local_name for domain in domains}
    told = [slug for slug in named if any(slug in its for its in counts.values())]
    rows = [
        (named[slug], [(its.get(other, 0), other == slug) for other in told], its.get(slug, 0), sum(its.values()))
        for slug, its in sorted(counts.items(), key=lambda row: [*named, row[0]].index(row[0]))
        if slug in named
    ]
    right, of_all = (sum(row[place] for row in rows) for place in (2, 3))
    return {"told": [named[slug] for slug in told], "rows": rows, "right": right, "of_all": of_all}


@require_POST
def threshold_preview(request: HttpRequest) -> HttpResponse:
    """What the posted draft would change; nothing is saved. Publishing posts the same draft to the admin's form."""
    require(request, "rules.add_domainthreshold")
    form = ThresholdForm(request.POST)
    form.fields["domain"].queryset = Domain.objects.visible_to(caller_of(request))
    valid = form.is_valid()
    told = preview(form.save(commit=False)) if valid else None
    changes = [*told.changes, *told.judged_changes][:MOST_SHOWN] if told else []
    places = {locator for change in changes for row in change.rows for locator in row}
    context = {
        "title": _("What these thresholds would change"),
        "form": form,
        "preview": told,
        "changes": changes,
        "named": described(places, caller_of(request)),
        "draft": [(name, request.POST[name]) for name in form.fields if name in request.POST],
    }
    return page(request, "admin/threshold_preview.html", context)


def fires_on_page(request: HttpRequest) -> HttpResponse:
    """The questions that a sentence fires on, or the criteria of a rule's form as they stand; alone for a script."""
    require(request, *PREVIEWS)
    caller, problems = caller_of(request), []
    try:
        rule = described_rule(request.POST or request.GET, caller)
        firing = rule and fired_on(rule, caller, within=AS_ONE_TYPES)
    except ValidationError as problem:
        firing, problems = None, problem.messages
    context = {
        "title": _("Which questions it fires on"),
        "firing": firing,
        "problems": problems,
        "warning": on_none(firing) if firing and firing.on_none else "",
        "most": MOST_FIRED,
    }
    if not request.htmx:
        return page(request, "admin/rules/fired.html", context)
    response = render(request, "admin/rules/_fired.html", context)
    if firing and firing.looked_at < firing.known:
        response["HX-Trigger-After-Settle"] = "again"
    return response


def described_rule(said: QueryDict, caller: Caller) -> CompiledRule | None:
    """None where nothing is said yet. Raises ValidationError for what is not understood."""
    if "sentence" in said:
        if not (sentence := said["sentence"].strip()[:LONGEST]):
            return None
        made = drafting.read_sentence(sentence, caller, today=timezone.localdate())
        if isinstance(made, tuple):
            raise ValidationError([drafting.question_text(question) for question in made])
        return drafting.rule_of(sentence, made).draft
    field = RuleForm.base_fields["criteria"]
    criteria = field.clean(field.widget.value_from_datadict(said, MultiValueDict(), "criteria"))
    rule = Rule(domains=said.getlist("domains"), criteria=criteria, actions=[{"kind": "abstain"}])
    return rule.draft if criteria else None


@require_POST
def preview_rule(request: HttpRequest, rule_id: int) -> HttpResponse:
    """Begins a preview of publishing the rule as it stands, or of retiring it."""
    require(request, *PREVIEWS)
    caller, principal = caller_of(request), principal_of(request)
    rule = get_object_or_404(Rule.objects.visible_to(caller), pk=rule_id)
    try:
        if "retire" in request.POST:
            row = previews.of_retiring(rule, principal=principal, by=request.user)
        else:
            row = previews.of_draft(rule, caller, principal=principal, by=request.user)
    except ArfError as problem:
        messages.error(request, in_words(problem.refusal))
        return redirect(admin_url(rule))
    return redirect("admin_rule_preview", row.pk)


def rule_preview_page(request: HttpRequest, preview_id: int) -> HttpResponse:
    """What was found, or how far it is. Whoever may see the rule may read it: an approver reads the proposer's."""
    require(request, *PREVIEWS)
    seen = RulePreview.objects.visible_to(caller_of(request), principal_of(request))
    row = get_object_or_404(seen.select_related("rule", "job"), pk=preview_id)
    account = previews.account(row)
    changes = sorted(account["changes"], key=lambda change: change["gain"] or 0)
    context = {
        "title": _("What the rule would change"),
        "row": row,
        "preview": account,
        "changes": [(change, side_by_side(change)) for change in changes[:MOST_SHOWN]],
        "named": described(places_in(changes[:MOST_SHOWN], account["hidden"]), caller_of(request)),
        "more": max(0, len(changes) - MOST_SHOWN),
    }
    return page(request, "admin/rule_preview.html", context)


def places_in(changes: list[dict], hidden: list[dict]) -> Iterator[str]:
    """All locators that the page of a preview names."""
    yield from (one["locator"] for one in hidden)
    for answer in (change[side] for change in changes for side in ("before", "after")):
        yield from (
            place["pin"] or place["locator"] for place in (*answer["results"], *answer["near_misses"])
        )
        yield from filter(None, [answer["redirect"]])


def side_by_side(change: dict) -> list[tuple[dict | None, dict | None]]:
    """The two lists, near misses where nothing is answered; each place says whether the other list lacks it, and
    whether it is shown by another passage there.
    """
    before, after = (change[side]["results"] or change[side]["near_misses"] for side in ("before", "after"))
    return list(zip_longest(compared(before, after), compared(after, before)))


def compared(places: list[dict], others: list[dict]) -> list[dict]:
    passages = {other["locator"]: other["passage"] for other in others}
    return [
        place
        | {
            "alone": place["locator"] not in passages,
            "otherwise": passages.get(place["locator"], place["passage"]) != place["passage"],
        }
        for place in places
    ]


def principal_of(request: HttpRequest) -> str:
    return f"user:{request.user.pk}"


def rule_usage_page(request: HttpRequest) -> HttpResponse:
    """`?days=` and `?sort=`; with `?format=csv` the same as a file."""
    require(request, "rules.view_ruleuse")
    days, sort = asked_of(request)
    told = usage_report.report(caller_of(request), days, sort=sort)
    if request.GET.get("format") == "csv":
        return download(usage_report.as_csv(told), f"rule-usage-{days}-days", "csv")
    context = {
        "title": _("Rule usage"),
        "report": told,
        "periods": usage_report.PERIODS,
        "sort": sort,
        "columns": [(name, label, next_sort(name, sort)) for name, label in usage_columns()],
    }
    return page(request, "admin/rule_usage.html", context)


def questions_page(request: HttpRequest) -> HttpResponse:
    """`?days=` and `?kind=`; with `?format=csv` the same as a file."""
    require(request, "retrieval.view_searchlog")
    days, kind = period_of(request, questions.PERIODS, 7), request.GET.get("kind")
    kind = kind if kind in questions.KINDS else questions.KINDS[0]
    told = questions.report(days)
    if request.GET.get("format") == "csv":
        return download(questions.as_csv(told, kind), f"{kind}-questions-{days}-days", "csv")
    labels = (_("Asked most"), _("Without a result"), _("Abandoned"))
    may = request.user.has_perm
    context = {
        "title": _("Questions"),
        "report": told,
        "questions": told.lists[kind],
        "kind": kind,
        "kinds": list(zip(questions.KINDS, labels, strict=True)),
        "periods": questions.PERIODS,
        "most": questions.MOST_READ,
        "may_rule": may("rules.add_rule"),
        "may_topic": may("evaluation.add_topic"),
    }
    return page(request, "admin/questions.html", context)


def period_of(request: HttpRequest, periods: tuple[int, ...], usual: int) -> int:
    """A period that there is; anything else is the usual one."""
    days = request.GET.get("days", "")
    return int(days) if days in map(str, periods) else usual


def asked_of(request: HttpRequest) -> tuple[int, str]:
    """A period and an order that there are; anything else is the usual one."""
    sort = request.GET.get("sort", "")
    known = sort.removeprefix("-") in usage_report.SORTED_BY
    return period_of(request, usage_report.PERIODS, 30), sort if known else "-fired"


def usage_columns() -> list[tuple[str, str]]:
    labels = (
        _("Rule"), _("Fired"), _("Changed the page"), _("Last fired"), _("Clicks"), _("Helpful"), _("Not helpful"),
        _("Judgments"),
    )  # fmt: skip
    return list(zip(usage_report.SORTED_BY, labels, strict=True))


def next_sort(name: str, sort: str) -> str:
    """What pressing a column's head sorts by: names rising first, figures falling first, then the other way."""
    first = name if name == "name" else f"-{name}"
    return (name if first != name else f"-{name}") if sort == first else first
