import { refuseOldNode } from '../process/node-version.js';

refuseOldNode();
const { runIngestRole } = await import('./ingest-role.js');
await runIngestRole();
