"""Reading is not owning: only its owner replaces, shares, withdraws and gives away a private document."""

import random

import pytest
from django.contrib.auth.models import Group, User
from django.db import DatabaseError, transaction

from retrieval import jobs
from retrieval.access import sharing
from retrieval.access.caller import ANONYMOUS, Caller
from retrieval.access.row_security import as_caller, as_system
from retrieval.corpus import statements
from retrieval.errors import ArfError, Forbidden, NotFound, Unprocessable
from retrieval.ingestion import uploading
from retrieval.models import ApiKey, Chunk, Document, DocumentGrant, Domain, Section, Upload
from retrieval.models.access import caller_for, name_of
from retrieval.request import SearchRequest
from retrieval.search.service import in_scope, search
from tests.builders import a_document, a_section

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("read_here")]


@pytest.fixture
def ann(db):
    return caller_for(User.objects.create_user("ann"))


@pytest.fixture
def ben(db):
    return caller_for(User.objects.create_user("ben"))


@pytest.fixture
def cleo(db):
    return ApiKey.issue(name="Cleo's client", scopes=["search", "documents"])[0].caller


def cases():
    return Domain.objects.get(slug="client_cases")


def handed_in(caller, text="1. Term. A year.", filename="settlement.txt", **fields):
    upload = uploading.accept(
        cases(), filename, text.encode(), principal=sharing.own_principal(caller), **fields
    )
    for _step in jobs.run_here(upload.run):
        pass
    with as_system():
        upload.refresh_from_db()
        return upload.document


def owned(caller, grants=()):
    """A private document as it stands once a file was handed in: for tests of who may do what with it."""
    document = fresh(a_document(cases(), owner=sharing.own_principal(caller)))
    a_section(document, "A year.")
    with as_caller(caller):
        for name in grants:
            sharing.share(document, name, "reader", caller)
    return document


def last_number():
    """That anybody's answers may tell."""
    return statements.rows("SELECT last_value FROM retrieval_version_number")


def test_the_public_is_told_nothing_of_private_publications(ben, reindex):
    request = SearchRequest("freedom of speech")
    reindex()
    search(request)
    before, numbers = in_scope(ANONYMOUS), last_number()
    number = cases().corpus_version
    document = handed_in(ben, "1. Term. A year.\n\n2. Rent. Ninety doubloons.")
    handed_in(ben, "1. Rent. Ninety doubloons.\n\n2. Term. Two years.")
    with as_caller(ben):
        uploading.withdraw(fresh(document), ben)
        uploading.erase(fresh(document), ben)
        Document.objects.filter(pk=handed_in(ben, filename="b.txt").pk).update(title="Another", tags=["a"])
    reindex()
    assert in_scope(ANONYMOUS) == before and search(request)["cached"]
    assert last_number() == numbers and Domain.objects.get(pk=cases().pk).corpus_version > number


def texts(document):
    with as_system():
        return sorted(document.sections.live().filter(valid_to=None).values_list("text", flat=True))


def sees(caller, document):
    with as_caller(caller):
        return Document.objects.visible_to(caller).filter(pk=document.pk).exists()


def test_a_file_of_a_granted_documents_name_becomes_a_document_of_ones_own(ann, ben):
    bens = handed_in(ben, "1. Pay. Ben pays.", grants=["user:ann"])
    anns = handed_in(ann, "1. Pay. Ann pays.")
    assert bens != anns and texts(bens) == ["1. Pay. Ben pays."]
    assert sees(ann, bens) and not sees(ben, anns)
    again = handed_in(ann, "1. Pay. Ann pays twice.")
    assert again == anns and texts(anns) == ["1. Pay. Ann pays twice."]


@pytest.mark.parametrize("role", ["reader", "contributor"])
def test_who_was_granted_a_document_neither_shares_nor_withdraws_nor_erases_it(ann, ben, role):
    document = owned(ben)
    with as_caller(ben):
        sharing.share(document, "user:ann", role, ben)
    for act in (
        lambda: sharing.share(document, "user:cleo", "reader", ann),
        lambda: sharing.take_back(document, "user:ann", ann),
        lambda: sharing.offer(document, "user:ann", ann),
        lambda: sharing.accept(document, ann),
        lambda: uploading.withdraw(document, ann),
        lambda: uploading.erase(document, ann),
    ):
        with as_caller(ann), pytest.raises(Forbidden):
            act()
    assert texts(document) and not sees(ANONYMOUS, document)


