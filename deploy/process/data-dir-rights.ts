import { readdirSync } from 'node:fs';
import path from 'node:path';
import type { Logger } from 'pino';
import { codeOf, messageOf } from '../../shared/process/error-facts.js';
import { makeOwnerOnly, makeTreeOwnerOnly } from '../../shared/process/owner-only.js';

/** The names of all that the product puts into DATA_DIR; temporary and damaged ones have a suffix after a dot. */
const OWN_NAME = /^(?:postgres|clickhouse|hits|ruleset|secret\.key|waymark|workers)(?:\..+)?$/;
/** One of these shows that a folder is a DATA_DIR. A server's own folder may be called `clickhouse` as well. */
const MARKS = ['secret.key', 'waymark.lock', 'ruleset.snapshot', 'hits'];
/** The root of a file system has it. */
const FOREIGN_AND_HARMLESS = 'lost+found';

/**
 * Closes DATA_DIR to other users, as it may have been made by an older version or by hand. Only entries of the product
 * are touched, and the folder itself only when it holds nothing else: somebody may have named a folder of their own.
 * Logs one line when something was open. A folder that is not there yet is no failure.
 */
export function closeDataDir(dataDir: string, logger: Logger): void {
  try {
    const closed = closeEntries(dataDir);
    if (closed === 0) return;
    logger.warn({ dataDir, closed }, 'DATA_DIR was open to other users; their rights to it were taken away');
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
  // ClickHouse may have ten thousands of files: its folders are searched only where others can enter.
  const searched = own.map((name) => makeTreeOwnerOnly(path.join(dataDir, name), name !== 'clickhouse'));
  const closed = searched.reduce((sum, count) => sum + count, 0);
  // Nothing was readable in an empty folder.
  return isOwn && makeOwnerOnly(dataDir) && own.length > 0 ? closed + 1 : closed;
}
