import { refuseOldNode } from '../../shared/process/node-version.js';

refuseOldNode();
const { runControlplaneRole } = await import('./controlplane-role.js');
await runControlplaneRole();