def test_the_database_refuses_what_the_code_would_forget(ann, ben, cleo):
    document = handed_in(ben, grants=["user:ann"])
    with as_system():
        section = document.sections.get()
    with as_caller(ann):
        assert Section.objects.filter(document=document).update(text="Ann was here.") == 0
        assert Chunk.objects.filter(document=document).update(text="Ann was here.") == 0
        assert Document.objects.filter(pk=document.pk).update(title="Ann's") == 0
        assert Section.objects.filter(document=document)._raw_delete("default") == 0
        assert DocumentGrant.objects.filter(document=document).update(role="contributor") == 0
    for row in (
        DocumentGrant(document=document, name="key:x", principal=cleo.principals[0]),
        Section(document=document, domain=document.domain, level="section", locator=f"{section.locator}/x"),
        Document(domain=document.domain, locator="/client_cases/x", title="x", owner=ben.principals[0]),
    ):
        with as_caller(ann), pytest.raises(DatabaseError, match="row-level security"), transaction.atomic():
            row.save(force_insert=True)
    with as_caller(ben):
        sharing.share(document, "user:ann", "contributor", ben)
    with as_caller(ann), pytest.raises(DatabaseError, match="only its owner"), transaction.atomic():
        Document.objects.filter(pk=document.pk).update(owner=ann.principals[0])


def test_a_job_does_only_what_its_owner_may(ann, ben):
    bens = handed_in(ben)
    upload = uploading.accept(cases(), "a.txt", b"1. Pay. Ann pays.", principal=ann.principals[0])
    run = jobs.take_step(upload.run.pk, 0)
    run.state["document"] = bens.pk  # as if a job were led to another's document
    run.save(update_fields=["state"])
    with pytest.raises(Document.DoesNotExist):
        jobs.take_step(run.pk, run.ticket)
        run.refresh_from_db()
        jobs.take_step(run.pk, run.ticket)
    assert texts(bens) == ["1. Term. A year."]


def test_a_name_that_nobody_has_is_answered_like_one_that_somebody_has(ann, ben):
    document = owned(ben)
    with as_caller(ben):
        for name in ("user:ann", "user:zoe"):
            sharing.share(document, name, "reader", ben)
        assert [(grant.name, grant.role) for grant in document.grants.order_by("name")] == [
            ("user:ann", "reader"),
            ("user:zoe", "reader"),
        ]
        for name in ("user:5x\n", "team:a", "ann", "user:", ""):
            with pytest.raises(Unprocessable):
                sharing.share(document, name, "reader", ben)
    zoe = caller_for(User.objects.create_user("zoe"))
    assert sees(ann, document) and not sees(zoe, document)  # who comes later inherits no grant


def test_a_reader_sees_what_is_shared_with_them_and_leaves_it(ann, ben):
    document = owned(ben, grants=["user:ann"])
    with as_caller(ann):
        assert sharing.role_of(document, ann) == "reader"
        sharing.leave(document, ann)
    assert not sees(ann, document)
    with as_caller(ben), pytest.raises(Unprocessable, match="own"):
        sharing.leave(document, ben)


def test_who_reads_through_a_group_is_told_so_on_leaving(ben):
    user = User.objects.create_user("gus")
    user.groups.add(Group.objects.create(name="Litigation"))
    document, gus = owned(ben, grants=["group:Litigation"]), caller_for(user)
    with as_caller(gus), pytest.raises(Unprocessable, match="group"):
        sharing.leave(document, gus)


def test_a_document_changes_hands_when_the_offer_is_accepted(ben, cleo):
    document = owned(ben)
    name = name_of(cleo.principals[0])
    with as_caller(ben):
        sharing.offer(document, name, ben)
    document = fresh(document)
    assert sharing.role_of(document, ben) == "owner"
    with as_caller(cleo):
        sharing.accept(document, cleo)
    document = fresh(document)
    assert sharing.role_of(document, cleo) == "owner"
    with as_caller(ben):
        assert sharing.role_of(document, ben) == "contributor"
        with pytest.raises(Forbidden):
            uploading.withdraw(document, ben)


