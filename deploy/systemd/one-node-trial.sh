#!/usr/bin/env bash
# Follows deploy/one-node.md from top to bottom under its own systemd. Runs the commands of the page unchanged, and checks
# the promises about restarts, crashes, stops, backups, a restore, an upgrade and a downgrade.
#
#   deploy/systemd/one-node-trial.sh [FOLDER]
#
# Needs root, Linux namespaces, overlayfs, a cgroup2 hierarchy, debootstrap, and the archives of Debian and npm. The system (Debian
# 12, 2.5 GiB) is made in FOLDER (default /var/cache/waymark-systemd), and a second run uses it again. The first run takes about ten
# minutes, a later one five. The trial leaves nothing but the folder. ClickHouse complains that its cgroup has no memory file: there
# are no controllers in it.
set -euo pipefail
cd "$(dirname "$0")/../.."
cache=${1:-/var/cache/waymark-systemd}
page=deploy/one-node.md
. deploy/systemd/trial.bash

# `token` is that of the settings.
prelude='[ ! -e /etc/waymark/waymark.env ] || token=$(sed -n s/^BOOTSTRAP_TOKEN=//p /etc/waymark/waymark.env)'
url=http://127.0.0.1:8080/hello

visit() { on node curl -sS -o /dev/null -w '%{http_code} %{redirect_url}' -H 'Host: demo.localhost' http://127.0.0.1/hello; }
is_served() { [ "$(visit)" = '301 https://example.com/hello' ]; }
expect_served() { expect "$1" '301 https://example.com/hello' "$(visit)"; }
until_ready() { on node curl -fs --retry 60 --retry-delay 1 --retry-all-errors http://127.0.0.1:3000/readyz >/dev/null; }
ready_after() { "$@" && until_ready; }
crash() { on node bash -c 'kill -9 "$(systemctl show -p MainPID --value waymark)"' && sleep 1; }
# The version whose files the main process has open.
running_version() {
  on node bash -c 'grep -om1 "/opt/waymark/[0-9.]*/" "/proc/$(systemctl show -p MainPID --value waymark)/maps"'
}
redirects() {
  on node bash -c "$prelude"'; curl -fsS http://127.0.0.1:3000/redirects -H "Authorization: Bearer $token" | grep -o "[a-z]*\.localhost" | sort -u | xargs'
}
add_redirect() {
  on node bash -c "$prelude"'; curl -fsS -o /dev/null http://127.0.0.1:3000/add-redirect -H "Authorization: Bearer $token" \
    -H "Content-Type: application/json" -d "{\"fromDomain\":\"$1\",\"toDomain\":\"https://example.com\"}"' sh "$1"
}

make_system
start_node node "$cache"
on node systemctl --version | head -1
give_sources node
network=machine follow node Install 1
follow node Settings 1
follow node Start 1
on node systemd-analyze verify /etc/systemd/system/waymark.service /etc/systemd/system/waymark-backup.service
on node systemd-analyze security --no-pager waymark.service | tail -1

say "$page: nginx"
on node bash -c 'install -d /etc/waymark/tls; for name in redirects api; do openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 \
  -nodes -keyout /etc/waymark/tls/$name.key -out /etc/waymark/tls/$name.pem -subj /CN=api.example.com \
  -addext subjectAltName=DNS:api.example.com -days 2 2>/dev/null; done'
block TLS 1 nginx | put node /etc/nginx/nginx.conf
on node systemctl restart nginx
follow node TLS 2
until_true 10 is_served

say 'restart and crash'
under_traffic node $url restart ready_after on node systemctl restart waymark
under_traffic node $url 'crash of the main process' ready_after crash

say 'the timer makes a backup by itself'
follow node Backup 1
# Simulates a machine that was off at 3 o'clock in the last two nights.
on node systemctl stop waymark-backup.timer
on node touch --date='2 days ago' /var/lib/systemd/timers/stamp-waymark-backup.timer
on node install -d /etc/systemd/system/waymark-backup.timer.d
printf '[Timer]\nRandomizedDelaySec=0\n' | put node /etc/systemd/system/waymark-backup.timer.d/trial.conf
on node systemctl daemon-reload
on node rm -f /var/backups/waymark/20*.tar.gz
on node systemctl start waymark-backup.timer
nightly() { on node sh -c 'ls /var/backups/waymark/20*.tar.gz 2>/dev/null'; }
until_true 120 nightly
on node systemctl list-timers --no-pager waymark-backup.timer
on node journalctl -u waymark-backup --no-pager --output cat -n 4

say 'its backup restores'
add_redirect later.localhost
expect 'before the restore' 'demo.localhost later.localhost' "$(redirects)"
edit="s#/var/backups/waymark/by-hand.tar.gz#$(nightly)#" follow node Restore 1
until_ready
until_true 10 is_served
expect 'after the restore' demo.localhost "$(redirects)"

say 'stop'
on node systemctl stop waymark
expect_served 'after the stop, by the workers'
on node systemctl start waymark
until_ready

say 'upgrade and the way back'
on node cp -a /opt/waymark/0.1.0 /opt/waymark/0.2.0
edit=s/NEW/0.2.0/ under_traffic node $url upgrade follow node 'Upgrade and rollback' 1
expect 'after the upgrade' /opt/waymark/0.2.0/ "$(running_version)"
edit=s/OLD/0.1.0/ under_traffic node $url 'way back' ready_after follow node 'Upgrade and rollback' 2
expect 'after the way back' /opt/waymark/0.1.0/ "$(running_version)"

say 'the way back with the data from before the upgrade'
edit=s/NEW/0.2.0/ follow node 'Upgrade and rollback' 1
add_redirect later.localhost
link_old() { block 'Upgrade and rollback' 2 | sed 's/OLD/0.1.0/;/systemctl/d' | on node bash; }
link_old
edit=s/by-hand/before-upgrade/ follow node Restore 1
until_ready
until_true 10 is_served
expect 'after the way back with a restore' '/opt/waymark/0.1.0/ demo.localhost' "$(running_version) $(redirects)"

say "$page: without nginx"
on node systemctl stop nginx
block TLS 1 | on node sh -c 'cat >>/etc/waymark/waymark.env'
# The trial reaches no certificate authority, so it can test only the ports.
ready_after on node systemctl restart waymark
until_true 30 is_served
on node bash -c 'exec 3<>/dev/tcp/127.0.0.1/443'
expect 'processes on ports 80 and 443' node "$(on node sh -c "ss -Hltnp '( sport = :80 or sport = :443 )' | grep -o '\"[a-z]*\"' | sort -u | tr -d '\"'")"

follow node Start 2
for _ in $(seq 150); do on node pgrep -u waymark >/dev/null || break; sleep 0.1; done
expect 'processes after the end of everything' '' "$(on node pgrep -u waymark || true)"
say 'the trial has succeeded'
