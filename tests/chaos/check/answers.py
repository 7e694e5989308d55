"""Decision, AllOrNothing and Durability: what clients were told, against the log as it is in the end."""

from .log import is_refused, statuses

# What may become of a transaction once its client was told this.
AFTER = {
    "applied": {"applied"},
    "partial": {"partial"},
    "rejected": {"rejected"},
    "reverted": {"reverted"},
    "cancelled": {"cancelled"},
    "reverting": {"reverted", "cancelled"},
    "committed": {"applied", "partial", "reverted", "cancelled"},
    "pending": {"applied", "partial", "reverted", "cancelled", "rejected"},
}
FINAL = {"applied", "partial", "rejected", "reverted", "cancelled"}


def check(evidence, log):
    answered = [one for one in log.operations.values() if statuses(one)]
    yield "Durability: answers against the log", list(lost(evidence, log)), len(answered)
    asked = [one for one in log.operations.values() if one.get("window")]
    yield "Durability: changes to be confirmed", list(windows(evidence, log)), len(asked)
    yield "Decision: ids", list(twice(evidence, log)), len(log.operations)
    yield "Decision: what was refused", list(taken(log)), len(log.operations)
    yield "Decision: targets", list(divided(evidence, log)), len(evidence.transactions)
    yield "AllOrNothing: atomic transactions", list(partly(evidence, log)), len(evidence.transactions)
    reverted = [one for one in evidence.transactions if one["status"] == "reverted"]
    yield "AllOrNothing: who is to blame", list(blamed(reverted, log)), len(reverted)


def lost(evidence, log):
    """What a client was told is in the log, and is still so."""
    for operation in log.operations.values():
        for told in operation["attempts"]:
            outcome = told.get("outcome")
            if not outcome or not outcome["index"]:
                continue
            found = log.by_id.get(operation["id"])
            if found is None:
                yield f"{operation['id']} was answered as transaction {outcome['index']}, {outcome['status']}, and is not there"
            elif found["index"] != outcome["index"]:
                yield f"{operation['id']} was answered as transaction {outcome['index']} and is {found['index']}"
            elif found["status"] in FINAL and found["status"] not in AFTER[outcome["status"]]:
                yield f"transaction {found['index']} was answered as {outcome['status']} and is {found['status']}"
    for operation in log.operations.values():
        answered = [told for told in operation["attempts"] if told["code"] == "OK"]
        if answered and operation["id"] not in log.by_id:
            yield f"{operation['id']} was answered with OK and is not there"


def windows(evidence, log):
    """What was confirmed stays, and what was not is taken back."""
    for operation in log.operations.values():
        transaction = log.by_id.get(operation["id"])
        if not operation.get("window") or not transaction or transaction["status"] != "applied":
            continue
        index, window = transaction["index"], transaction["window"]
        if operation.get("confirm", {}).get("code") == "OK" and window != "confirmed":
            yield f"transaction {index} was said to be confirmed, and is {window}"
        if window == "open":
            yield f"transaction {index} is neither confirmed nor taken back"
        back = [log.transactions[by]["status"] for by in [transaction["rolled_back_by"]] if by]
        if window == "reverted" and back != ["applied"]:
            yield f"transaction {index} was not confirmed, and what takes it back is {back}"


def twice(evidence, log):
    """An id is one transaction, however often and wherever it was asked for."""
    seen = {}
    for transaction in evidence.transactions:
        if other := seen.get(transaction["id"]):
            yield f"{transaction['id']} is transaction {other} and {transaction['index']}"
        seen[transaction["id"]] = transaction["index"]
        if log.asked(transaction) is None and transaction["kind"] in ("change", "rollback", "restore"):
            yield f"nobody asked for transaction {transaction['index']}, {transaction['id']}"
    indexes = sorted(log.transactions)
    if indexes != list(range(1, len(indexes) + 1)):
        yield "the log has a gap"


