import { mkdtemp } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { TlsVisitKind, TlsVisitsResult } from '../load/tls-visits.js';
import { loadOverTls } from '../load/tls-visits-load.js';
import { readUsage } from '../measure/process-usage.js';
import { median, medianRatio } from '../measure/statistics.js';
import { type Column, formatDecimal, formatTable, formatWhole } from '../report/table.js';
import { type BenchCertificate, makeBenchCertificate } from '../servers/bench-certificate.js';
import { haproxy } from '../servers/haproxy.js';
import { nginx } from '../servers/nginx.js';
import { waymark } from '../servers/node-servers.js';
import type { RunningServer, ServerKind } from '../servers/server-kind.js';
import { benchRequests } from '../traffic/bench-request.js';
import { emptyRow, type TlsResult } from './results.js';
import type { Bench, Scenario } from './scenario.js';
import { measureTlsMemory } from './tls-memory.js';
import { measureReplacement } from './tls-replacement.js';

const SCENARIO = 'tls-new-visitor';
const HOSTS = 1_000;
const VISITORS = 16;
const FULL_PACE = {
  rounds: 5,
  secondsPerRound: 4,
  idleSeconds: 10,
  replacementSeconds: 15,
  requestedNames: [1_000, 10_000],
};
const QUICK_PACE = {
  rounds: 2,
  secondsPerRound: 1,
  idleSeconds: 3,
  replacementSeconds: 5,
  requestedNames: [1_000],
};

/** Row names. The row of the first kind has only the name of the server. */
const KINDS: readonly { readonly kind: TlsVisitKind; readonly suffix: string }[] = [
  { kind: 'full', suffix: '' },
  { kind: 'resumed', suffix: ', resumed' },
  { kind: 'kept', suffix: ', kept-alive' },
];

interface TlsRound extends TlsVisitsResult {
  readonly cpuUsPerRequest: number;
}

interface Entrant {
  readonly kind: ServerKind;
  readonly server: RunningServer;
  readonly rounds: Record<TlsVisitKind, TlsRound[]>;
  /** CPU seconds that it uses in a second without requests. */
  idleShare: number;
}

/** CPU time of HTTPS: a full handshake, a resumed one, and a request on an open connection. */
export const tlsNewVisitor: Scenario = {
  name: SCENARIO,
  summary: 'HTTPS redirects of 1,000 hosts: new visitors, returning ones, and requests on open connections',
  missing: () => nginx.unavailable(),
  async run(bench) {
    const pace = bench.quick ? QUICK_PACE : FULL_PACE;
    const certificate = await makeBenchCertificate(bench.workFolder);
    const kinds = [waymark, nginx, haproxy].filter((kind) => kind.unavailable() === undefined);
    const entrants: Entrant[] = [];
    for (const kind of kinds) entrants.push(await enter(bench, kind, certificate));
    for (const entrant of entrants) {
      for (const { kind } of KINDS) await measure(bench, entrant, kind, 1);
    }
    await measureIdle(entrants, pace.idleSeconds);
    for (let round = 1; round <= pace.rounds; round += 1) {
      bench.say(`${SCENARIO}: round ${round} of ${pace.rounds}`);
      for (const { kind } of KINDS) {
        for (const entrant of entrants) {
          entrant.rounds[kind].push(await measure(bench, entrant, kind, pace.secondsPerRound));
        }
      }
    }
    const results: TlsResult[] = [];
    for (const { kind, suffix } of KINDS) {
      for (const entrant of entrants) results.push(await resultOf(entrant, kind, suffix, entrants));
    }
    for (const { server } of entrants) await server.stop();
    results.push(...(await measureReplacement(bench, SCENARIO, certificate, pace.replacementSeconds)));
    results.push(...(await measureTlsMemory(bench, SCENARIO, pace.requestedNames)));
    return { results, report: `${formatTable(COLUMNS, results)}\n\n${NOTES.join('\n')}` };
  },
};

async function enter(bench: Bench, kind: ServerKind, certificate: BenchCertificate): Promise<Entrant> {
  bench.say(`${SCENARIO}: starting ${kind.name}`);
  const workFolder = await mkdtemp(path.join(bench.workFolder, `${SCENARIO}-`));
  const redirects = { hostCount: HOSTS, rulesPerHost: 0, samplingRate: 0 };
  const server = await kind.start(bench.processes, bench.cores.server, {
    redirects,
    workFolder,
    certificate,
  });
  return { kind, server, rounds: { full: [], resumed: [], kept: [] }, idleShare: 0 };
}