def fresh(document):
    with as_system():
        return Document.objects.get(pk=document.pk)


def test_an_owner_who_also_shared_with_themselves_can_give_the_document_away(ann, ben):
    document = owned(ben)
    with as_caller(ben):
        sharing.share(document, "user:ben", "reader", ben)
        sharing.offer(document, "user:ann", ben)
    with as_caller(ann):
        sharing.accept(fresh(document), ann)
    with as_caller(ben):
        assert sharing.role_of(fresh(document), ben) == "contributor"


def test_roles_of_many_documents_take_no_query_each(ann, ben, django_assert_num_queries):
    for _ in range(3):
        owned(ben, grants=["user:ann"])
    with as_caller(ann), django_assert_num_queries(2):
        assert [sharing.role_of(document, ann) for document in sharing.held(ann)] == ["reader"] * 3


def test_an_offer_that_was_taken_back_cannot_be_accepted(ann, ben):
    document = owned(ben)
    with as_caller(ben):
        sharing.offer(document, "user:ann", ben)
        sharing.take_back(document, "user:ann", ben)
    with as_caller(ann), pytest.raises(Forbidden):
        sharing.accept(fresh(document), ann)


@pytest.mark.parametrize("role", ["reader", "contributor"])
def test_an_offer_ends_when_the_document_is_shared_again(ann, ben, role):
    document = owned(ben)
    with as_caller(ben):
        sharing.offer(document, "user:ann", ben)
        sharing.share(document, "user:ann", role, ben)
    with as_caller(ann), pytest.raises(Forbidden):
        sharing.accept(fresh(document), ann)
    assert fresh(document).owner == ben.principals[0]


def test_who_leaves_a_document_cannot_accept_it_later(ann, ben):
    document = owned(ben)
    with as_caller(ben):
        sharing.offer(document, "user:ann", ben)
    with as_caller(ann):
        sharing.leave(fresh(document), ann)
    assert fresh(document).offered_to == ""


def test_an_offer_is_taken_back_though_its_name_was_changed(ann, ben):
    document = owned(ben)
    with as_caller(ben):
        sharing.offer(document, "user:ann", ben)
        User.objects.filter(username="ann").update(username="anna")
        sharing.take_back(document, "user:ann", ben)
    assert fresh(document).offered_to == "" and not sees(ann, document)


def test_a_name_that_is_somebodys_now_stands_there_once(ben):
    document = owned(ben)
    with as_caller(ben):
        sharing.share(document, "user:later", "reader", ben)
        User.objects.create_user("later")
        sharing.share(document, "user:later", "reader", ben)
        assert document.grants.count() == 1


def test_none_of_a_name_keeps_a_higher_role_or_an_offer(ann, ben):
    document = owned(ben)
    with as_caller(ben):
        sharing.offer(document, "user:ann", ben)
        User.objects.filter(username="ann").update(username="anna")
        User.objects.create_user("ann")
        sharing.share(document, "user:ann", "reader", ben)
        assert {*document.grants.values_list("role", flat=True)} == {"reader"}
    assert fresh(document).offered_to == ""


def test_an_offer_of_a_document_read_before_it_ended_is_accepted_by_nobody(ann, ben):
    document = owned(ben)
    with as_caller(ben):
        sharing.offer(document, "user:ann", ben)
    as_shown = fresh(document)
    with as_caller(ben):
        sharing.take_back(document, "user:ann", ben)
        sharing.share(document, "user:ann", "contributor", ben)
    with as_caller(ann), pytest.raises(Forbidden):
        sharing.accept(as_shown, ann)


def test_a_refused_leave_changes_nothing(ben):
    user = User.objects.create_user("gus")
    user.groups.add(Group.objects.create(name="Litigation"))
    document, gus = owned(ben, grants=["group:Litigation"]), caller_for(user)
    with as_caller(ben):
        sharing.share(document, "user:gus", "contributor", ben)
    with as_caller(gus), pytest.raises(Unprocessable, match="group"):
        sharing.leave(document, gus)
    with as_caller(gus):
        assert sharing.role_of(fresh(document), gus) == "contributor"


