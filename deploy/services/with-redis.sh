#!/usr/bin/env bash
# Runs a command with a temporary Redis server: nothing on disk, on a free port of the loopback, reachable through
# REDIS_URL. The server ends with the command, even if the command fails.
#
#   deploy/services/with-redis.sh COMMAND [ARGUMENT…]
#
# Needs redis-server (Debian: redis-server). Without it: exit 1 if REQUIRE_SERVICES=1, else the command runs without
# REDIS_URL and the last line says so.
set -euo pipefail
. "$(dirname "$0")/server-tools.bash"

command -v redis-server >/dev/null ||
  without_server 'Redis is not installed (Debian: apt-get install redis-server)' "$@"

folder=$(mktemp -d)
port=$(free_ports 1)
redis-server --port "$port" --bind 127.0.0.1 --dir "$folder" --save '' --appendonly no >"$folder/log" 2>&1 &
server=$!
trap 'end_server "$server" "$folder"' EXIT
trap 'exit 130' INT TERM
until_listening "$port" "$server" "$folder/log"

REDIS_URL="redis://127.0.0.1:$port" "$@"
