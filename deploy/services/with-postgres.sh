#!/usr/bin/env bash
# Runs a command with a temporary PostgreSQL server: a new cluster under a temporary folder, on a free port of
# the loopback, reachable through DATABASE_URL. The server ends with the command, even if the command fails.
#
#   deploy/services/with-postgres.sh COMMAND [ARGUMENT…]
#
# Needs PostgreSQL's server programs (Debian: postgresql). Without them: exit 1 if REQUIRE_SERVICES=1, else the
# command runs without DATABASE_URL and the last line says so.
set -euo pipefail
. "$(dirname "$0")/server-tools.bash"

bin=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1 || true)
if [ -z "$bin" ] || [ ! -x "$bin/initdb" ]; then
  without_server 'PostgreSQL is not installed (Debian: apt-get install postgresql)' "$@"
fi

folder=$(mktemp -d)
# The server refuses to run as root.
as_owner=()
if [ "$(id -u)" -eq 0 ]; then
  chown postgres "$folder"
  as_owner=(setpriv --reuid=postgres --regid=postgres --clear-groups env HOME="$folder")
fi
stop() {
  "${as_owner[@]}" "$bin/pg_ctl" --pgdata="$folder/data" --mode=immediate --silent stop >/dev/null 2>&1 || true
  rm -rf "$folder"
}
trap stop EXIT
trap 'exit 130' INT TERM

port=$(free_ports 1)
cd "$folder"
"${as_owner[@]}" "$bin/initdb" --pgdata="$folder/data" --username=waymark --auth=trust --encoding=UTF8 --no-sync >/dev/null
"${as_owner[@]}" "$bin/pg_ctl" --pgdata="$folder/data" --wait --silent --log="$folder/log" \
  --options="-c listen_addresses=127.0.0.1 -c port=$port -c unix_socket_directories=$folder -c fsync=off -c max_connections=200 -c track_commit_timestamp=on" start
cd "$OLDPWD"

DATABASE_URL="postgres://waymark@127.0.0.1:$port/postgres" "$@"
