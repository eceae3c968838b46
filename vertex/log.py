"""What the log says of requests."""

import logging


class Refusals(logging.Filter):
    """Says in one line what was refused: to 403 and 400 Django adds a whole traceback, and real errors drown in those."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Keeps each record; of one that is answered with less than 500 it makes a line with its reason."""
        if record.exc_info and 400 <= getattr(record, "status_code", 500) < 500:
            reason = str(record.exc_info[1] or "")
            record.msg, record.args = "%s: %s", (record.getMessage(), reason.encode("unicode_escape").decode("ascii"))
            record.exc_info = record.exc_text = None
        return True
