import { readFile } from 'node:fs/promises';
import type { Logger } from 'pino';

const SETTING = '/proc/sys/net/ipv4/tcp_migrate_req';
let isSaid = false;

/**
 * Logs once per process that Linux resets connections which arrive while a worker closes its port. Logs nothing if the
 * kernel hands such connections to the other workers. Never rejects.
 */
export async function hintAtLostConnections(logger: Logger): Promise<void> {
  const setting = await readFile(SETTING, 'latin1').catch(() => '');
  if (isSaid || setting.trim() !== '0') return;
  isSaid = true;
  logger.info('set net.ipv4.tcp_migrate_req=1: Linux then resets no connection when a worker is replaced');
}
