"""Matters: each role does what it may and no more, by the code and by the database alone; grants follow the members."""

from datetime import date, timedelta

import pytest
from django.contrib.auth.models import Group, User
from django.db import DatabaseError, connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from retrieval import jobs
from retrieval.access import matters, sharing
from retrieval.access.caller import ANONYMOUS
from retrieval.access.row_security import as_caller, as_system
from retrieval.corpus.statements import rows
from retrieval.errors import ArfError, Forbidden, NotFound, Unprocessable
from retrieval.ingestion import uploading
from retrieval.models import (
    ApiKey,
    Deadline,
    Document,
    DocumentGrant,
    Domain,
    JobRun,
    Matter,
    MatterMember,
    Upload,
)
from retrieval.models.access import caller_for, name_of
from retrieval.request import SearchRequest
from retrieval.search.service import search
from tests.builders import a_domain
from tests.matters import CLIENT, PAPER, REFERENCE, handed_in, person

pytestmark = pytest.mark.django_db

DUE = date(2030, 5, 17)


def found(caller, text="Ninety doubloons at Michaelmas"):
    answer = search(SearchRequest(text, domains=("client_cases",)), caller, fresh=True)
    return {result["locator"] for result in answer["results"] or answer["near_misses"]}


def granted(firm):
    with as_system():
        grants = DocumentGrant.objects.filter(document__owner=firm.matter.principal)
        return sorted(grants.values_list("principal", "role"))


def fresh(matter):
    with as_system():
        return Matter.objects.get(pk=matter.pk)


# -- Documents and members


def test_every_member_finds_a_document_once_it_is_read_and_nobody_else(firm):
    document = handed_in(firm.matter, firm.contributor)
    assert (document.owner, document.private) == (firm.matter.principal, True)
    for member in (firm.lead, firm.contributor, firm.reader):
        assert any(place.startswith(document.locator) for place in found(member))
    for other in (firm.stranger, firm.staff, ANONYMOUS):
        with pytest.raises(NotFound):
            found(other)
        assert not firm.can_read(other)


def test_grants_follow_members_and_their_roles(firm):
    handed_in(firm.matter, firm.lead)
    key, lead, reader = (who.principals[0] for who in (firm.contributor, firm.lead, firm.reader))
    assert granted(firm) == sorted([(key, "contributor"), (lead, "contributor"), (reader, "reader")])
    matters.set_member(firm.matter, "user:rea", "contributor", firm.lead)
    matters.set_member(firm.matter, "user:stan", "reader", firm.lead)
    matters.remove_member(firm.matter, name_of(key), firm.lead)
    stan = firm.stranger.principals[0]
    assert granted(firm) == sorted([(lead, "contributor"), (reader, "contributor"), (stan, "reader")])
    assert not firm.can_read(firm.contributor) and firm.can_read(firm.stranger)


def test_a_group_is_a_member_like_a_person(firm):
    user = User.objects.create_user("gus")
    user.groups.add(Group.objects.create(name="Litigation"))
    gus = caller_for(user)
    handed_in(firm.matter, firm.lead)
    matters.set_member(firm.matter, "group:Litigation", "contributor", firm.lead)
    with as_caller(gus):
        assert firm.can_read(gus) and matters.role_of(firm.matter, gus) == "contributor"
    matters.add_deadline(firm.matter, "File", DUE, gus)
    with pytest.raises(Unprocessable, match="group"):
        matters.leave(firm.matter, gus)
    assert firm.can_read(gus)


def test_a_document_leaves_the_matter_by_nobodys_act(firm):
    document = handed_in(firm.matter, firm.contributor)
    for caller in (firm.lead, firm.contributor, firm.reader):
        for act in (
            lambda: sharing.share(document, "user:stan", "reader", caller),  # noqa: B023
            lambda: sharing.offer(document, "user:stan", caller),  # noqa: B023
            lambda: sharing.leave(document, caller),  # noqa: B023
        ):
            with as_caller(caller), pytest.raises(ArfError):
                act()
    with pytest.raises(Forbidden):
        sharing.assign(document, firm.stranger.principals[0])
    assert not firm.can_read(firm.stranger)