def taken(log):
    """What every node that was asked refused is not in the log; nor is an id one request after another."""
    for operation in log.operations.values():
        if operation["id"] in log.by_id and is_refused(operation):
            yield f"{operation['id']} was refused, and is transaction {log.by_id[operation['id']]['index']}"
        if operation.get("other", {}).get("code") == "OK":
            yield f"{operation['id']} was asked for again as something else, and that was taken as well"


def divided(evidence, log):
    """A transaction has all of its targets, and is decided on all of them alike."""
    for transaction in evidence.transactions:
        operation = log.operations.get(transaction["id"])
        if operation and operation["writes"] and set(transaction["targets"]) != set(operation["writes"]):
            yield f"transaction {transaction['index']} is on {sorted(transaction['targets'])}, not {sorted(operation['writes'])}"
        if operation and operation.get("only") and set(transaction["targets"]) != set(operation["only"]):
            yield f"transaction {transaction['index']} is on {sorted(transaction['targets'])}, not {operation['only']}"
        parts = {target: part["status"] for target, part in transaction["targets"].items()}
        if transaction["status"] == "rejected" and {"applied"} & set(parts.values()):
            yield f"transaction {transaction['index']} is rejected, and {parts}"
        if operation and operation.get("invalid") and transaction["status"] != "rejected":
            yield f"transaction {transaction['index']} is not valid, and {transaction['status']}"


def partly(evidence, log):
    """An atomic transaction is applied everywhere or nowhere."""
    for transaction in evidence.transactions:
        if transaction["mode"] != "atomic" or transaction["kind"] not in ("change", "rollback", "restore"):
            continue
        parts = {target: part["status"] for target, part in transaction["targets"].items()}
        if transaction["status"] == "partial":
            yield f"transaction {transaction['index']} is atomic and partial: {parts}"
        elif transaction["status"] == "applied" and set(parts.values()) - {"applied", "withdrawn"}:
            yield f"transaction {transaction['index']} is applied, and {parts}"
        elif transaction["status"] in ("reverted", "cancelled") and "applied" in parts.values():
            yield f"transaction {transaction['index']} is {transaction['status']}, and {parts}"


def blamed(reverted, log):
    """What was taken back names the device that refused it, or that was waited for; or it was called off. Clients are told."""
    for transaction in reverted:
        error, operation = transaction["error"] or {}, log.operations.get(transaction["id"], {})
        said, targets = error.get("message") or "", transaction["targets"]
        if error.get("code") == "DEADLINE_EXCEEDED":
            # Of a target that was waited for and then refused to have it undone, the log has that alone.
            named = waited_for(targets)
            to_blame = named or [name for name, part in targets.items() if part["error"]]
        elif "cancelled" in said and "cancel" in operation:
            continue
        else:
            named = to_blame = [n for n, part in targets.items() if part["status"] == "refused" and f"target {n} refused it" in said]
        if not to_blame and not (error and may_be_nobody(transaction)):
            yield f"transaction {transaction['index']} is reverted, and names nobody who refused it or was waited for: {error}"
        for told in operation.get("attempts", []):
            message = told.get("message") or ""
            is_of_it = (told.get("outcome") or {}).get("status") == "reverted"
            if is_of_it and named and not any(f"target {name} " in message for name in named):
                yield f"transaction {transaction['index']} was taken back for {named}, and its client was told {message}"


def waited_for(targets):
    """Those whose part says that it was waited for something there."""
    errors = {name: (part["error"] or {}).get("message") or "" for name, part in targets.items()}
    return [name for name, said in errors.items() if said.startswith("waited for ") and "its other targets" not in said]


def may_be_nobody(transaction):
    """Where all devices had it, some on trial, and the store then took no write until the deadline had passed, it was none of
    them."""
    late = transaction["error"]["code"] == "DEADLINE_EXCEEDED"
    return late and len(transaction["targets"]) > 1 and {part["status"] for part in transaction["targets"].values()} == {"undone"}
