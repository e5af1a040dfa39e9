import { refuseOldNode } from '../../shared/process/node-version.js';

/** `npm run restore -- FILE` */
refuseOldNode();
const { runCommand } = await import('./run-command.js');
const { lockDataDir } = await import('../process/data-dir-lock.js');
const { restoreBackup } = await import('./restore-backup.js');
await runCommand('restore', async ({ file, config: { dataDir }, logger, signal }) => {
  const lock = await lockDataDir(dataDir, { say: (line) => void process.stdout.write(`${line}\n`), signal });
  try {
    const { names, version, createdAt, hosts, hits, head, old } = await restoreBackup({
      dataDir,
      file,
      logger,
    });
    const lines = [
      `Restored ${names.join(', ')} in ${dataDir} from the backup of ${createdAt} (Waymark ${version}).`,
      ...(hosts === undefined ? [] : [`It serves ${hosts} hosts; the ruleset begins anew as ${head}.`]),
      ...(hits === undefined ? [] : [`Its statistics hold ${hits} hits.`]),
      ...(old === undefined
        ? []
        : [`The data that was there is in ${old}; delete it when you no longer need it.`]),
      'Start Waymark now.',
    ];
    return `${lines.join('\n')}\n`;
  } finally {
    await lock.release();
  }
});
