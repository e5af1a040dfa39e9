#!/usr/bin/env bash
# Follows deploy/many-nodes.md from top to bottom on three nodes, each with its own systemd: `control` has the servers, the
# proxy, the control plane and ingest, `plane-1` and `plane-2` a data plane each. It restarts, kills, upgrades and takes back each
# role while visitors are served through HAProxy, restores PostgreSQL, and compares the visits with the hits in the statistics.
#
#   deploy/systemd/many-nodes-trial.sh [FOLDER]
#
# Needs what one-node-trial.sh needs, and Kafka's jars, which deploy/services/with-kafka.sh fetches. PostgreSQL, Redis and HAProxy are
# those of Debian 12. ClickHouse's engine behind its HTTP interface replaces a ClickHouse server.
set -euo pipefail
cd "$(dirname "$0")/../.."
cache=${1:-/var/cache/waymark-systemd}
page=deploy/many-nodes.md
. deploy/systemd/trial.bash

url=http://10.9.0.1/hello
jars=$(deploy/services/with-kafka.sh sh -c 'echo "$KAFKA_LIBS"')

# connect NAME ADDRESS : gives a node an address in the network of the trial, whose bridge is on `control`.
connect() {
  local bridge=10.9.0.1 enter
  enter=(nsenter --target "$(init_of control)" --net ip link)
  if [ "$1" = control ]; then
    "${enter[@]}" add bridge type bridge
    on control sh -c "ip address add $bridge/24 dev bridge && ip link set bridge up"
  else
    "${enter[@]}" add "$1" type veth peer name eth0 netns "$(init_of "$1")"
    "${enter[@]}" set "$1" master bridge up
    on "$1" sh -c "ip address add $2/24 dev eth0 && ip link set eth0 up"
  fi
  on "$1" sh -c 'printf "%s\n" "127.0.0.1 localhost" "10.9.0.1 db redis kafka clickhouse control-plane proxy" "10.9.0.2 plane-1" \
    "10.9.0.3 plane-2" >/etc/hosts'
}

start_servers() {
  on control sh -c "cd /etc/postgresql/15/main && echo \"listen_addresses = '*'\" >>postgresql.conf &&
    echo 'host all all 10.9.0.0/24 scram-sha-256' >>pg_hba.conf"
  on control systemctl start postgresql
  until_true 60 on control runuser -u postgres -- psql -qc "CREATE ROLE waymark LOGIN PASSWORD 'PASSWORD'" \
    -c 'CREATE DATABASE waymark OWNER waymark'
  on control sh -c 'printf "%s\n" "bind 0.0.0.0" "requirepass PASSWORD" "maxmemory-policy noeviction" "save \"\"" >>/etc/redis/redis.conf'
  on control systemctl start redis-server
  on control mkdir -p /var/lib/kafka /usr/share/kafka
  tar -C "$jars" -c . | on control tar -C /usr/share/kafka -x
  put control /var/lib/kafka/server.properties <<'PROPERTIES'
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:9093
listeners=PLAINTEXT://0.0.0.0:9092,CONTROLLER://127.0.0.1:9093
advertised.listeners=PLAINTEXT://kafka:9092
controller.listener.names=CONTROLLER
listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT
log.dirs=/var/lib/kafka/logs
offsets.topic.replication.factor=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
auto.create.topics.enable=false
PROPERTIES
  on control java -cp '/usr/share/kafka/*' kafka.tools.StorageTool format --cluster-id AAAAAAAAAAAAAAAAAAAAAA \
    -c /var/lib/kafka/server.properties >/dev/null
  on control systemd-run --quiet --unit=kafka java -Xmx384m -cp '/usr/share/kafka/*' kafka.Kafka /var/lib/kafka/server.properties
  on control systemd-run --quiet --unit=clickhouse /usr/bin/node \
    /opt/waymark/current/dist/deploy/faults/servers/clickhouse-endpoint.fixture.js /var/lib/clickhouse /run/clickhouse.port
  until_true 60 on control test -s /run/clickhouse.port
  until_true 60 on control bash -c 'exec 3<>/dev/tcp/kafka/9092' 2>/dev/null
}

ask() { on control curl -fsS -H "Authorization: Bearer $token" "http://127.0.0.1:3000$1"; }
ready() { on "$1" curl -fs --retry 60 --retry-delay 1 --retry-all-errors "http://127.0.0.1:$2/readyz" >/dev/null; }
declare -A homes=([controlplane]='control 3000' [ingest]='control 9091' [dataplane-1]='plane-1 9090' [dataplane-2]='plane-2 9090')