/** The load leaves servers mostly idle, so the cost of an idle process would count as one of requests. */
async function measureIdle(entrants: readonly Entrant[], seconds: number): Promise<void> {
  const usages = () => Promise.all(entrants.map(({ server }) => readUsage(server.pid)));
  const before = await usages();
  await delay(seconds * 1_000);
  const after = await usages();
  for (const [index, entrant] of entrants.entries()) {
    const used = (after[index]?.cpuSeconds ?? 0) - (before[index]?.cpuSeconds ?? 0);
    entrant.idleShare = used / seconds;
  }
}

async function measure(
  bench: Bench,
  { kind, server, idleShare }: Entrant,
  visits: TlsVisitKind,
  seconds: number,
): Promise<TlsRound> {
  const before = await readUsage(server.pid);
  const startedAtMs = performance.now();
  const result = await loadOverTls(bench, {
    kind: visits,
    server: kind.name,
    port: server.port,
    requests: benchRequests(HOSTS).map((request) => ({
      ...request,
      locations: kind.rightLocations(request),
    })),
    visitors: VISITORS,
    seconds,
  });
  const after = await readUsage(server.pid);
  const idleSeconds = (idleShare * (performance.now() - startedAtMs)) / 1_000;
  return {
    ...result,
    cpuUsPerRequest: ((after.cpuSeconds - before.cpuSeconds - idleSeconds) * 1e6) / result.completed,
  };
}

async function resultOf(
  { kind: { name }, server, rounds }: Entrant,
  kind: TlsVisitKind,
  suffix: string,
  entrants: readonly Entrant[],
): Promise<TlsResult> {
  const own = rounds[kind];
  const cpuOf = (some: readonly TlsRound[] | undefined) => (some ?? []).map((round) => round.cpuUsPerRequest);
  const peer = entrants.find((entrant) => entrant.kind === nginx);
  const middle = (pick: (round: TlsRound) => number) => median(own.map(pick)) ?? Number.NaN;
  return {
    ...emptyRow(SCENARIO, `${name}${suffix}`),
    cpuUsPerRequest: middle((round) => round.cpuUsPerRequest),
    requestsPerSecond: middle((round) => round.requestsPerSecond),
    p50Ms: middle((round) => round.p50Ms),
    p99Ms: middle((round) => round.p99Ms),
    rssMiB: (await readUsage(server.pid)).residentMib,
    ratioToNginx: medianRatio(cpuOf(own), cpuOf(peer?.rounds[kind])) ?? null,
    visits: kind,
  };
}

const wholeOrNone = (value: number | null) => (value === null ? '–' : formatWhole(value));

const COLUMNS: readonly Column<TlsResult>[] = [
  { title: 'server', isText: true, cell: ({ server }) => server },
  { title: 'CPU µs / request', cell: ({ cpuUsPerRequest }) => formatDecimal(cpuUsPerRequest) },
  { title: '× nginx', cell: ({ ratioToNginx }) => formatDecimal(ratioToNginx) },
  { title: 'requests / s', cell: ({ requestsPerSecond }) => wholeOrNone(requestsPerSecond) },
  { title: 'p50 ms', cell: ({ p50Ms }) => formatDecimal(p50Ms) },
  { title: 'p99 ms', cell: ({ p99Ms }) => formatDecimal(p99Ms) },
  { title: 'resets', cell: ({ resets }) => (resets === undefined ? '–' : formatWhole(resets)) },
  { title: 'RSS MiB', cell: ({ rssMiB }) => wholeOrNone(rssMiB) },
];

const NOTES = [
  '- The CPU time that a server uses without requests is subtracted.',
  '- TLS 1.3, one certificate (EC P-256, chain of two) for all servers; every answer is checked.',
  '- 2 workers: new visitors of the product with two workers, then while SIGUSR2 replaces the workers every three seconds.',
  '- Resets: connections that waited for a worker when it closed its port. Linux resets them unless net.ipv4.tcp_migrate_req is 1.',
  '- Names: memory of a data plane that started from its disk with a certificate per name, after visits to some of them.',
  `- ${VISITORS} visitors at a time from one Node process, which is slower than the servers: latencies are mostly its own.`,
];
