"""Every rule has a test, and the table says which."""

import rules


def test_every_rule_is_tested_and_every_tag_is_a_rule():
    known = [name for _, members in rules.rules() for name, _ in members]
    tagged = set(rules.tests())
    assert len(known) == len(set(known))
    assert tagged - set(known) == set(), "tags without a rule"
    assert set(known) - tagged == set(), "rules without a test"


def test_the_table_fits():
    assert rules.TABLE.read_text() == rules.table(), "run `make gnmi-rules`"
