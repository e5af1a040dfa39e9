# Functions of the trials in this folder. They source this file from the root of the project, with `page` and `cache` set. A
# node is a systemd as PID 1 of its namespaces, on a layer over one Debian system. It has only the network of the trial, so it
# uses no port of this machine.

work=$(mktemp -d)
cgroups=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)/waymark-trial-$$
# The processes that hold the namespaces of each node.
declare -A launchers=()

say() { printf '\n== %s\n' "$*"; }

finish() {
  local status=$? name
  if [ "$status" != 0 ]; then
    for name in "${!launchers[@]}"; do on "$name" journalctl --no-pager --lines=40 --output=short >&2 || true; done
  fi
  for name in "${!launchers[@]}"; do stop_node "$name"; done
  # Ends the background job of a failed trial.
  [ -z "$(jobs -p)" ] || kill $(jobs -p) 2>/dev/null || true
  wait 2>/dev/null || true
  find "$cgroups" -depth -type d -exec rmdir {} + 2>/dev/null || true
  rm -rf "$work"
}
trap finish EXIT
trap 'exit 130' INT TERM

# Debian 12 with this machine's Node, and the servers that the pages name.
make_system() {
  [ ! -e "$cache/complete" ] || return 0
  local archive=${DEBIAN_MIRROR:-http://deb.debian.org/debian}
  local packages=systemd,systemd-sysv,dbus,ca-certificates,procps,curl,git,openssl,iproute2
  local servers='nginx-light haproxy postgresql redis-server redis-tools default-jre-headless'
  debootstrap --variant=minbase --include=$packages bookworm "$cache" "$archive" >"$work/debootstrap" ||
    { tail -20 "$work/debootstrap" >&2 && return 1; }
  # A package must not start its server in the chroot.
  printf '#!/bin/sh\nexit 101\n' >"$cache/usr/sbin/policy-rc.d"
  chmod +x "$cache/usr/sbin/policy-rc.d"
  cp /etc/resolv.conf "$cache/etc/"
  # Java's package needs /proc.
  # shellcheck disable=SC2016,SC2086
  DEBIAN_FRONTEND=noninteractive unshare --mount sh -ec \
    'mount -t proc proc "$1/proc"; cd "$1"; shift; exec chroot . apt-get install -y -qq --no-install-recommends "$@"' \
    sh "$cache" $servers >"$work/servers" 2>&1 || { tail -20 "$work/servers" >&2 && return 1; }
  rm "$cache/usr/sbin/policy-rc.d"
  # The pages start each server after writing its settings.
  (cd "$cache/etc/systemd/system/multi-user.target.wants" && rm -f nginx.service haproxy.service postgresql.service redis-server.service)
  install "$(readlink -f "$(command -v node)")" "$cache/usr/bin/node"
  mkdir -p "$cache/usr/lib/node_modules"
  cp -r "$(dirname "$(dirname "$(readlink -f "$(command -v npm)")")")" "$cache/usr/lib/node_modules/"
  printf '#!/bin/sh\nexec /usr/bin/node /usr/lib/node_modules/npm/bin/npm-cli.js "$@"\n' >"$cache/usr/bin/npm"
  chmod +x "$cache/usr/bin/npm"
  touch "$cache/complete"
}

# Makes the file systems that an init expects, and becomes it.
boot='
  root=$1/root name=$2
  mount --make-rprivate /
  mount -t overlay -o "lowerdir=$3,upperdir=$1/upper,workdir=$1/work" overlay "$root"
  mount -t proc proc "$root/proc" && mount -t sysfs -o ro sysfs "$root/sys"
  mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup"
  mount -t tmpfs -o mode=755 tmpfs "$root/dev" && mount -t tmpfs -o mode=755 tmpfs "$root/run"
  mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
  for node in null:3 zero:5 full:7 random:8 urandom:9; do mknod -m 666 "$root/dev/${node%:*}" c 1 "${node#*:}"; done
  mkdir "$root/dev/pts" "$root/dev/shm" && mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
  mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts" && ln -s pts/ptmx "$root/dev/ptmx"
  for link in fd:fd stdin:fd/0 stdout:fd/1 stderr:fd/2; do ln -s "/proc/self/${link#*:}" "$root/dev/${link%:*}"; done
  : >"$root/etc/machine-id"
  echo "$name" >"$root/etc/hostname"
  cd "$root" && mkdir -p old && pivot_root . old && umount -l old
  exec env -i container=trial PATH=/usr/sbin:/usr/bin:/sbin:/bin /lib/systemd/systemd
'

# start_node NAME LAYER… : boots a node on the layers, the upper ones first. It writes to `layer NAME`.
start_node() {
  local name=$1 folder=$work/$1 lower
  shift
  lower=$(IFS=: && echo "$*")
  mkdir -p "$folder"/{root,upper,work} "$cgroups/$name"
  # shellcheck disable=SC2016
  setsid sh -c 'echo $$ >"$1/cgroup.procs"; shift; exec unshare --mount --pid --net --uts --ipc --cgroup --fork "$@"' \
    sh "$cgroups/$name" sh -ec "$boot" init "$folder" "$name" "$lower" </dev/null >"$folder/console" 2>&1 &
  launchers[$name]=$!
  for _ in $(seq 240); do
    sleep 0.5
    kill -0 "${launchers[$name]}" 2>/dev/null || { cat "$folder/console" >&2 && return 1; }
    on "$name" systemctl is-system-running 2>/dev/null | grep -qE 'running|degraded' && return 0
  done
  echo "systemd of $name does not come up" >&2 && return 1
}

layer() { echo "$work/$1/upper"; }
init_of() { pgrep -P "${launchers[$1]}"; }

# All processes of the namespace end with its first one.
stop_node() {
  kill -KILL "$(init_of "$1")" 2>/dev/null || true
  wait "${launchers[$1]}" 2>/dev/null || true
  unset "launchers[$1]"
}

# on NAME COMMAND… : runs a command on a node. With `network` set, in this machine's network, for the installation.
on() {
  local name=$1 pid options=(--mount --pid --uts --ipc --cgroup) variables=(REPOSITORY=/root/repository)
  shift
  pid=$(init_of "$name")
  if [ "${network:-}" = machine ]; then
    variables+=(NODE_EXTRA_CA_CERTS=/root/authorities.pem)
  else
    options+=(--net)
  fi
  nsenter --target "$pid" "${options[@]}" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin "${variables[@]}" "$@"
}

# Writes standard input to a file of a node.
put() { on "$1" sh -c 'cat >"$1"' sh "$2"; }

# Provides the sources as a repository, and the name servers and certificate authorities of this machine, for the installation.
give_sources() {
  git clone -q --bare . "$work/repository"
  tar -C "$work" -c repository | on "$1" tar -C /root -x
  on "$1" git config --global safe.directory '*'
  put "$1" /etc/resolv.conf </etc/resolv.conf
  cat "${NODE_EXTRA_CA_CERTS:-/dev/null}" | put "$1" /root/authorities.pem
}

# block HEADING N [LANGUAGE] : the Nth block of commands of the page below a heading.
block() {
  awk -v heading="## $1" -v wanted="$2" -v language="${3:-sh}" '
    /^## / { here = $0 == heading }
    here && $0 == "```" language { number += 1; inBlock = number == wanted; next }
    /^```$/ { inBlock = 0 }
    inBlock' "$page" | grep . || { echo "$page has no such block: $*" >&2 && return 1; }
}

# follow NAME HEADING N : runs the commands of the page on a node unchanged, and stops at the first one that fails. `prelude`
# runs before them. `edit`, a sed script, replaces the placeholders of the page.
follow() {
  local name=$1
  shift
  say "$page, on $name: $*"
  { echo "set -e; ${prelude:-}" && block "$@" | sed -e "${edit:-}"; } | put "$name" /root/block.sh
  on "$name" bash /root/block.sh
}

expect() { [ "$2" = "$3" ] || { echo "$1: expected $2, got $3" >&2 && exit 1; }; }

# until_true SECONDS COMMAND…
until_true() {
  local ends=$((SECONDS + $1))
  shift
  until "$@"; do
    [ "$SECONDS" -lt "$ends" ] || { echo "not within the time: $*" >&2 && return 1; }
    sleep 0.2
  done
}

# Sends four visits at a time, each on its own connection, until /root/end exists. Prints the number of each answer.
visitors='
  const [url, host] = process.argv.slice(1);
  const http = require("node:http"), { existsSync } = require("node:fs"), counts = {};
  const count = (answer) => { counts[answer] = (counts[answer] ?? 0) + 1; };
  const visit = () => new Promise((done) => {
    const request = http.get(url, { agent: false, headers: { host }, timeout: 10_000 }, (response) => {
      response.resume().on("end", () => done(count(response.statusCode)));
    });
    request.on("timeout", () => request.destroy(new Error("no answer within 10 s")));
    request.on("error", (error) => done(count(error.code ?? error.message)));
  });
  const visitor = async () => {
    while (!existsSync("/root/end")) { await visit(); await new Promise((next) => setTimeout(next, 20)); }
  };
  Promise.all([1, 2, 3, 4].map(visitor)).then(() => console.log(Object.entries(counts).map((pair) => pair.join(": ")).join(", ")));
'

# under_traffic NAME URL TITLE COMMAND… : checks that all visitors on a node are redirected during a command and one second
# after it. `visits` counts them.
visits=0
under_traffic() {
  local name=$1 url=$2 title=$3 traffic
  shift 3
  on "$name" rm -f /root/end
  on "$name" node -e "$visitors" "$url" demo.localhost >"$work/visits" &
  traffic=$!
  sleep 1
  "$@"
  sleep 1
  on "$name" touch /root/end
  wait "$traffic"
  echo "visits during the $title: $(cat "$work/visits")"
  grep -qxE '301: [0-9]+' "$work/visits" || { echo "not all visits were redirected" >&2 && exit 1; }
  visits=$((visits + $(cut -d' ' -f2 "$work/visits")))
}
