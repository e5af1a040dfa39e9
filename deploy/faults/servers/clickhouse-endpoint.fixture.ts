import { rename, writeFile } from 'node:fs/promises';
import { startClickhouseServer } from '../../../controlplane/storage/clickhouse/clickhouse-server.fixture.js';

const FORGET_EVERY_MS = 1_000;

/** Arguments: the folder of the engine, and the file that gets the port. */
const [, , folder = '', portFile = ''] = process.argv;
const server = await startClickhouseServer(folder);
// The endpoint keeps requests for tests; here these would be all hits.
setInterval(() => server.requests.splice(0), FORGET_EVERY_MS);
await writeFile(`${portFile}.part`, new URL(server.url).port);
await rename(`${portFile}.part`, portFile);
