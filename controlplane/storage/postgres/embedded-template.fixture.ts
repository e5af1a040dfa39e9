import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { pino } from 'pino';
import { copyFolder, sharedFolder } from '../../../shared/process/shared-folder.fixture.js';
import { openDatabase } from './open-database.js';

const run = promisify(execFile);

/** Copies a migrated, empty embedded database into `dataDir`. Creating one takes seconds, so a run creates one. */
export async function copyEmbeddedTemplate(dataDir: string): Promise<void> {
  await copyFolder(await sharedFolder('database', createDatabase), dataDir);
}

async function createDatabase(dataDir: string): Promise<void> {
  const database = await openDatabase({ databaseUrl: undefined, dataDir }, pino({ level: 'silent' }));
  await database.close();
  // The product creates folders that are closed to other users. Tests do not.
  await run('chmod', ['-R', 'go=', dataDir]);
}
