#!/bin/sh
# Starts the named role. Node replaces this shell, so signals reach it.
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
