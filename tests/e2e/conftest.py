"""What every test here is given."""

import pytest

from lab import Lab


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item):
    report = yield
    if report.when == "call" and report.failed and "lab" in item.funcargs:
        report.sections.append(("logs", item.funcargs["lab"].logs()))
    return report


@pytest.fixture
def lab(tmp_path):
    """Three devices and a node, all synchronised."""
    lab = Lab(tmp_path)
    try:
        yield lab.start()
    finally:
        lab.stop()
