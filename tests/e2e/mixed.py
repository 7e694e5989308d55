"""Two versions in one cluster: builds the program of an earlier commit, and rolls three nodes from it to this one under load.

    mixed.py [BASE]     BASE: a commit; without it the last one of another format level, or twenty commits back
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FORMAT = "crates/store/src/records/format.rs"
BACK = 20


def git(*arguments):
    return subprocess.run(["git", "-C", ROOT, *arguments], capture_output=True, text=True)


def level(commit):
    """The format level that a commit knows; none: it has none."""
    found = re.search(r"LEVEL: u32 = (\d+);", git("show", f"{commit}:{FORMAT}").stdout)
    return found and int(found[1])


def base():
    """The commit to begin from; none: there is nothing before this one."""
    commits = git("log", "--format=%H", "HEAD", "--", FORMAT).stdout.split()
    here = level("HEAD")
    for commit in commits:
        if level(commit) not in (None, here):
            return commit
        before = git("rev-parse", "--verify", f"{commit}^").stdout.strip()
        if before and level(before) not in (None, here):
            return before
    return git("rev-parse", "--verify", f"HEAD~{BACK}").stdout.strip()


def build(commit):
    """The program of a commit. At the same place each time, so that what has not changed since is not built again."""
    target = ROOT / "target" / "mixed"
    source = target / "source"
    # One that was cut off leaves its tree behind.
    git("worktree", "remove", "--force", source)
    subprocess.run(["git", "-C", ROOT, "worktree", "add", "--quiet", "--detach", source, commit], check=True)
    try:
        command = ["cargo", "build", "--quiet", "--locked", "--bin", "lockstep", "--target-dir", target]
        subprocess.run(command, cwd=source, check=True)
    finally:
        git("worktree", "remove", "--force", source)
    return target / "debug" / "lockstep"


def main(asked):
    if shutil.which("git") is None or git("rev-parse", "HEAD").returncode:
        print("mixed: skipped, since there is no git history here to take an earlier version from")
        return 0
    commit = git("rev-parse", "--verify", asked).stdout.strip() if asked else base()
    if not commit:
        print(f"mixed: skipped, since {'there is no ' + asked if asked else 'the git history here is too short'}")
        return 1 if asked else 0
    print(f"mixed: from {git('log', '-1', '--format=%h %s', commit).stdout.strip()}, of format level {level(commit)}", flush=True)
    earlier = build(commit)
    test = [sys.executable, "-m", "pytest", "-q", "tests/e2e/test_mixed.py"]
    return subprocess.run(test, cwd=ROOT, env=os.environ | {"EARLIER": str(earlier)}).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else ""))