def test_a_lead_withdraws_a_document_and_nobody_else_does(firm):
    document = handed_in(firm.matter, firm.contributor)
    for caller in (firm.contributor, firm.reader, firm.stranger, firm.staff):
        with as_caller(caller), pytest.raises((Forbidden, NotFound)):
            uploading.withdraw(document, caller)
    with as_caller(firm.lead):
        assert uploading.withdraw(document, firm.lead) == 1
    with matters.acting_as(firm.matter):
        assert not matters.documents_of(firm.matter).exists()


def test_a_document_with_a_file_to_come_is_withdrawn_between_two_steps(firm):
    document = handed_in(firm.matter, firm.contributor)
    domain, name = document.domain, document.filename
    with as_caller(firm.lead):
        coming = uploading.accept_into(firm.matter, domain, name, b"1. Term. Two years.", firm.lead)
        with CaptureQueriesContext(connection) as asked:
            uploading.withdraw(document, firm.lead)
            waits_for_ever = rows("SHOW statement_timeout", []) == [("0",)]
    said = [query["sql"] for query in asked]
    held, matter = (next(n for n, sql in enumerate(said) if part in sql) for part in ("'corpus'", "NO KEY UPDATE"))
    assert waits_for_ever and held < matter
    coming.run.refresh_from_db()
    assert coming.run.cancel_requested


def test_a_file_whose_job_failed_does_not_bring_a_withdrawn_document_back(firm):
    document = handed_in(firm.matter, firm.contributor)
    with as_caller(firm.lead):
        failed = uploading.accept_into(
            firm.matter, document.domain, document.filename, b"1. Term. Two years.", firm.lead
        )
    with matters.acting_as(firm.matter):
        Upload.objects.filter(pk=failed.pk).update(status=Upload.Status.FAILED)
    JobRun.objects.filter(pk=failed.run.pk).update(status=JobRun.Status.FAILED)
    with as_caller(firm.lead):
        uploading.withdraw(document, firm.lead)
    for _step in jobs.run_here(JobRun.objects.get(pk=failed.run.pk)):
        pass
    with matters.acting_as(firm.matter):
        failed.refresh_from_db()
        assert failed.status == Upload.Status.CANCELLED
        assert not matters.documents_of(firm.matter).exists()


def test_a_name_that_nobody_has_is_answered_like_one_that_somebody_has(firm):
    matters.set_member(firm.matter, "user:zoe", "reader", firm.lead)
    handed_in(firm.matter, firm.lead)
    with pytest.raises(Unprocessable, match="no name"):
        matters.set_member(firm.matter, "zoe", "reader", firm.lead)
    firm_of_zoe = person("zoe")
    assert not firm.can_read(firm_of_zoe)


def test_the_same_name_again_is_a_new_version_of_the_matters_document(firm):
    first = handed_in(firm.matter, firm.contributor)
    again = handed_in(firm.matter, firm.lead, PAPER.replace("Ninety", "Eighty"))
    other = matters.open_matter("Another", "", firm.lead)
    assert again == first and handed_in(other, firm.lead) != first


def test_a_matter_takes_private_documents_of_open_matters_by_writers(firm):
    public, cases = a_domain(), Domain.objects.get(slug="client_cases")
    with pytest.raises(Unprocessable, match="public"):
        uploading.accept_into(firm.matter, public, "a.txt", b"1. A. B.", firm.lead)
    with pytest.raises(Forbidden):
        uploading.accept_into(firm.matter, cases, "a.txt", b"1. A. B.", firm.reader)
    with pytest.raises(NotFound):
        uploading.accept_into(firm.matter, cases, "a.txt", b"1. A. B.", firm.stranger)


# -- Roles


def test_only_leads_change_members_and_close(firm):
    for caller, refusal in (
        (firm.contributor, Forbidden), (firm.reader, Forbidden), (firm.stranger, NotFound), (firm.staff, NotFound),
        (ANONYMOUS, NotFound),
    ):  # fmt: skip
        for act in (
            lambda: matters.set_member(firm.matter, "user:stan", "lead", caller),  # noqa: B023
            lambda: matters.remove_member(firm.matter, "user:rea", caller),  # noqa: B023
            lambda: matters.close(firm.matter, caller),  # noqa: B023
            lambda: matters.reopen(firm.matter, caller),  # noqa: B023
            lambda: matters.rename(firm.matter, caller, reference="Mine"),  # noqa: B023
        ):
            with pytest.raises(refusal):
                act()
    assert fresh(firm.matter).reference == REFERENCE


