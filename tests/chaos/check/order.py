"""Order and Fencing as nodes show them: applied is never ahead of committed, and neither, nor a term, goes back."""


def check(evidence, log):
    found, fenced, latest, count = [], [], {}, 0
    for sighting in evidence.sightings:
        for target, (committed, applied, term, *_) in sighting["targets"].items():
            count += 1
            if applied > committed:
                found.append(f"{sighting['node']}: {target} has applied {applied} and committed {committed}")
            # One node's own words, for one start of it: another may be behind.
            key = sighting["node"], sighting["start"], target
            before = latest.get(key, (0, 0, 0))
            if committed < before[0] or applied < before[1]:
                found.append(f"{sighting['node']}: {target} went from {before[:2]} back to {(committed, applied)}")
            if term < before[2]:
                fenced.append(f"{sighting['node']}: the term of {target} went from {before[2]} back to {term}")
            latest[key] = (committed, applied, term)
    yield "Order: how targets stood, as nodes showed it", found, count
    yield "Fencing: terms, as nodes showed them", fenced, count
