import { readdirSync } from 'node:fs';
import path from 'node:path';
import type { Logger } from 'pino';
import { codeOf, messageOf } from '../../shared/process/error-facts.js';
import { makeOwnerOnly, makeTreeOwnerOnly } from '../../shared/process/owner-only.js';

/** Names of everything that the product writes into DATA_DIR. Temporary and damaged files have a suffix after a dot. */
const OWN_NAME = /^(?:postgres|clickhouse|hits|ruleset|secret\.key|waymark|workers)(?:\..+)?$/;
/** One of these identifies a folder as a DATA_DIR. A server's own folder may be called `clickhouse` as well. */
const MARKS = ['secret.key', 'waymark.lock', 'ruleset.snapshot', 'hits'];
/** Present in the root of a file system. */
const FOREIGN_AND_HARMLESS = 'lost+found';

/**
 * Removes other users' access to DATA_DIR, which an older version or a person may have created. Changes only entries of
 * the product. Changes the folder itself only if it holds nothing else, because it may be a person's own folder. Logs
 * one line when something was open. A missing folder is not an error.
 */
export function closeDataDir(dataDir: string, logger: Logger): void {
  try {
    const closed = closeEntries(dataDir);
    if (closed === 0) return;
    logger.warn({ dataDir, closed }, 'other users had access to DATA_DIR; it was removed');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return;
    logger.warn(
      { dataDir, problem: messageOf(error) },
      'DATA_DIR may be open to other users: give it to the user of this process, and take the rights of others away',
    );
  }
}

function closeEntries(dataDir: string): number {
  const names = readdirSync(dataDir);
  if (names.length > 0 && !MARKS.some((mark) => names.includes(mark))) return 0;
  const own = names.filter((name) => OWN_NAME.test(name));
  const isOwn = names.every((name) => own.includes(name) || name === FOREIGN_AND_HARMLESS);
  // ClickHouse may have ten thousands of files, so its folders are searched only if others can enter them.
  const searched = own.map((name) => makeTreeOwnerOnly(path.join(dataDir, name), name !== 'clickhouse'));
  const closed = searched.reduce((sum, count) => sum + count, 0);
  // An empty folder revealed nothing.
  return isOwn && makeOwnerOnly(dataDir) && own.length > 0 ? closed + 1 : closed;
}