# systemctl_of ROLE COMMAND… : runs systemctl for the unit of a role, and waits for the role. `dataplane-1` is that of plane-1.
systemctl_of() {
  local role=$1 home
  shift
  read -ra home <<<"${homes[$role]}"
  on "${home[0]}" systemctl "$@" "waymark-${role%-[12]}"
  # A killed process must disappear before its successor can be queried.
  sleep 1
  ready "${home[@]}"
}
visit() { on control curl -sS -o /dev/null -w '%{http_code} %{redirect_url}' -H 'Host: demo.localhost' $url; }
is_served() { [ "$(visit)" = '301 https://example.com/hello' ]; }
recorded() { ask "/analytics/redirect/$id/stats/basic" | grep -o '"delivery":{[^}]*}' || true; }
all_counted() { recorded | grep -q "\"delivered\":$visits,"; }
# Checks that the statistics have exactly one hit for every visit.
expect_counted() {
  until_true 90 all_counted || true
  expect 'visits and hits' "\"delivery\":{\"recorded\":$visits,\"delivered\":$visits,\"duplicated\":0,\"lost\":0}" "$(recorded)"
  recorded
}
# The version that the role printed at its last start.
version_of() {
  local home
  read -ra home <<<"${homes[$1]}"
  on "${home[0]}" journalctl --unit="waymark-${1%-[12]}" --no-pager --output=cat | sed -n 's/^version //p' | tail -1
}
expect_versions() {
  local role
  for role in $upgrade_order; do expect "version of $role" "$1" "$(version_of "$role")"; done
}
# switch VERSION ROLE… : follows the page on the nodes of the roles, one after another.
switch() {
  local version=$1 role home
  shift
  for role in "$@"; do
    read -ra home <<<"${homes[$role]}"
    edit=s/NEW/$version/ follow "${home[0]}" 'Upgrade and rollback' 1
    ready "${home[@]}"
  done
}
# On `control` one command restarts both roles.
upgrade_order='controlplane ingest dataplane-1 dataplane-2'
return_order='dataplane-2 dataplane-1 ingest controlplane'

make_system
say 'one machine is installed as on one-node.md; the nodes begin as copies of it'
start_node installed "$cache"
give_sources installed
page=deploy/one-node.md network=machine follow installed Install 1
on installed cp -a /opt/waymark/0.1.0 /opt/waymark/0.2.0
# The versions differ only in a line of the log.
for version in 0.1.0 0.2.0; do
  on installed sh -c 'cd "/opt/waymark/$0/dist/deploy/roles" && sed -i "1i console.error(\"version $0\");" controlplane.js dataplane.js ingest.js' $version
done
stop_node installed
for name in control plane-1 plane-2; do start_node $name "$(layer installed)" "$cache"; done
connect control 10.9.0.1
connect plane-1 10.9.0.2
connect plane-2 10.9.0.3
start_servers
{ read -r key && read -r token; } < <(block Settings 1 | on control bash)

# The engine that replaces ClickHouse has neither users nor separate databases.
clickhouse=http://default:@127.0.0.1:$(on control cat /run/clickhouse.port)/default
fill="s#=KEY#=$key#;s#=TOKEN#=$token#;s#http://waymark:PASSWORD@clickhouse:8123/waymark#$clickhouse#;s#192.0.2.10#10.9.0.1#"
edit=$fill follow control Settings 2
edit=$fill follow control Settings 3
for name in plane-1 plane-2; do edit=$fill follow $name Settings 4; done
follow control Start 1
follow control Start 2
for name in plane-1 plane-2; do follow $name Start 3; done
for unit in controlplane ingest; do on control systemd-analyze verify "/etc/systemd/system/waymark-$unit.service"; done
on plane-1 systemd-analyze verify /etc/systemd/system/waymark-dataplane.service

block Proxy 1 haproxy | put control /etc/haproxy/haproxy.cfg
on control systemctl restart haproxy
on control sh -c 'echo ALLOW_LOCALHOST_DOMAINS=on >>/etc/waymark/controlplane.env; systemctl restart waymark-controlplane'
ready control 3000
edit=$fill follow control Start 4
edit=$fill follow control Proxy 1
until_true 10 is_served
id=$(ask /redirects | grep -o '"id":"[a-z0-9]*"' | sed -n '1s/.*:"\(.*\)"/\1/p')
# Visits before the data planes had the redirect do not count.
counted() { recorded | sed -n 's/.*"delivered":\([0-9]*\).*/\1/p'; }
first_is_counted() { visits=$(counted) && [ "${visits:-0}" -ge 1 ]; }
until_true 60 first_is_counted
# A second visit may be on its way.
sleep 10
visits=$(counted)

