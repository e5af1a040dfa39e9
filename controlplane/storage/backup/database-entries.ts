import path from 'node:path';
import type { Database } from '../postgres/database.js';
import { embeddedFolder } from '../postgres/postgres-embedded.js';
import { type BackupEntry, entriesBelow } from './backup-entry.js';

const FOLDER = 'postgres';
const SLOT = 'waymark_backup';
const CONTROL_FILE = 'global/pg_control';

/**
 * Files that a base backup leaves out, or takes last
 * (https://www.postgresql.org/docs/18/continuous-archiving.html#BACKUP-LOWLEVEL-BASE-BACKUP-DATA).
 */
const NOT_COPIED = /^(?:postmaster\.(?:pid|opts)|backup_label.*|tablespace_map.*|global\/pg_control)$/;
const FOLDERS_COPIED_EMPTY = [
  'pg_wal',
  'pg_replslot',
  'pg_dynshmem',
  'pg_notify',
  'pg_serial',
  'pg_snapshots',
  'pg_stat_tmp',
  'pg_subtrans',
];

/**
 * Yields a base backup of the embedded PostgreSQL, like `pg_basebackup`. Statements continue during the backup. The WAL
 * makes the copy consistent. Ends the backup in the database also when the caller stops early.
 */
export async function* databaseEntries(database: Database, dataDir: string): AsyncGenerator<BackupEntry> {
  const folder = embeddedFolder(dataDir);
  // A temporary slot keeps the WAL that the backup needs. It ends with the process.
  await database.query('SELECT pg_create_physical_replication_slot($1, true, true)', [SLOT]);
  try {
    yield* copied(database, folder);
  } finally {
    await database.query('SELECT pg_drop_replication_slot($1)', [SLOT]);
  }
}

async function* copied(database: Database, folder: string): AsyncGenerator<BackupEntry> {
  const first = await segmentOf(database, 'SELECT pg_walfile_name(pg_backup_start($1, true)) AS segment', [
    SLOT,
  ]);
  let isEnded = false;
  const end = async () => {
    isEnded = true;
    const [row] = await database.query<{ label: string; last: string }>(
      'SELECT labelfile AS label, pg_walfile_name(lsn) AS last FROM pg_backup_stop(false)',
    );
    if (row === undefined) throw new Error('PostgreSQL ended the backup without a label');
    return row;
  };
  try {
    yield { kind: 'folder', name: FOLDER };
    yield* entriesBelow(folder, FOLDER, isCopied);
    yield { kind: 'file', name: `${FOLDER}/${CONTROL_FILE}`, from: path.join(folder, CONTROL_FILE) };
    const { label, last } = await end();
    yield { kind: 'text', name: `${FOLDER}/backup_label`, text: label };
    yield* entriesBelow(path.join(folder, 'pg_wal'), `${FOLDER}/pg_wal`, (segment) =>
      isNeeded(segment, first, last),
    );
  } finally {
    if (!isEnded) await end();
  }
}

function isCopied(relative: string): boolean {
  if (NOT_COPIED.test(relative)) return false;
  return !FOLDERS_COPIED_EMPTY.some((empty) => relative.startsWith(`${empty}/`));
}

/** Names of WAL segments sort by age. PostgreSQL also expects the folders beside them. */
function isNeeded(name: string, first: string, last: string): boolean {
  return /^[0-9A-F]{24}$/.test(name)
    ? name >= first && name <= last
    : /^(?:archive_status|summaries)$/.test(name);
}

async function segmentOf(database: Database, sql: string, params: readonly unknown[]): Promise<string> {
  const [row] = await database.query<{ segment: string }>(sql, params);
  if (row === undefined) throw new Error('PostgreSQL did not name its WAL segment');
  return row.segment;
}
