#!/usr/bin/env bash
# Runs a command with a temporary Kafka broker: one node (KRaft) under a temporary folder, on free ports of the
# loopback, reachable through KAFKA_BROKERS. KAFKA_LIBS names the folder with its jars, for tests that start and kill
# their own brokers. The broker ends with the command, even if the command fails.
#
#   deploy/services/with-kafka.sh COMMAND [ARGUMENT…]
#
# Needs Java 17 and, the first time, Maven, which fetches the jars into ${XDG_CACHE_HOME:-~/.cache}/waymark. Set
# KAFKA_LIBS to use an existing folder. Without them: exit 1 if REQUIRE_SERVICES=1, else the command runs
# without KAFKA_BROKERS and the last line says so.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/server-tools.bash"

version=$(sed -n '/kafka_2.13/{n;s/.*<version>\(.*\)<\/version>.*/\1/p}' "$here/kafka/pom.xml")
libs=${KAFKA_LIBS:-${XDG_CACHE_HOME:-$HOME/.cache}/waymark/kafka-$version}

# The folder appears under its name with all jars in it or not at all.
fetch_jars() {
  local unfinished
  mkdir -p "$(dirname "$libs")"
  unfinished=$(mktemp -d "$libs.XXXXXX")
  if mvn -B -q -f "$here/kafka/pom.xml" dependency:copy-dependencies -DoutputDirectory="$unfinished" >&2; then
    # Another process was faster and created the same folder.
    [ -d "$libs" ] || mv -T "$unfinished" "$libs" 2>/dev/null || true
  fi
  rm -rf "$unfinished"
  [ -d "$libs" ]
}

command -v java >/dev/null ||
  without_server 'Java, which Kafka needs, is not installed (Debian: apt-get install openjdk-17-jre-headless)' "$@"
if [ ! -d "$libs" ]; then
  command -v mvn >/dev/null ||
    without_server 'Kafka is not there, nor Maven to fetch it (Debian: apt-get install maven)' "$@"
  fetch_jars || without_server "Kafka $version could not be fetched by Maven" "$@"
fi

folder=$(mktemp -d)
server=0
trap 'end_server "$server" "$folder"' EXIT
trap 'exit 130' INT TERM
read -r port controller_port < <(free_ports 2)
cat >"$folder/server.properties" <<PROPERTIES
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:$controller_port
listeners=PLAINTEXT://127.0.0.1:$port,CONTROLLER://127.0.0.1:$controller_port
advertised.listeners=PLAINTEXT://127.0.0.1:$port
controller.listener.names=CONTROLLER
listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT
log.dirs=$folder/logs
offsets.topic.replication.factor=1
offsets.topic.num.partitions=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
group.initial.rebalance.delay.ms=0
auto.create.topics.enable=false
PROPERTIES
cluster=$(node -p 'require("crypto").randomBytes(16).toString("base64url")')
java=(java -Xmx384m -cp "$libs/*")
"${java[@]}" kafka.tools.StorageTool format "--cluster-id=$cluster" -c "$folder/server.properties" >"$folder/log" 2>&1 ||
  { cat "$folder/log" >&2; exit 1; }
"${java[@]}" kafka.Kafka "$folder/server.properties" >>"$folder/log" 2>&1 &
server=$!
until_listening "$port" "$server" "$folder/log"

KAFKA_BROKERS="127.0.0.1:$port" KAFKA_LIBS=$libs "$@"
