import { refuseOldNode } from '../../shared/process/node-version.js';
import { hearRollRequests } from '../process/rolling-restart.js';

/** Starts the whole product in one command. Loading takes a second, during which SIGUSR2 must not be lost. */
refuseOldNode();
const rolls = hearRollRequests();
const { runStandalone } = await import('./standalone.js');
await runStandalone(rolls);