def test_readers_and_strangers_set_no_deadlines(firm):
    deadline = matters.add_deadline(firm.matter, "File the brief", DUE, firm.contributor)
    for caller in (firm.reader, firm.stranger):
        for act in (
            lambda: matters.add_deadline(firm.matter, "Mine", DUE, caller),  # noqa: B023
            lambda: matters.change_deadline(firm.matter, deadline.number, caller, done=True),  # noqa: B023
            lambda: matters.drop_deadline(firm.matter, deadline.number, caller),  # noqa: B023
        ):
            with pytest.raises((Forbidden, NotFound)):
                act()


def test_a_stranger_cannot_tell_a_matter_from_none(firm):
    for caller in (firm.stranger, firm.staff, ANONYMOUS):
        with pytest.raises(NotFound, match="no such matter"):
            matters.matter_of(firm.matter.public_id, caller)
    assert matters.matter_of(firm.matter.public_id, firm.reader).client == CLIENT
    with pytest.raises(Forbidden):
        matters.open_matter("x", "", ANONYMOUS)


def test_the_last_lead_neither_leaves_nor_steps_down(firm):
    matters.set_member(firm.matter, "user:zoe", "lead", firm.lead)  # whom nobody is
    for act in (
        lambda: matters.leave(firm.matter, firm.lead),
        lambda: matters.set_member(firm.matter, "user:lea", "reader", firm.lead),
        lambda: matters.remove_member(firm.matter, "user:lea", firm.lead),
    ):
        with pytest.raises(Unprocessable, match="keeps a lead"):
            act()
    matters.set_member(firm.matter, "user:stan", "lead", firm.lead)
    with pytest.raises(Unprocessable, match="keeps a lead"):  # as for the name that nobody has
        matters.leave(firm.matter, firm.lead)
    matters.matter_of(firm.matter.public_id, caller_for(User.objects.get(username="stan")))
    matters.leave(firm.matter, firm.lead)
    with pytest.raises(NotFound):
        matters.matter_of(firm.matter.public_id, firm.lead)


def test_a_new_name_of_one_kind_leaves_the_other_as_it_has_just_been_changed(firm):
    matters.rename(firm.matter, firm.lead, reference="Another")
    matters.rename(firm.matter, firm.lead, client="Somebody")
    with matters.acting_as(firm.matter):
        firm.matter.refresh_from_db()
    assert (firm.matter.reference, firm.matter.client) == ("Another", "Somebody")


def revoked_and_expired(firm):
    for name, fields in (("A", {"revoked_at": timezone.now()}), ("B", {"expires_at": timezone.now()})):
        key = ApiKey.issue(name=name, scopes=["documents"], **fields)[0]
        matters.set_member(firm.matter, f"key:{key.public_id}", "lead", firm.lead)


def led(firm):
    with as_system():
        return not Matter.objects.filter(matters.without_lead()).exists()


def test_who_is_not_let_in_leads_nothing_until_they_are(firm):
    revoked_and_expired(firm)
    group = Group.objects.create(name="Old hands")
    group.user_set.add(User.objects.get(username="lea"))
    matters.set_member(firm.matter, "group:Old hands", "lead", firm.lead)
    assert led(firm)
    User.objects.filter(username="lea").update(is_active=False)
    assert not led(firm)
    group.user_set.add(User.objects.get(username="rea"))
    assert led(firm)
    group.delete()
    matters.give_lead(firm.matter, "user:stan")
    assert led(firm)
    with pytest.raises(Forbidden):
        matters.give_lead(firm.matter, "user:rea")


@pytest.fixture
def renamed(firm):
    """Another “user:rea”, who was made a member beside the one of that name before."""
    User.objects.filter(username="rea").update(username="rhea")
    newcomer = person("rea")
    matters.set_member(firm.matter, "user:rea", "reader", firm.lead)
    handed_in(firm.matter, firm.lead)
    return newcomer


def test_all_of_a_name_are_removed_by_it(firm, renamed):
    assert firm.can_read(firm.reader) and firm.can_read(renamed)
    matters.remove_member(firm.matter, "user:rea", firm.lead)
    assert not firm.can_read(firm.reader) and not firm.can_read(renamed)


