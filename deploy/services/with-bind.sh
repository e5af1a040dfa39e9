#!/usr/bin/env bash
# Runs a command with NAMED, which names the program of BIND 9. Tests start it on free ports, with their own zones.
#
#   deploy/services/with-bind.sh COMMAND [ARGUMENT…]
#
# Needs BIND 9 and nsupdate (Debian: bind9, bind9-dnsutils). Without them: exit 1 if REQUIRE_SERVICES=1, else the command runs
# without NAMED and the last line says so.
set -euo pipefail
. "$(dirname "$0")/server-tools.bash"

named=$(PATH=$PATH:/usr/sbin command -v named || true)
if [ -z "$named" ] || ! command -v nsupdate >/dev/null; then
  without_server 'BIND 9 is not installed (Debian: apt-get install bind9 bind9-dnsutils)' "$@"
fi

NAMED=$named "$@"