def test_who_takes_a_name_while_a_file_waits_reads_nothing(ann, ben):
    """A name means whom it meant when the file was handed in, be it by a name that was somebody's until then."""
    upload = uploading.accept(
        cases(), "lease.txt", b"1. Term. A year.", principal=ben.principals[0], grants=["user:ann", "user:zoe"]
    )
    zoe = caller_for(User.objects.create_user("zoe"))
    User.objects.filter(username="ann").update(username="anna")
    eve = caller_for(User.objects.create_user("ann"))
    for _step in jobs.run_here(upload.run):
        pass
    with as_system():
        upload.refresh_from_db()
        document = upload.document
    assert [sees(caller, document) for caller in (ann, zoe, eve)] == [True, False, False]


def test_a_document_whose_owner_is_gone_can_be_assigned(ann, ben, cleo):
    of_person, of_key = owned(ben), owned(cleo)
    for document in (of_person, of_key):
        with pytest.raises(Forbidden):
            sharing.assign(document, ann.principals[0])
    User.objects.get(username="ben").delete()
    ApiKey.objects.get(name="Cleo's client").revoke()
    for document in (of_person, of_key):
        sharing.assign(document, ann.principals[0])
        assert fresh(document).owner == ann.principals[0]


def test_staff_assign_only_what_nobody_owns(ann, ben):
    bens = owned(ben)
    with pytest.raises(Forbidden):
        sharing.assign(bens, ann.principals[0])
    with as_system():
        orphan = Document.objects.create(domain=cases(), locator="/client_cases/orphan", title="Orphan")
    sharing.assign(orphan, ann.principals[0])
    assert sees(ann, orphan) and not sees(ben, orphan)


# -- Random attempts


def state_of(document):
    """All that another must not change: text, readers, owner, description."""
    with as_system():
        row = Document.objects.get(pk=document.pk)
        grants = sorted(row.grants.values_list("principal", "role"))
        return texts(row), grants, row.owner, row.title, row.tags, row.offered_to


def attempts(draw, document, caller):
    """One random way to change another's document, by the functions and by the tables."""
    names = [f"user:{name}" for name in ("ann", "ben", "zoe")]
    role = draw.choice(["reader", "contributor"])
    return draw.choice(
        [
            lambda: sharing.share(document, draw.choice(names), role, caller),
            lambda: sharing.take_back(document, draw.choice(names), caller),
            lambda: sharing.offer(document, draw.choice(names), caller),
            lambda: sharing.accept(document, caller),
            lambda: uploading.withdraw(document, caller),
            lambda: uploading.erase(document, caller),
            lambda: Section.objects.filter(document=document).update(
                text="changed", live=draw.random() < 0.5
            ),
            lambda: Chunk.objects.filter(document=document)._raw_delete("default"),
            lambda: Document.objects.filter(pk=document.pk).update(owner=caller.principals[0]),
            lambda: Document.objects.filter(pk=document.pk).update(title="mine"),
            lambda: DocumentGrant.objects.filter(document=document).update(role="contributor"),
            lambda: DocumentGrant.objects.create(
                document=document, name="user:x", principal=caller.principals[0], role=role
            ),
            lambda: Upload.objects.filter(document=document).update(filename="mine.txt"),
            lambda: Section.objects.filter(document=document).update(valid_to="2020-01-01"),
        ]
    )


@pytest.mark.parametrize("count", [150, pytest.param(1_000, marks=pytest.mark.full)])
def test_no_random_attempt_changes_anothers_document(ann, ben, cleo, count):
    draw = random.Random(11)
    group = Group.objects.create(name="Litigation")
    member = User.objects.create_user("gus")
    member.groups.add(group)
    gus, stranger = caller_for(member), Caller(("user:987654",))
    names = {"reader": "user:ann", "group": "group:Litigation", "key": name_of(cleo.principals[0])}
    documents = [
        handed_in(ben, f"1. Pay. Ben pays {number}.", f"{number}.txt", grants=list(shared))
        for number, shared in enumerate(([], [names["reader"]], [names["group"], names["key"]]))
    ]
    before = [state_of(document) for document in documents]
    refused = 0
    for _attempt in range(count):
        document, caller = draw.choice(documents), draw.choice([ann, cleo, gus, stranger])
        act = attempts(draw, document, caller)
        try:
            with as_caller(caller), transaction.atomic():
                act()
        except (ArfError, DatabaseError, NotFound):
            refused += 1
    assert [state_of(document) for document in documents] == before
    assert refused > count / 3
