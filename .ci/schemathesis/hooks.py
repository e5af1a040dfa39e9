"""What schemathesis has to know beside the OpenAPI document: names of time zones, bodies that are no JSON, ids of resources
that exist, values that must agree with each other, and refusals that no schema can state."""

import itertools
import re

import schemathesis
from hypothesis import strategies
from schemathesis.core.failures import AcceptedNegativeData
from schemathesis.openapi.checks import EnsureResourceAvailability, RejectedPositiveData

schemathesis.openapi.format(
    "time-zone", strategies.sampled_from(["UTC", "Europe/Berlin", "Asia/Kolkata", "America/St_Johns"])
)


@schemathesis.serializer("application/x-ndjson")
def lines(ctx, value):
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "replace")


TEXTS = ("application/x-ndjson", "text/csv", "text/plain", "application/octet-stream")

numbers = itertools.count(1)
# The latest resources that requests created, the newest last.
made = {"redirect": [], "host": [], "rule": [], "entry": []}
MAX_MADE = 50

# The blanks of `String.prototype.trim`.
BLANKS = "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"


def keep(kind, value):
    made[kind].append(value)
    del made[kind][:-MAX_MADE]


@schemathesis.hook
def after_call(ctx, case, response):
    if response.status_code != 201:
        return
    label = case.operation.label
    if label in ("POST /redirects", "POST /add-redirect"):
        keep("redirect", response.json()["id"])
        keep("host", response.json()["fromDomain"])
    elif label == "POST /redirects/{id}/rules":
        keep("rule", str(response.json()["rule"]["id"]))
    elif label == "POST /redirects/{id}/paths":
        keep("entry", (case.path_parameters["id"], str(response.json()["id"])))


@schemathesis.hook
def before_call(ctx, case, kwargs):
    """Adapts requests that agree with the document to what is stored, so that they get past the checks that no schema can
    state. Requests that break the document are sent as they were made."""
    if case.meta is None or not case.meta.generation.mode.is_positive:
        return
    if case.meta.phase.name.value != "stateful":
        use_made_resources(case)
    adapt_query(case)
    if case.headers and "if-match" in case.headers:
        # The version that an example names is not the current one.
        case.headers["if-match"] = "*"
    if case.headers and "if-none-match" in case.headers:
        # Schemathesis finds no strings of some lengths for the pattern, and sends "0" instead.
        case.headers["if-none-match"] = '"1-Zm9vYmFyYmF6"'
    if isinstance(case.body, (dict, list)):
        case.body = without_outer_blanks(case.body)
    if isinstance(case.body, dict):
        adapt_body(case)


def without_outer_blanks(value):
    """Replaces blanks around texts. The API removes them, so that a text can become shorter than its schema allows."""
    if isinstance(value, dict):
        return {name: without_outer_blanks(member) for name, member in value.items()}
    if isinstance(value, list):
        return [without_outer_blanks(item) for item in value]
    if not isinstance(value, str):
        return value
    inner = value.strip(BLANKS)
    start = len(value) - len(value.lstrip(BLANKS))
    return "x" * start + inner + "x" * (len(value) - start - len(inner))


def use_made_resources(case):
    parameters, path = case.path_parameters, case.path
    if not parameters:
        return
    of_redirect = re.match(r"/(redirects|update|delete-redirect)/\{id\}|/(rules|analytics)/redirect/\{redirectId\}", path)
    if "entryId" in parameters and made["entry"]:
        parameters["id"], parameters["entryId"] = made["entry"][-1]
    elif of_redirect and made["redirect"]:
        name = "id" if "id" in parameters else "redirectId"
        # A few redirects stay for the requests that follow.
        deletes = case.method == "DELETE" and path.endswith("{id}") and len(made["redirect"]) > 10
        parameters[name] = made["redirect"].pop(0) if deletes else made["redirect"][-1]
    elif "ruleId" in parameters and made["rule"]:
        parameters["ruleId"] = made["rule"].pop(0) if case.method == "DELETE" else made["rule"][-1]
    elif "host" in parameters and made["host"]:
        parameters["host"] = made["host"][-1]


def adapt_query(case):
    query = case.query
    if not query:
        return
    # Only an earlier page has a cursor.
    query.pop("cursor", None)
    if "start" in query and "end" in query and query["start"] > query["end"]:
        query["start"], query["end"] = query["end"], query["start"]
    if case.operation.label == "POST /imports":
        if query.get("kind") != "paths":
            query.pop("redirectId", None)
        elif made["redirect"]:
            query["redirectId"] = made["redirect"][-1]
        query.setdefault("format", "csv")


def adapt_body(case):
    body, label = case.body, case.operation.label
    if label in ("POST /redirects", "POST /add-redirect"):
        body["fromDomain"] = f"case-{next(numbers)}.example.com"
        body.pop("externalId", None)
    elif label in ("PATCH /redirects/{id}", "PUT /update/{id}"):
        # They must be sent unchanged.
        body.pop("id", None)
        body.pop("fromDomain", None)
        body.pop("externalId", None)
    elif label == "PUT /redirects/{id}/examples" and made["host"]:
        for place, example in enumerate(body.get("examples", [])):
            example["name"] = f"example {place}"
            example["request"]["url"] = f"https://{made['host'][-1]}/{place}"
    elif label == "POST /auth/signup":
        body["email"] = f"case-{next(numbers)}@example.com"
    elif label == "POST /verify-domain" and made["host"]:
        body["domain"] = made["host"][-1]
    if isinstance(body.get("startsAt"), str) and isinstance(body.get("endsAt"), str):
        body["startsAt"], body["endsAt"] = "2026-01-31", "2030-01-31"


