import { refuseOldNode } from '../../shared/process/node-version.js';

refuseOldNode();
const { runIngestRole } = await import('./ingest-role.js');
await runIngestRole();
