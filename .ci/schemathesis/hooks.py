"""Bodies that are no JSON: one operation per line, or a table."""

import csv
import io
import json

import schemathesis


def operations_of(value):
    return value.get("operations", []) if isinstance(value, dict) else []


@schemathesis.serializer("application/x-ndjson")
def ndjson(ctx, value):
    return "\n".join(json.dumps(one) for one in operations_of(value)).encode()


@schemathesis.serializer("text/csv")
def table(ctx, value):
    rows = [one for one in operations_of(value) if isinstance(one, dict)]
    names = ["op", "id", "externalId", "fromDomain", "toDomain"]
    file = io.StringIO()
    writer = csv.DictWriter(file, names, extrasaction="ignore")
    writer.writeheader()
    writer.writerows(rows)
    return file.getvalue().encode("utf-8", "replace")
