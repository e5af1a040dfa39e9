#!/usr/bin/env bash
# Tests the API of the running product against its OpenAPI document with schemathesis: examples, coverage, fuzzing, and
# sequences of requests that use the ids of earlier answers. Installs schemathesis into a virtual environment, once. Needs
# a build in dist/ and Python 3.10 or newer with venv. Exits with 77, without a test, if it cannot be installed.
# The seed and the number of examples are fixed, and there is one worker, so that a run can be repeated.
set -euo pipefail
cd "$(dirname "$0")/.."

version=4.32.5
min_cases=${SCHEMATHESIS_MIN_CASES:-5000}
examples=${SCHEMATHESIS_EXAMPLES:-8}
seed=${SCHEMATHESIS_SEED:-1}
token=wm_schemathesis0123456789schemathesis0123456789

not_run() {
  echo "schemathesis is not run: $1"
  exit 77
}
python3 -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))' 2>/dev/null ||
  command -v uv >/dev/null || not_run 'it needs Python 3.10 or newer with venv'

# install : adds only complete installations to the cache.
install() {
  local made
  made=$(mktemp -d "$cache.XXXXXX") || return
  if make_environment "$made"; then
    rm -rf "$cache"
    mv "$made" "$cache"
  else
    rm -rf "$made"
    return 1
  fi
}
make_environment() {
  if command -v uv >/dev/null; then
    uv venv --quiet --allow-existing "$1" && uv pip install --quiet --python "$1/bin/python" "schemathesis==$version"
  else
    python3 -m venv "$1" && "$1/bin/python" -m pip install --quiet --disable-pip-version-check "schemathesis==$version"
  fi
}

cache=${XDG_CACHE_HOME:-$HOME/.cache}/waymark/schemathesis-$version
mkdir -p "$(dirname "$cache")"
"$cache/bin/python" -c 'import schemathesis' 2>/dev/null || install || not_run 'it could not be installed'

folder=$(mktemp -d)
product=
stop() {
  if [ -n "$product" ]; then
    kill "$product" 2>/dev/null || true
    wait "$product" 2>/dev/null || true
  fi
  rm -rf "$folder"
}
trap stop EXIT
trap 'exit 130' INT TERM

env -i PATH="$PATH" HOME="$HOME" DATA_DIR="$folder/data" API_HOST=127.0.0.1 API_PORT=0 REDIRECT_HOST=127.0.0.1 \
  REDIRECT_PORT=0 ADMIN_PORT=0 LOG_LEVEL=error RATE_LIMIT_MULTIPLIER=100000 DEFAULT_PLAN=business \
  DNS_SERVERS=127.0.0.1:1 CORS_ORIGINS=https://dashboard.example.com BOOTSTRAP_EMAIL=schemathesis@example.com \
  BOOTSTRAP_TOKEN=$token node dist/deploy/standalone/main.js >"$folder/product.log" 2>&1 &
product=$!
for _ in $(seq 240); do
  grep -q 'Stop with Ctrl-C' "$folder/product.log" && break
  if ! kill -0 "$product" 2>/dev/null; then
    cat "$folder/product.log"
    exit 1
  fi
  sleep 0.5
done
address=$(sed -n 's/^  API  *//p' "$folder/product.log")

# Excludes operations that would delete the token or the account of the other requests, and those that need a signature.
status=0
settings=$PWD/.ci/schemathesis
# schemathesis keeps failures in its working directory, and would repeat them in later runs.
cd "$folder"
SCHEMATHESIS_HOOKS=hooks PYTHONPATH=$settings "$cache/bin/python" -m schemathesis.cli \
  --config-file "$settings/schemathesis.toml" run "$address/openapi.json" \
  --header "Authorization: Bearer $token" --phases examples,coverage,fuzzing,stateful \
  --max-examples "$examples" --seed "$seed" --workers 1 --continue-on-failure --no-color --no-shrink \
  --generation-database none \
  --exclude-path-regex '^/(auth/(tokens/|user|sessions?|password)|admin/|internal/|webhooks/stripe)' \
  >"$folder/report.txt" 2>&1 || status=$?
cut -c 1-2000 "$folder/report.txt"
[ "$status" -eq 0 ] || exit "$status"
cases=$(sed -n 's/^ *\([0-9]*\) generated.*/\1/p' "$folder/report.txt" | tail -n 1)
if [ "${cases:-0}" -lt "$min_cases" ]; then
  echo "schemathesis ran ${cases:-0} cases; $min_cases are wanted"
  exit 1
fi
