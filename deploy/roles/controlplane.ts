import { refuseOldNode } from '../process/node-version.js';

refuseOldNode();
const { runControlplaneRole } = await import('./controlplane-role.js');
await runControlplaneRole();
