"""What bodies of requests have in common."""

from pydantic import BaseModel, ConfigDict


class RequestBody(BaseModel):
    """The body of a request. A field that is not known and a value of another type are errors: a program that makes
    such a mistake should learn of it."""

    model_config = ConfigDict(extra="forbid", strict=True)
