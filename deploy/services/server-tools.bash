# Functions of the with-… scripts, which source this file.

# without_server MESSAGE COMMAND… : handles a server that is not installed. Ends the script with 1 if REQUIRE_SERVICES=1.
# Otherwise runs the command without the server, prints MESSAGE as the last line, and exits with the command's code.
without_server() {
  if [ "${REQUIRE_SERVICES:-0}" = 1 ]; then
    echo "$1" >&2
    exit 1
  fi
  run_without "$@"
}

# run_without MESSAGE COMMAND… : runs the command, prints MESSAGE as the last line, and exits with the command's code.
run_without() {
  local message=$1 status=0
  shift
  "$@" || status=$?
  echo "skipped: $message"
  exit "$status"
}

# free_ports N : prints N free ports of the loopback on one line.
free_ports() {
  node -e '
    const net = require("node:net");
    const servers = Array.from({ length: Number(process.argv[1]) }, () => net.createServer().listen(0, "127.0.0.1"));
    Promise.all(servers.map((s) => new Promise((r) => s.once("listening", r)))).then(() => {
      console.log(servers.map((s) => s.address().port).join(" "));
      for (const s of servers) s.close();
    });' "$1"
}

# until_listening PORT PID LOG : waits up to 60 s for the server; fails with its log when it ends or takes longer.
until_listening() {
  local port=$1 pid=$2 log=$3 ends=$((SECONDS + 60))
  until (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do
    if ! kill -0 "$pid" 2>/dev/null || [ "$SECONDS" -gt "$ends" ]; then
      echo 'the server did not start; it said:' >&2
      tail -n 20 "$log" >&2
      return 1
    fi
    sleep 0.05
  done
}

# end_server PID FOLDER : kills the server and removes its folder. PID 0 means that it was not started.
end_server() {
  if [ "$1" != 0 ]; then
    kill -KILL "$1" 2>/dev/null || true
    wait "$1" 2>/dev/null || true
  fi
  rm -rf "$2"
}

# has_go : whether Go 1.22 or newer is installed. It says "go version go1.22.1 linux/amd64".
has_go() {
  command -v go >/dev/null && go version | grep -Eq ' go(1\.(2[2-9]|[3-9][0-9])|[2-9])'
}
