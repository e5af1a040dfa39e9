#!/usr/bin/env bash
# Runs the tests that want real servers, with a PostgreSQL, a Redis, a Kafka, a stripe-mock, a pebble and a BIND of their own: all
# *.services.test.ts, and the control plane's other tests on PostgreSQL in place of the embedded one, but for those of
# ClickHouse and the statistics, which have no database. Wants what `tsc` emits.
#
#   deploy/services/test.sh [ARGUMENT OF VITEST…]
#
# A server that is not installed is named by the last line; with REQUIRE_SERVICES=1 it is an error, but for stripe-mock
# and pebble, which need a Go that Debian 12 does not have.
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
