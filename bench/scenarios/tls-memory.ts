import { mkdtemp } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { connect } from 'node:tls';
import { readUsage } from '../measure/process-usage.js';
import { waymark } from '../servers/node-servers.js';
import { storeCertificates } from '../servers/stored-certificates.js';
import { benchRedirect } from '../traffic/bench-request.js';
import { emptyRow, type TlsResult } from './results.js';
import type { Bench } from './scenario.js';

const KNOWN_NAMES = 100_000;
/** Time for Node to collect garbage without being asked. */
const SETTLE_MS = 5_000;

/**
 * Measures the resident memory of a data plane that started from its disk with 100,000 names, each with its own
 * certificate, after visits to `requested` of them.
 */
export async function measureTlsMemory(
  { processes, cores, workFolder, say }: Bench,
  scenario: string,
  requested: readonly number[],
): Promise<TlsResult[]> {
  const folder = await mkdtemp(path.join(workFolder, 'tls-memory-'));
  say(`${scenario}: making certificates`);
  const fingerprintsFile = await storeCertificates(folder, Math.max(...requested));
  const redirects = { hostCount: KNOWN_NAMES, rulesPerHost: 0, samplingRate: 0, fingerprintsFile };
  const setup = { redirects, workFolder: folder };
  // The first one saves the ruleset.
  await (await waymark.start(processes, cores.server, setup)).stop();
  const server = await waymark.start(processes, cores.server, { ...setup, startsFromDisk: true });
  const results: TlsResult[] = [];
  let visited = 0;
  for (const count of requested) {
    say(`${scenario}: visiting ${count} of ${KNOWN_NAMES} names`);
    for (; visited < count; visited += 1) await visit(server.port, benchRedirect(visited).host);
    await delay(SETTLE_MS);
    const name = `waymark, ${count.toLocaleString('en-US')} of ${KNOWN_NAMES.toLocaleString('en-US')} names`;
    const { residentMib } = await readUsage(server.pid);
    results.push({
      ...emptyRow(scenario, name),
      requestsPerSecond: null,
      rssMiB: residentMib,
      visits: 'full',
    });
  }
  await server.stop();
  return results;
}

/** Makes a full handshake. @throws when the certificate is not that of the host */
function visit(port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const to = { port, host: '127.0.0.1', servername: host, rejectUnauthorized: false };
    const socket = connect(to, () => {
      const { CN } = socket.getPeerCertificate().subject ?? {};
      socket.destroy();
      if (CN === host) resolve();
      else reject(new Error(`${host} got the certificate of ${CN}`));
    });
    socket.once('error', reject);
  });
}
