#!/usr/bin/env bash
# Follows deploy/one-node.md from top to bottom under a systemd of its own: runs the commands of the page as they are, and checks
# what the page promises of restarts, crashes, stops, backups and a restore.
#
#   deploy/systemd/trial.sh [FOLDER]
#
# Needs root, Linux namespaces, a cgroup2 hierarchy, debootstrap, and the archives of Debian and npm. The system (Debian 12, 1.5 GiB)
# is made in FOLDER (default /var/cache/waymark-systemd) with this machine's Node, and a second run uses it again. The
# first run takes about ten minutes, a later one five. systemd runs as PID 1 of namespaces without a network, so no port of this
# machine is used. The trial leaves nothing but the folder. ClickHouse complains that its cgroup has no memory file: there are no
# controllers in it.
set -euo pipefail
cd "$(dirname "$0")/../.."

root=${1:-/var/cache/waymark-systemd}
page=deploy/one-node.md
work=$(mktemp -d)
cgroup=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)/waymark-trial
launcher=

say() { printf '\n== %s\n' "$*"; }

finish() {
  # All processes of the namespace end with its first one.
  [ -z "$launcher" ] || kill -KILL "$(pgrep -P "$launcher")" 2>/dev/null || true
  wait 2>/dev/null || true
  find "$cgroup" -depth -type d -exec rmdir {} + 2>/dev/null || true
  rm -rf "$work"
}
trap finish EXIT

make_system() {
  [ ! -e "$root/ready" ] || return 0
  local packages=systemd,systemd-sysv,dbus,ca-certificates,procps,curl,git,openssl,iproute2,nginx-light
  debootstrap --variant=minbase --include=$packages bookworm "$root" "${DEBIAN_MIRROR:-http://deb.debian.org/debian}" \
    >"$work/debootstrap" || { tail -20 "$work/debootstrap" >&2 && return 1; }
  install "$(readlink -f "$(command -v node)")" "$root/usr/bin/node"
  mkdir -p "$root/usr/lib/node_modules"
  cp -r "$(dirname "$(dirname "$(readlink -f "$(command -v npm)")")")" "$root/usr/lib/node_modules/"
  printf '#!/bin/sh\nexec /usr/bin/node /usr/lib/node_modules/npm/bin/npm-cli.js "$@"\n' >"$root/usr/bin/npm"
  chmod +x "$root/usr/bin/npm"
  # The page lets nginx be configured by hand.
  rm -f "$root/etc/systemd/system/multi-user.target.wants/nginx.service"
  touch "$root/ready"
}

# Makes the file systems that an init expects, and becomes it.
boot='
  root=$1
  mount --make-rprivate / && mount --bind "$root" "$root"
  mount -t proc proc "$root/proc" && mount -t sysfs -o ro sysfs "$root/sys"
  mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup"
  mount -t tmpfs -o mode=755 tmpfs "$root/dev" && mount -t tmpfs -o mode=755 tmpfs "$root/run"
  mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
  for node in null:3 zero:5 full:7 random:8 urandom:9; do mknod -m 666 "$root/dev/${node%:*}" c 1 "${node#*:}"; done
  mkdir "$root/dev/pts" "$root/dev/shm" && mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
  mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts" && ln -s pts/ptmx "$root/dev/ptmx"
  for link in fd:fd stdin:fd/0 stdout:fd/1 stderr:fd/2; do ln -s "/proc/self/${link#*:}" "$root/dev/${link%:*}"; done
  cd "$root" && mkdir -p old && pivot_root . old && umount -l old
  exec env -i container=trial PATH=/usr/sbin:/usr/bin:/sbin:/bin /lib/systemd/systemd
'

start_systemd() {
  : >"$root/etc/machine-id"
  cp /etc/resolv.conf "$root/etc/"
  : >"$root/root/authorities.pem"
  [ -z "${NODE_EXTRA_CA_CERTS:-}" ] || cp "$NODE_EXTRA_CA_CERTS" "$root/root/authorities.pem"
  mkdir -p "$cgroup"
  # shellcheck disable=SC2016
  setsid sh -c 'echo $$ >"$1/cgroup.procs"; shift; exec unshare --mount --pid --net --uts --ipc --cgroup --fork "$@"' \
    sh "$cgroup" sh -ec "$boot" init "$root" </dev/null >"$work/console" 2>&1 &
  launcher=$!
  for _ in $(seq 120); do
    sleep 0.5
    kill -0 "$launcher" 2>/dev/null || { cat "$work/console" >&2 && return 1; }
    inside systemctl is-system-running 2>/dev/null | grep -q running && return 0
  done
  echo 'systemd does not come up' >&2 && return 1
}

