import { readdir, readFile, readlink } from 'node:fs/promises';

/** `TCP_LISTEN` in `/proc/net/tcp`: proc_net_tcp.txt of the kernel. */
const LISTENING = '0A';
const SOCKET = /^socket:\[(\d+)\]$/;
const WILDCARD = /^0+$/;

interface Listening {
  /** Address in the kernel's hexadecimal form. */
  readonly address: string;
  readonly inode: string;
}

/**
 * Returns whether processes among `pids` listen on `port` and no other process accepts their connections there. False
 * where there is no `/proc`.
 */
export async function isPortHeldOnlyBy(port: number, pids: readonly number[]): Promise<boolean> {
  const [listening, inodes] = await Promise.all([listenersOn(port), socketsOf(pids)]);
  const theirs = listening.filter(({ inode }) => inodes.has(inode));
  const others = listening.filter(({ inode }) => !inodes.has(inode));
  return theirs.length > 0 && !others.some((other) => theirs.some((one) => overlap(one, other)));
}

function overlap(one: Listening, other: Listening): boolean {
  return one.address === other.address || WILDCARD.test(one.address) || WILDCARD.test(other.address);
}

async function listenersOn(port: number): Promise<Listening[]> {
  const tables = await Promise.all(
    ['/proc/net/tcp', '/proc/net/tcp6'].map((file) => readFile(file, 'latin1').catch(() => '')),
  );
  const hexPort = port.toString(16).toUpperCase().padStart(4, '0');
  const listening: Listening[] = [];
  for (const line of tables.flatMap((table) => table.split('\n'))) {
    // Number, local address, remote address, state, queues, timer, retransmits, user, timeout, inode.
    const [, local = '', , state, , , , , , inode] = line.trim().split(/\s+/);
    const [address = '', localPort] = local.split(':');
    if (state === LISTENING && localPort === hexPort && inode !== undefined) {
      listening.push({ address, inode });
    }
  }
  return listening;
}

/** Returns the inodes of the sockets that any of the processes has open. */
async function socketsOf(pids: readonly number[]): Promise<Set<string>> {
  const inodes = new Set<string>();
  for (const pid of pids) {
    const folder = `/proc/${pid}/fd`;
    for (const name of await readdir(folder).catch(() => [])) {
      const target = await readlink(`${folder}/${name}`).catch(() => '');
      const inode = SOCKET.exec(target)?.[1];
      if (inode !== undefined) inodes.add(inode);
    }
  }
  return inodes;
}
