#!/bin/sh
# Starts the role that is named; Node takes the place of this shell, so that signals reach it.
set -eu

case "${1:-}" in
  controlplane | dataplane | ingest)
    role=$1
    shift
    exec node "/app/dist/deploy/roles/$role.js" "$@"
    ;;
  cluster-ddl)
    shift
    exec node /app/dist/controlplane/storage/clickhouse/print-cluster-ddl.js "$@"
    ;;
  *)
    echo 'this image takes one of: controlplane, dataplane, ingest, cluster-ddl CLUSTER' >&2
    exit 64
    ;;
esac
