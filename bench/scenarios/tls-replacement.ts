import { readFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { until } from '../../deploy/faults/until.js';
import type { ExpectedRequest } from '../load/fixed-rate.js';
import type { TlsVisitsResult } from '../load/tls-visits.js';
import { loadOverTls } from '../load/tls-visits-load.js';
import { addRedirect, startProduct } from '../product/product.js';
import type { BenchCertificate } from '../servers/bench-certificate.js';
import { emptyRow, type TlsResult } from './results.js';
import type { Bench } from './scenario.js';

const WORKERS = 2;
const HOSTS = 20;
const VISITORS = 4;
/** Approximate time of a replacement of two workers. */
const REPLACEMENT_MS = 3_000;
const SERVED_WITHIN_MS = 30_000;

/**
 * Measures full handshakes at the product with two workers, first without SIGUSR2, and then while SIGUSR2 replaces the
 * workers one after another. A connection that is cut after its handshake ends the measurement with an error. More
 * resets of waiting connections than the closed ports explain are also an error.
 */
export async function measureReplacement(
  bench: Bench,
  scenario: string,
  certificate: BenchCertificate,
  seconds: number,
): Promise<TlsResult[]> {
  const { processes, cores } = bench;
  bench.say(`${scenario}: starting the product with ${WORKERS} workers`);
  const product = await startProduct({
    ...{ processes, cores, runsOn: cores.server },
    dataDir: await mkdtemp(path.join(bench.workFolder, 'tls-replacement-')),
    environment: {
      ...{ TLS_PORT: '0', REDIRECT_WORKERS: String(WORKERS), TLS_CERTIFICATES_DIR: certificate.folder },
    },
  });
  const requests: ExpectedRequest[] = [];
  for (let index = 0; index < HOSTS; index += 1) {
    const host = `h${index}.bench.localhost`;
    const toDomain = `https://destination-${index}.example/new`;
    await addRedirect(product, { fromDomain: host, toDomain, samplingRate: 0 });
    requests.push({ host, target: '/page', locations: [`${toDomain}/page`] });
  }
  const load = (visitSeconds: number, maxResets = 0) =>
    loadOverTls(bench, {
      ...{ kind: 'full', server: 'waymark', port: product.tlsPort, requests, visitors: VISITORS },
      ...{ seconds: visitSeconds, maxResets },
    });
  // Redirects take a moment until all workers have them.
  const isServed = () => load(0.5).then(() => true);
  await until(isServed, { timeoutMs: SERVED_WITHIN_MS, what: 'a right answer to every visitor' });
  const quiet = await load(seconds);
  bench.say(`${scenario}: replacing workers`);
  const replacing = new AbortController();
  const signals = replaceAgainAndAgain(product.pid, replacing.signal);
  const replacementSeconds = Math.max(seconds, REPLACEMENT_MS / 1_000);
  const replacements = Math.ceil((replacementSeconds * 1_000) / REPLACEMENT_MS) + 1;
  const replaced = await load(replacementSeconds, mostResets(replacements * WORKERS)).finally(() =>
    replacing.abort(),
  );
  await signals;
  await product.stop();
  return [
    rowOf(scenario, `waymark, ${WORKERS} workers`, quiet),
    rowOf(scenario, 'waymark, workers replaced', replaced),
  ];
}

/** Linux resets the connections that wait for a worker when it closes its port, unless net.ipv4.tcp_migrate_req is 1. */
function mostResets(closedPorts: number): number {
  const setting = readFileSync('/proc/sys/net/ipv4/tcp_migrate_req', 'latin1').trim();
  return setting === '1' ? 0 : closedPorts * VISITORS;
}

async function replaceAgainAndAgain(pid: number, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    process.kill(pid, 'SIGUSR2');
    await delay(REPLACEMENT_MS, undefined, { signal }).catch(() => undefined);
  }
}

function rowOf(
  scenario: string,
  server: string,
  { requestsPerSecond, p50Ms, p99Ms, resets }: TlsVisitsResult,
): TlsResult {
  return { ...emptyRow(scenario, server), requestsPerSecond, p50Ms, p99Ms, resets, visits: 'full' };
}
