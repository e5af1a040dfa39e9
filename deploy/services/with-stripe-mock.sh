#!/usr/bin/env bash
# Runs a command with stripe-mock on a free port of the loopback, reachable through STRIPE_MOCK_URL. stripe-mock has
# Stripe's published OpenAPI document and refuses requests that do not match it. It ends with the command, even if the
# command fails.
#
#   deploy/services/with-stripe-mock.sh COMMAND [ARGUMENT…]
#
# Needs Go 1.22 or newer the first time, which builds it into ${XDG_CACHE_HOME:-~/.cache}/waymark. Debian 12's Go
# is too old, and the product needs no Go. Without a new enough Go, or if it cannot fetch the source, the command runs
# without STRIPE_MOCK_URL and the last line says so, also if REQUIRE_SERVICES=1.
set -euo pipefail
. "$(dirname "$0")/server-tools.bash"

version=v0.203.0
bin=${XDG_CACHE_HOME:-$HOME/.cache}/waymark/stripe-mock-$version

# The folder appears under its name with the program in it or not at all.
build() {
  local unfinished
  mkdir -p "$(dirname "$bin")"
  unfinished=$(mktemp -d "$bin.XXXXXX")
  if GOBIN=$unfinished go install "github.com/stripe/stripe-mock@$version" >&2; then
    # Another process was faster and built the same.
    [ -d "$bin" ] || mv -T "$unfinished" "$bin" 2>/dev/null || true
  fi
  rm -rf "$unfinished"
  [ -x "$bin/stripe-mock" ]
}

if [ ! -x "$bin/stripe-mock" ]; then
  has_go || run_without 'stripe-mock is not there, nor Go 1.22 or newer to build it' "$@"
  build || run_without "stripe-mock $version could not be built by Go" "$@"
fi

folder=$(mktemp -d)
server=0
trap 'end_server "$server" "$folder"' EXIT
trap 'exit 130' INT TERM
port=$(free_ports 1)
"$bin/stripe-mock" -http-addr "127.0.0.1:$port" >"$folder/log" 2>&1 &
server=$!
until_listening "$port" "$server" "$folder/log"

STRIPE_MOCK_URL="http://127.0.0.1:$port" "$@"
