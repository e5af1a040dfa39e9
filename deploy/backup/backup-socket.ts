import { open } from 'node:fs/promises';
import path from 'node:path';

/**
 * Name of the socket in DATA_DIR. Only the owner can enter this folder, and the owner could also read the files
 * directly.
 */
export const BACKUP_SOCKET = 'waymark.sock';
export const BACKUP_PATH = '/backup';
/** Time without progress after which either side ends a backup. */
export const BACKUP_STALL_MS = 120_000;

/** Maximum length of the address of a Unix socket on every system, including its final zero. */
const MOST_ADDRESS_BYTES = 104;

export interface SocketAddress {
  readonly address: string;
  /** Call it when the socket is no longer used. */
  release(): Promise<void>;
}

/** The address of the socket. On Linux, a path that is too long is shortened through /proc. */
export async function socketAddress(dataDir: string): Promise<SocketAddress> {
  const address = path.join(path.resolve(dataDir), BACKUP_SOCKET);
  if (Buffer.byteLength(address) < MOST_ADDRESS_BYTES) return { address, release: async () => {} };
  const folder = await open(dataDir, 'r');
  return { address: `/proc/self/fd/${folder.fd}/${BACKUP_SOCKET}`, release: () => folder.close() };
}
