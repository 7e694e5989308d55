"""Whether a node answered: said what became of a request, or why nothing did."""

# Said by nobody: the connection broke, or the client waited in vain.
SILENT = {"DEADLINE_EXCEEDED", "CANCELLED", "UNKNOWN"}
BROKEN = ("connect", "Socket closed", "reset", "Broken pipe", "GOAWAY", "Stream removed", "recvmsg", "transport")


def is_answered(told):
    """Whether this attempt has such an answer."""
    if told.get("outcome") or told["code"] == "OK":
        return True
    broken = told["code"] == "UNAVAILABLE" and any(part in told.get("message", "") for part in BROKEN)
    return told["code"] not in SILENT and not broken
