import path from 'node:path';
import type { Controlplane } from '../../controlplane/controlplane.js';
import type { BackupEntry } from '../../controlplane/storage/backup/backup-entry.js';
import { SNAPSHOT_FILE } from '../../dataplane/sync/disk-snapshot.js';
import { BackupError } from './manifest.js';

/**
 * Returns the entries of a backup of the one-command product. The ruleset snapshot comes first: it may be older than
 * the database, but not newer.
 *
 * @throws {BackupError} if the database was lost, which the backup would not show
 */
export function productEntries(
  dataDir: string,
  controlplane: Pick<Controlplane, 'backupEntries' | 'refusal'> | undefined,
): AsyncIterable<BackupEntry> {
  const reason = controlplane?.refusal();
  if (reason !== undefined) throw new BackupError(reason.replace(/\.$/, ''));
  if (controlplane?.backupEntries === undefined) throw new BackupError('the database is not open');
  return entries(dataDir, controlplane.backupEntries());
}

async function* entries(dataDir: string, embedded: AsyncIterable<BackupEntry>): AsyncGenerator<BackupEntry> {
  for (const name of [SNAPSHOT_FILE, 'secret.key'])
    yield { kind: 'file', name, from: path.join(dataDir, name) };
  yield* embedded;
}
