"""Decision, AllOrNothing and Durability: what clients were told, against the log as it is in the end."""

from .log import statuses

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
    yield "Decision: targets", list(divided(evidence, log)), len(evidence.transactions)
    yield "AllOrNothing: atomic transactions", list(partly(evidence, log)), len(evidence.transactions)


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
    """An atomic transaction is applied everywhere or nowhere, and if not, it says who refused."""
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
        elif transaction["status"] == "reverted" and not transaction["error"]:
            yield f"transaction {transaction['index']} is reverted, and does not say why"
