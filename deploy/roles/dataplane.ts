import { refuseOldNode } from '../../shared/process/node-version.js';
import { hearRollRequests } from '../process/rolling-restart.js';

/** The role of a data plane. Loading it takes a moment, in which SIGUSR2 must not be lost. */
refuseOldNode();
const rolls = hearRollRequests();
const { runDataplaneRole } = await import('./dataplane-role.js');
await runDataplaneRole(rolls);