def test_a_name_that_is_somebodys_now_stands_there_once(firm):
    matters.set_member(firm.matter, "user:later", "reader", firm.lead)
    later = person("later")
    matters.set_member(firm.matter, "user:later", "reader", firm.lead)
    with matters.acting_as(firm.matter):
        assert firm.matter.members.filter(name="user:later").count() == 1
    handed_in(firm.matter, firm.lead)
    assert firm.can_read(later)
    matters.remove_member(firm.matter, "user:later", firm.lead)
    assert not firm.can_read(later)


def test_none_of_a_name_keeps_a_higher_role(firm, renamed):
    with matters.acting_as(firm.matter):
        firm.matter.members.filter(principal=firm.reader.principals[0]).update(role="lead", has_come=True)
    matters.set_member(firm.matter, "user:rea", "reader", firm.lead)
    with matters.acting_as(firm.matter):
        assert {*firm.matter.members.filter(name="user:rea").values_list("role", flat=True)} == {"reader"}


def test_a_reader_leaves_with_all_documents(firm):
    handed_in(firm.matter, firm.lead)
    matters.leave(firm.matter, firm.reader)
    assert not firm.can_read(firm.reader)


# -- Deadlines


def test_what_is_overdue_and_next_comes_first(firm):
    today = timezone.localdate()
    for what, days in (("later", 30), ("overdue", -2), ("done", -9), ("next", 3)):
        matters.add_deadline(firm.matter, what, today + timedelta(days), firm.lead)
    with as_caller(firm.reader):
        done = Deadline.objects.get(what="done")
        assert [each.number for each in Deadline.objects.order_by("pk")] == [1, 2, 3, 4]
    matters.change_deadline(firm.matter, done.number, firm.contributor, done=True)
    with as_caller(firm.reader):
        shown = list(Deadline.objects.all())
        assert [each.what for each in shown] == ["overdue", "next", "later", "done"]
        assert [each.is_overdue for each in shown] == [True, False, False, False]
        assert Matter.objects.held_by(firm.reader).most_urgent_first()[0].next_due == today - timedelta(2)
    assert matters.change_deadline(firm.matter, done.number, firm.lead, done=False, what="again").done_on is None
    matters.drop_deadline(firm.matter, done.number, firm.lead)
    with pytest.raises(NotFound):
        matters.drop_deadline(firm.matter, done.number, firm.lead)
    with pytest.raises(Unprocessable):
        matters.add_deadline(firm.matter, "  ", today, firm.lead)


def test_a_deadline_that_was_taken_out_leaves_its_number_to_no_other(firm):
    first, last = (matters.add_deadline(firm.matter, what, DUE, firm.lead).number for what in ("Plead", "File"))
    matters.drop_deadline(firm.matter, last, firm.lead)
    later = matters.add_deadline(firm.matter, "Statute of limitations", DUE, firm.lead)
    with pytest.raises(NotFound):
        matters.drop_deadline(firm.matter, last, firm.lead)
    assert [first, last, later.number] == [1, 2, 3]


def test_no_deadline_is_set_on_a_day_long_gone(firm):
    deadline = matters.add_deadline(firm.matter, "File", date(1900, 1, 1), firm.lead)
    with pytest.raises(Unprocessable):
        matters.add_deadline(firm.matter, "File", date(1899, 12, 31), firm.lead)
    with pytest.raises(Unprocessable):
        matters.change_deadline(firm.matter, deadline.number, firm.lead, due_on=date(1, 1, 1))


def test_open_matters_come_by_their_next_deadline_and_closed_ones_last(firm):
    soon, closed = (matters.open_matter(name, "", firm.lead) for name in ("Soon", "Closed"))
    matters.add_deadline(soon, "File", DUE, firm.lead)
    matters.close(closed, firm.lead)
    with as_caller(firm.lead):
        held = Matter.objects.held_by(firm.lead).most_urgent_first()
        assert [matter.reference for matter in held] == ["Soon", REFERENCE, "Closed"]


# -- Closing


def test_a_closed_matter_is_neither_found_nor_changed_and_its_members_read_it(firm):
    document = handed_in(firm.matter, firm.lead)
    matters.close(firm.matter, firm.lead)
    assert not any(firm.can_read(who) for who in (firm.lead, firm.contributor, firm.reader))
    with pytest.raises(NotFound):
        found(firm.reader)
    with pytest.raises(Unprocessable, match="closed"):
        matters.add_deadline(firm.matter, "File", DUE, firm.lead)
    with pytest.raises(Unprocessable, match="closed"):
        handed_in(firm.matter, firm.lead)
    matter = matters.matter_of(firm.matter.public_id, firm.reader)
    assert any(place.startswith(document.locator) for place in found(matters.caller_in(matter, firm.reader)))
    matters.set_member(firm.matter, "user:stan", "reader", firm.lead)
    assert not firm.can_read(firm.stranger)
    matters.reopen(firm.matter, firm.lead)
    assert firm.can_read(firm.reader) and firm.can_read(firm.stranger)


