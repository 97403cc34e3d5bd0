"""Who asks, as keys of caches and grants name it."""

from retrieval.access.caller import ANONYMOUS, Caller


def test_callers_with_the_same_grants_share_answers_whatever_their_order():
    assert Caller(("user:5", "group:2")).scope_key == Caller(("group:2", "user:5")).scope_key


def test_nobody_in_particular_has_the_public_scope():
    assert ANONYMOUS.scope_key == "public"
    assert Caller(("user:5",)).scope_key != "public"
