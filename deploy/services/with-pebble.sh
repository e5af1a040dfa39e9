#!/usr/bin/env bash
# Runs a command with pebble and pebble-challtestsrv, the test authority of Let's Encrypt and its name server. PEBBLE_BIN
# names the folder of both programs. Tests start them on free ports.
#
#   deploy/services/with-pebble.sh COMMAND [ARGUMENT…]
#
# Needs Go 1.22 or newer the first time, which builds them into ${XDG_CACHE_HOME:-~/.cache}/waymark. Set PEBBLE_BIN
# to use an existing folder. Without such a Go (Debian 12 has none) the command runs without PEBBLE_BIN and the last
# line says so. A build that fails is an error if REQUIRE_SERVICES=1.
set -euo pipefail
. "$(dirname "$0")/server-tools.bash"

version=v2.10.1
bin=${PEBBLE_BIN:-${XDG_CACHE_HOME:-$HOME/.cache}/waymark/pebble-$version}

# The folder appears under its name with the programs in it or not at all.
build() {
  local unfinished commands=github.com/letsencrypt/pebble/v2/cmd
  mkdir -p "$(dirname "$bin")"
  unfinished=$(mktemp -d "$bin.XXXXXX")
  if GOBIN=$unfinished go install "$commands/pebble@$version" "$commands/pebble-challtestsrv@$version" >&2; then
    # Another process may have been faster.
    [ -d "$bin" ] || mv -T "$unfinished" "$bin" 2>/dev/null || true
  fi
  rm -rf "$unfinished"
  [ -x "$bin/pebble" ] && [ -x "$bin/pebble-challtestsrv" ]
}

if [ ! -x "$bin/pebble" ]; then
  has_go || run_without 'pebble is not there, nor Go 1.22 or newer to build it' "$@"
  build || without_server "pebble $version could not be built by Go" "$@"
fi

PEBBLE_BIN=$bin "$@"