# Refusals of requests that agree with the document: operation, error code, field, and why a schema cannot state it.
REFUSALS = [
    (".*", "INVALID_REQUEST", "start|end|interval", "`start` must not be after `end`, which is now by default; periods have at most 25,000 intervals"),
    ("GET /(exports/)?audit", "INVALID_REQUEST", "since|until", "`since` must not be after `until`"),
    (".*", "VALIDATION_ERROR", "startDate|endDate|startsAt|endsAt", "an end must be after its start"),
    (".*", "REDIRECT_LOOP|DOMAIN_EXISTS|DOMAIN_TAKEN|EXTERNAL_ID_EXISTS|PLAN_LIMIT_REACHED|EXAMPLES_BROKEN", ".*", "what is stored decides"),
    (".*", "VALIDATION_ERROR", "fromDomain|domain", "public suffixes and addresses are no domains of redirects"),
    (".*", "INVALID_REQUEST|VALIDATION_ERROR", r"(.*\.)?(toDomain|url|urls\.\d+|destination|destinationHost)", "a URL needs a host, and may have no user information"),
    (".*", "VALIDATION_ERROR", r"(entries\.\d+\.)?source", "an entry must not match the requests of another one, and names in it must differ"),
    (".*", "VALIDATION_ERROR", r"(entries\.\d+\.)?destination", "placeholders must be in the source"),
    (".*", "VALIDATION_ERROR", r"(.*\.)?pathEnding", "`below` needs a source that ends in `/*`"),
    (".*", "VALIDATION_ERROR", r"conditions\..*", "which operators, values and parameters an attribute takes is data: `GET /rules/attributes`"),
    (".*", "VALIDATION_ERROR", r"action(\..*)?|type", "a changed action must fit the stored type; shares must sum to 100"),
    (".*/reorder", "VALIDATION_ERROR", r"ruleIds.*", "the ids of all rules, each once"),
    ("PATCH /redirects/{id}", "VALIDATION_ERROR", r"(afterEnd|hsts|notFound)(\..*)?", "the stored object must be whole after the merge"),
    ("PATCH /redirects/{id}", "VALIDATION_ERROR", "statusCode", "the status code must fit the stored type after the merge"),
    ("POST /redirects/{id}/draft/publish", "VALIDATION_ERROR", "at", "a time from now on, at most a year ahead"),
    ("PUT /redirects/{id}/examples", "VALIDATION_ERROR", r"examples\.\d+\..*", "a URL has the host of the redirect, names differ, and a rule and none cannot be expected together"),
    ("POST /redirects/{id}/examples/run", "VALIDATION_ERROR", "draft.*", "a draft must be one that could be published"),
    ("PUT /redirects/{id}/draft", "VALIDATION_ERROR", "baseVersion", "a version that the redirect has had"),
    ("POST /redirects/{id}/replay", "INVALID_REQUEST|VALIDATION_ERROR", "start|end|version|draft.*", "a period needs visits, and a draft must compile"),
    ("POST /redirects/bulk", "BULK_REJECTED", ".*", "each operation is checked by itself"),
    ("POST /(redirects/bulk|imports)", "INVALID_REQUEST|VALIDATION_ERROR", ".*", "a file must have the form of its format"),
    ("POST /auth/email/verify", "VALIDATION_ERROR", "token", "a token is one of a mail"),
    ("POST /webhook-endpoints", "VALIDATION_ERROR", "", "a user can have a limited number of endpoints"),
    ("POST /webhook-endpoints/{id}/test", "VALIDATION_ERROR", "paused", "a paused endpoint is not tested"),
    ("PUT /certificates/{host}", "VALIDATION_ERROR", "certificate|privateKey", "PEM of a certificate for the host"),
    ("POST /payment/(checkout|portal)", "INVALID_REQUEST|VALIDATION_ERROR", ".*Url", "only known origins may follow"),
    ("POST /payment/checkout", "INVALID_PLAN_ID", "planId", "a plan without a price has no checkout"),
    ("POST /payment/subscription/reactivate", "SUBSCRIPTION_NOT_REACTIVATABLE", ".*", "what is stored decides"),
    (".*", "VALIDATION_ERROR", r"responseHeaders\..*", "values of headers have a grammar of their own"),
]


@schemathesis.hook
def filter_failure(ctx, failure, case, response):
    """Returns false for a failure that is none of the API."""
    label = case.operation.label
    if isinstance(failure, RejectedPositiveData):
        error = response.json().get("error", {})
        values = (label, error.get("code", ""), error.get("field", ""))
        return not any(
            all(re.fullmatch(pattern, value) for pattern, value in zip(refusal, values)) for refusal in REFUSALS
        )
    if isinstance(failure, AcceptedNegativeData) and case.media_type in TEXTS:
        # Every body is a text, even if it was generated as another type.
        return False
    # A redirect has a draft or a staged table only after one was written.
    return not (isinstance(failure, EnsureResourceAvailability) and re.search(r"/(paths|draft)/", label))