for role in $upgrade_order; do
  say "restart and crash of $role"
  under_traffic control $url "restart of $role" systemctl_of "$role" restart
  under_traffic control $url "crash of $role" systemctl_of "$role" kill --signal=SIGKILL --kill-whom=main
done
expect_counted

say 'upgrade and the way back'
for role in $upgrade_order; do under_traffic control $url "upgrade of $role" switch 0.2.0 "$role"; done
expect_versions 0.2.0
for role in $return_order; do under_traffic control $url "way back of $role" switch 0.1.0 "$role"; done
expect_versions 0.1.0
expect_counted

say 'PostgreSQL goes back to its dump'
follow control 'Backup and restore' 1
add='{"fromDomain":"later.localhost","toDomain":"https://example.com"}'
on control curl -fsS -o /dev/null http://127.0.0.1:3000/add-redirect -H "Authorization: Bearer $token" -H 'Content-Type: application/json' -d "$add"
later() { on control curl -sS -o /dev/null -w '%{http_code}' -H 'Host: later.localhost' $url; }
has_later() { [ "$(later)" = "$1" ]; }
until_true 10 has_later 301
under_traffic control $url restore follow control 'Backup and restore' 2
until_true 30 has_later 404
on control journalctl -u waymark-controlplane --no-pager --output cat | grep -o '"msg":"[^"]*a new epoch begins' | tail -1
expect_counted

say 'what production.md says of Redis, epochs and workers'
epochs() { on control journalctl -u waymark-controlplane --no-pager --output cat | grep -c 'an operator began a new epoch' || true; }
under_traffic control $url 'removal of the ruleset in Redis' on control redis-cli --no-auth-warning -a PASSWORD del waymark:ruleset:snapshot
before=$(epochs)
under_traffic control $url 'new epoch' on control curl -fsS -X POST http://127.0.0.1:3000/admin/new-epoch -H "Authorization: Bearer $token"
expect 'epochs that an operator began' $((before + 1)) "$(epochs)"
on control sh -c 'cd / && runuser -u postgres -- psql -qd waymark -c "CREATE EXTENSION IF NOT EXISTS pg_trgm" -c "CREATE EXTENSION IF NOT EXISTS btree_gin"'
page=deploy/production.md follow plane-1 'Restarts without refused visits' 1
expect tcp_migrate_req 1 "$(on plane-1 cat /proc/sys/net/ipv4/tcp_migrate_req)"
workers() { on plane-1 sh -c 'pgrep -P "$(systemctl show -p MainPID --value waymark-dataplane)" | sort | xargs'; }
before=$(workers)
are_new() { [ "$(workers | wc -w)" -ge 2 ] && [ -z "$(comm -12 <(xargs -n1 <<<"$before") <(workers | xargs -n1))" ]; }
replace_workers() { on plane-1 systemctl kill --kill-whom=main --signal=SIGUSR2 waymark-dataplane && until_true 60 are_new; }
under_traffic control $url 'replacement of the workers' replace_workers
expect_counted

say 'a data plane is switched off and on'
leave() { page=deploy/many-nodes.md follow plane-2 'Limits and stops' 1 && until_true 20 is_left; }
is_left() { ! on plane-2 pgrep -u waymark >/dev/null; }
under_traffic control $url 'stop of dataplane-2 and its workers' leave
under_traffic control $url 'start of dataplane-2' systemctl_of dataplane-2 start
expect_counted

say 'both roles of the control node become the one-command product, and roles again'
product() { edit=$fill follow control 'Without a ClickHouse server' 1; }
roles() { follow control 'Without a ClickHouse server' 2 && ready control 9091; }
under_traffic control $url 'change to the one-command product' product
# The statistics in the server stay there, and the product begins new ones. Each counts the hits of the other as lost.
delivered=0
is_steady() {
  local last=$delivered
  sleep 5
  delivered=$(counted)
  [ "${delivered:-0}" -ge 1 ] && [ "$delivered" = "$last" ]
}
until_true 90 is_steady
recorded
in_product=$delivered
before=$visits
under_traffic control $url 'change to the roles' roles
until_true 90 is_steady
recorded
recorded | grep -q "\"recorded\":$visits,.*\"duplicated\":0," || { echo "not all of $visits visits are recorded once" >&2 && exit 1; }
# The product stored some visits of the last change before it stopped.
missing=$((visits - delivered - in_product))
[ "$missing" -ge 0 ] && [ "$missing" -le $((visits - before)) ] || { echo "$missing hits are neither here nor there" >&2 && exit 1; }
echo "of $visits visits, the server has $delivered and the product had $in_product before the change back"

say "all $visits visits were redirected; the trial has succeeded"
