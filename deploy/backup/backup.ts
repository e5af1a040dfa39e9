import { refuseOldNode } from '../../shared/process/node-version.js';

/** `npm run backup -- FILE` */
refuseOldNode();
const { runCommand } = await import('./run-command.js');
const { makeBackup } = await import('./make-backup.js');
await runCommand('backup', async ({ file, config: { dataDir }, signal }) => {
  const bytes = await makeBackup({ dataDir, file, signal });
  return `The backup of ${dataDir} is in ${file} (${(bytes / 1024 ** 2).toFixed(1)} MiB).\n`;
});