# Runs a command in the system; with `--network` in this machine's network.
inside() {
  local network=--net authorities=
  [ "$1" != --network ] || { network='' authorities=NODE_EXTRA_CA_CERTS=/root/authorities.pem && shift; }
  # shellcheck disable=SC2086
  nsenter --target "$(pgrep -P "$launcher")" --mount --pid --uts --ipc --cgroup $network \
    env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin REPOSITORY=/root/repository \
    $authorities "$@"
}

# Prints a block of commands of the page: the Nth one below a heading.
block() {
  awk -v heading="## $1" -v wanted="$2" -v language="${3:-sh}" '
    /^## / { here = $0 == heading }
    here && $0 == "```" language { number += 1; inBlock = number == wanted; next }
    /^```$/ { inBlock = 0 }
    inBlock' "$page" | grep . || { echo "$page has no such block: $*" >&2 && return 1; }
}

# Runs commands as the page has them, and stops at the first one that fails. `token` is that of the settings.
follow() {
  local network=()
  [ "$1" != --network ] || { network=(--network) && shift; }
  say "$page: $*"
  {
    echo 'set -e; [ ! -e /etc/waymark/waymark.env ] || token=$(sed -n s/^BOOTSTRAP_TOKEN=//p /etc/waymark/waymark.env)'
    block "$@"
  } >"$root/root/block.sh"
  inside "${network[@]}" bash /root/block.sh
}

expect() { [ "$2" = "$3" ] || { echo "$1: expected $2, got $3" >&2 && exit 1; }; }
visit() { inside curl -sS -o /dev/null -w '%{http_code} %{redirect_url}' -H 'Host: demo.localhost' http://127.0.0.1/hello; }
expect_served() { expect "$1" '301 https://example.com/hello' "$(visit)"; }
until_ready() { inside curl -fs --retry 60 --retry-delay 1 --retry-all-errors http://127.0.0.1:3000/readyz >/dev/null; }

# Visitors during a command must all be redirected.
under_traffic() {
  local name=$1 && shift
  inside bash -c 'rm -f /root/end; while [ ! -e /root/end ]; do curl -sS -o /dev/null -w "%{http_code}\n" --max-time 10 \
    -H "Host: demo.localhost" http://127.0.0.1:8080/hello 2>&1; sleep 0.05; done' >"$work/visits" &
  local traffic=$!
  "$@"
  until_ready
  inside touch /root/end
  wait "$traffic"
  echo "$name: $(sort "$work/visits" | uniq -c | tr '\n' ' ')"
  expect "$name" 301 "$(sort -u "$work/visits" | tr '\n' ' ' | xargs)"
}

crash() { inside bash -c 'kill -9 "$(systemctl show -p MainPID --value waymark)"' && sleep 1; }

make_system
start_systemd
inside systemctl --version | head -1

rm -rf "$root/opt/waymark" "$root/etc/waymark" "$root/var/lib/waymark" "$root/var/backups/waymark" "$root/root/repository"
inside userdel waymark 2>/dev/null || true
git clone -q --bare . "$root/root/repository"
inside git config --global safe.directory '*'
follow --network Install 1
follow Settings 1
follow Start 1
inside systemd-analyze verify /etc/systemd/system/waymark.service /etc/systemd/system/waymark-backup.service
inside systemd-analyze security --no-pager waymark.service | tail -1

say "$page: nginx"
inside bash -c 'install -d /etc/waymark/tls; for name in redirects api; do openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 \
  -nodes -keyout /etc/waymark/tls/$name.key -out /etc/waymark/tls/$name.pem -subj /CN=api.example.com \
  -addext subjectAltName=DNS:api.example.com -days 2 2>/dev/null; done'
block TLS 1 nginx >"$root/etc/nginx/nginx.conf"
inside systemctl restart nginx
follow TLS 2
for _ in $(seq 50); do [ "$(visit)" = '301 https://example.com/hello' ] && break || sleep 0.2; done
expect_served 'through nginx'

say 'restart, crash and stop'
under_traffic restart inside systemctl restart waymark
under_traffic 'crash of the main process' crash
follow Backup 1
for _ in 1 2 3 4; do inside systemctl start waymark-backup.service; done
inside systemctl stop waymark
expect_served 'after the stop, by the workers'
follow Restore 1
until_ready
expect_served 'after the restore'
follow 'Start' 2
for _ in $(seq 150); do inside pgrep -u waymark >/dev/null || break; sleep 0.1; done
expect 'processes after the end of everything' '' "$(inside pgrep -u waymark || true)"
say 'the trial has succeeded'
