"""The reference says what the code says, and what a node really has."""

import reference
from prometheus import Metrics


def test_the_reference_is_what_the_code_says(one_lab):
    assert not reference.stale(reference.document(one_lab)), "run `make reference`"


def test_every_metric_is_documented_and_there(one_lab):
    """What is read of the source is what a node counts: names, kinds, words, and no label beyond those that are told."""
    documented = {name: (kind, labels, help_) for rows in reference.defined().values() for name, kind, labels, help_ in rows}
    counted = Metrics(one_lab.http).all
    assert set(documented) == set(counted)
    for name, one in counted.items():
        kind, labels, help_ = documented[name]
        assert (one["kind"], one["help"]) == (kind, help_.replace("\\\"", "\"")), name
        known = dict(labels)
        for _, said, _ in one["samples"]:
            for label, value in said.items():
                if label != "le":
                    assert value in known[label] or not known[label], (name, label, value)


def test_every_page_is_short_enough_to_be_read_and_names_the_others():
    for page in reference.PAGES.glob("*.md"):
        text = page.read_text()
        assert text.startswith("# ") and "make reference" in text, page
