"""Sections of acts that the law gives by both numbers are compared with the table of acts."""

import json

from django.core.management import call_command

from evaluation.measuring.act_maps import compared

LAW = (
    "An alien described in section 212(a)(2) or 237(a) of the Immigration and Nationality Act (8 U.S.C. 1182(a)(2), "
    "1227(a)), and section 1452 of the Safe Drinking Water Act (42 U.S.C. 300j–12). See section 106 of the Immigration "
    "and Nationality Act (8 U.S.C. 1107); section 208 of the Immigration and Nationality Act (8 U.S.C. 1101 et seq.)."
)


def test_what_the_law_gives_both_ways_is_compared_with_the_table():
    same, (other,) = compared([LAW])
    assert same == 3
    assert (other.number, other.known, other.stated) == ("106", "/us/usc/t8/s1105a", {"/us/usc/t8/s1107": 1})


def test_the_command_tells_what_differs(tmp_path, capsys):
    (tmp_path / "law.jsonl").write_text(json.dumps({"locator": "/us/usc/t1/s1", "text": LAW}))
    call_command("check_acts", str(tmp_path / "law.jsonl"))
    told = capsys.readouterr().out
    assert "Immigration and Nationality Act § 106: /us/usc/t8/s1105a; the law says /us/usc/t8/s1107 (1)" in told
    assert "3 stand where the law says; 1 do not, or are not known." in told
