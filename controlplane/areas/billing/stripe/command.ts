import { refuseOldNode } from '../../../../shared/process/node-version.js';

/** `npm run stripe:setup`, `stripe:replay` and `stripe:reconcile`. */
refuseOldNode();
const { runOperatorCommand } = await import('./operator-commands.js');
process.exitCode = await runOperatorCommand(process.argv.slice(2));
