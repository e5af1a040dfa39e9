#!/usr/bin/env bash
# Runs the tests that need real servers, with temporary PostgreSQL, Redis, Kafka, stripe-mock, pebble and BIND servers: all
# *.services.test.ts, and the control plane's other tests on PostgreSQL instead of the embedded database. Excludes the
# tests of ClickHouse and the statistics, which use no database. Needs the output of `tsc`.
#
#   deploy/services/test.sh [ARGUMENT OF VITEST…]
#
# The last line names servers that are not installed. With REQUIRE_SERVICES=1 a missing server is an error, except
# stripe-mock and pebble, which need a newer Go than Debian 12 has.
set -euo pipefail
cd "$(dirname "$0")/../.."

with_servers() {
  deploy/services/with-postgres.sh \
    deploy/services/with-redis.sh \
    deploy/services/with-kafka.sh \
    deploy/services/with-stripe-mock.sh \
    deploy/services/with-pebble.sh \
    deploy/services/with-bind.sh \
    "$@"
}

with_servers node_modules/.bin/vitest run controlplane services.test "$@"