# -- What comes at once


def test_who_is_removed_while_a_file_is_read_does_not_see_it(firm):
    cases = Domain.objects.get(slug="client_cases")
    upload = uploading.accept_into(firm.matter, cases, "a.txt", PAPER.encode(), firm.contributor)
    run = jobs.take_step(upload.run.pk, 0)
    matters.remove_member(firm.matter, name_of(firm.contributor.principals[0]), firm.lead)
    matters.set_member(firm.matter, "user:stan", "reader", firm.lead)
    for _step in jobs.run_here(run):
        pass
    assert firm.can_read(firm.stranger) and firm.can_read(firm.reader)
    assert not firm.can_read(firm.contributor)


def test_who_is_removed_before_a_file_is_taken_hands_in_none(firm):
    stale = matters.matter_of(firm.matter.public_id, firm.contributor)
    matters.remove_member(firm.matter, name_of(firm.contributor.principals[0]), firm.lead)
    with pytest.raises(NotFound):
        handed_in(stale, firm.contributor)


# -- The database alone


def test_the_tables_of_matters_force_row_security(db):
    names = [model._meta.db_table for model in (Matter, MatterMember, Deadline)]
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_class WHERE relrowsecurity AND relforcerowsecurity AND relname = ANY(%s)",
            [names],
        )
        assert cursor.fetchone() == (3,)


def test_the_database_shows_a_matter_to_its_members(firm):
    matters.add_deadline(firm.matter, "File", DUE, firm.lead)
    for caller, shown in (
        (firm.reader, 1),
        (firm.lead, 1),
        (firm.stranger, 0),
        (firm.staff, 0),
        (ANONYMOUS, 0),
    ):
        with as_caller(caller):
            assert (Matter.objects.count(), Deadline.objects.count()) == (shown, shown)
            assert MatterMember.objects.count() == shown  # its own membership


def test_the_database_refuses_what_the_code_would_forget(firm):
    deadline = matters.add_deadline(firm.matter, "File", DUE, firm.lead)
    document = handed_in(firm.matter, firm.lead)
    for caller in (firm.contributor, firm.reader, firm.stranger, firm.staff, ANONYMOUS):
        with as_caller(caller):
            assert Matter.objects.filter(pk=firm.matter.pk).update(reference="mine") == 0
            assert Matter.objects.filter(pk=firm.matter.pk)._raw_delete("default") == 0
            assert MatterMember.objects.filter(matter=firm.matter).update(role="lead") == 0
            assert MatterMember.objects.filter(matter=firm.matter)._raw_delete("default") == 0
            if caller != firm.contributor:
                assert Deadline.objects.filter(pk=deadline.pk).update(what="mine") == 0
                assert Deadline.objects.filter(pk=deadline.pk)._raw_delete("default") == 0
        own = caller.principals[0] if caller.principals else "user:1"
        rows = [
            MatterMember(matter=firm.matter, name="user:x", principal=f"{own}0", role="lead"),
            Matter(reference="mine"),
            DocumentGrant(document=document, name="user:x", principal=f"{own}0"),
        ]
        rows += [] if caller == firm.contributor else [Deadline(matter=firm.matter, what="mine", due_on=DUE)]
        for row in rows:
            with as_caller(caller), pytest.raises(DatabaseError, match="row-level"), transaction.atomic():
                row.save(force_insert=True)
    with as_system():
        assert Document.objects.filter(owner=firm.matter.principal).count() == 1
    assert fresh(firm.matter).reference == REFERENCE


def test_who_acts_as_a_matter_sees_that_matter_alone(firm):
    other = matters.open_matter("Another", "", firm.stranger)
    handed_in(firm.matter, firm.lead)
    with matters.acting_as(other):
        assert not Document.objects.filter(private=True).exists()
        assert [matter.pk for matter in Matter.objects.all()] == [other.pk]
