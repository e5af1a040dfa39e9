import { mkdtemp } from 'node:fs/promises';
import path from 'node:path';
import { createRedis, type RedisServer } from '../../deploy/faults/servers/redis.js';
import { redisKeys } from '../../shared/ruleset/redis-keys.js';
import { parseVersion } from '../../shared/ruleset/ruleset-codec.js';
import type { RulesetVersion } from '../../shared/ruleset/ruleset-version.js';
import { startFeedFleet } from '../fan-out/feed-fleet.js';
import { findProgram } from '../harness/find-program.js';
import { percentile } from '../measure/statistics.js';
import { withServer } from '../product/own-servers.js';
import { callApi, type Product, startProduct } from '../product/product.js';
import { type Column, formatDecimal, formatTable, formatWhole } from '../report/table.js';
import { emptyRow } from './results.js';
import type { Bench, Scenario } from './scenario.js';

const SCENARIO = 'fan-out';
const FLEETS = [100, 1_000];
const REDIRECTS = 1_000;
const CHANGES = 50;
const IDLE_MS = 10_000;
const MIB = 1024 ** 2;

/** Measures how fast one change reaches many data planes on the same Redis, and how they all connect at the same time. */
export const fanOut: Scenario = {
  name: SCENARIO,
  runs: 'full',
  summary: 'a change on its way to 1,000 data planes that read one Redis, and all of them connecting at once',
  missing: () =>
    findProgram('redis-server', '--version') === undefined ? 'redis-server is not installed' : undefined,
  run: (bench) =>
    withServer(createRedis, async (redis) => {
      const dataDir = await mkdtemp(path.join(bench.workFolder, `${SCENARIO}-`));
      const environment = { REDIS_URL: redis.url };
      const product = await startProduct({ ...bench, dataDir, environment, runsOn: bench.cores.server });
      bench.say(`${SCENARIO}: creating ${formatWhole(REDIRECTS)} redirects`);
      const ids = await createRedirects(product);
      const results: Measured[] = [];
      for (const size of FLEETS) results.push(await measure(bench, { product, ids, redis }, size));
      await product.stop();
      return { results, report: `${formatTable(COLUMNS, results)}\n\n${NOTES}` };
    }),
};

type Measured = Awaited<ReturnType<typeof measure>>;

interface MeasuredProduct {
  readonly product: Product;
  readonly ids: readonly string[];
  readonly redis: RedisServer;
}

async function createRedirects(product: Product): Promise<string[]> {
  const operations = Array.from({ length: REDIRECTS }, (_, index) => ({
    op: 'create',
    fromDomain: `shop-${index}.localhost`,
    toDomain: `https://destination-${index}.example/welcome`,
  }));
  const { results } = await callApi<{ results: readonly { id: string }[] }>(
    product,
    'POST',
    '/redirects/bulk',
    { operations },
  );
  return results.map(({ id }) => id);
}

async function measure(bench: Bench, { product, ids, redis }: MeasuredProduct, size: number) {
  bench.say(`${SCENARIO}: ${formatWhole(size)} data planes start together, without a saved ruleset`);
  const head = await readHead(redis);
  const [cold, fleet] = await during(redis, async () => {
    const started = startFeedFleet(redis.url, size);
    await started.arrivals(head);
    return started;
  });
  bench.say(`${SCENARIO}: ${CHANGES} changes`);
  const firstMs: number[] = [];
  const lastMs: number[] = [];
  const [changes] = await during(redis, async () => {
    for (let change = 0; change < CHANGES; change += 1) {
      const sentAtMs = performance.now();
      const toDomain = `https://changed-${size}-${change}.example/welcome`;
      await callApi(product, 'PUT', `/update/${ids[change]}`, { toDomain });
      const arrivals = await fleet.arrivals(await readHead(redis));
      firstMs.push(Math.min(...arrivals) - sentAtMs);
      lastMs.push(Math.max(...arrivals) - sentAtMs);
    }
  });
  bench.say(`${SCENARIO}: nothing changes`);
  const [idle] = await during(redis, () => new Promise<void>((resolve) => setTimeout(resolve, IDLE_MS)));
  bench.say(`${SCENARIO}: all connections are cut`);
  const newest = await readHead(redis);
  const [storm] = await during(redis, async () => {
    await redis.ask('CLIENT KILL TYPE pubsub');
    await redis.ask('CLIENT KILL TYPE normal');
    await fleet.confirmed(newest);
  });
  fleet.stop();
  return {
    ...emptyRow(SCENARIO, `waymark, ${formatWhole(size)} data planes`),
    // Time until the last data plane has a change.
    p50Ms: percentile(lastMs, 0.5) ?? null,
    p99Ms: percentile(lastMs, 0.99) ?? null,
    dataplanes: size,
    redirects: REDIRECTS,
    firstP50Ms: percentile(firstMs, 0.5) ?? Number.NaN,
    redisKibPerChange: changes.sentBytes / CHANGES / 1024,
    redisCpuMsPerChange: (changes.cpuSeconds * 1000) / CHANGES,
    idleCommandsPerSecond: idle.commands / idle.seconds,
    // Share of one core.
    idleRedisCpuShare: idle.cpuSeconds / idle.seconds,
    coldSeconds: cold.seconds,
    coldMib: cold.sentBytes / MIB,
    reconnectSeconds: storm.seconds,
    reconnectMib: storm.sentBytes / MIB,
    reconnectRedisCpuSeconds: storm.cpuSeconds,
  };
}

async function readHead(redis: RedisServer): Promise<RulesetVersion> {
  const version = parseVersion((await redis.ask(`GET ${redisKeys().head}`)).split('\r\n')[1] ?? '');
  if (version === undefined) throw new Error('Redis holds no ruleset');
  return version;
}

interface RedisUse {
  readonly seconds: number;
  readonly sentBytes: number;
  readonly commands: number;
  readonly cpuSeconds: number;
}

/** Runs `work` and returns the resources that Redis used during it, by its own counters. */
async function during<T>(redis: RedisServer, work: () => Promise<T>): Promise<readonly [RedisUse, T]> {
  const before = await readCounters(redis);
  const startedAtMs = performance.now();
  const result = await work();
  const seconds = (performance.now() - startedAtMs) / 1000;
  const after = await readCounters(redis);
  return [
    {
      seconds,
      sentBytes: after.sentBytes - before.sentBytes,
      commands: after.commands - before.commands,
      cpuSeconds: after.cpuSeconds - before.cpuSeconds,
    },
    result,
  ];
}

async function readCounters(redis: RedisServer): Promise<Omit<RedisUse, 'seconds'>> {
  const info = `${await redis.ask('INFO stats')}${await redis.ask('INFO cpu')}`;
  const value = (name: string) => Number(new RegExp(`^${name}:([\\d.]+)`, 'm').exec(info)?.[1]);
  return {
    sentBytes: value('total_net_output_bytes'),
    commands: value('total_commands_processed'),
    cpuSeconds: value('used_cpu_user') + value('used_cpu_sys'),
  };
}

const COLUMNS: readonly Column<Measured>[] = [
  { title: 'data planes', cell: ({ dataplanes }) => formatWhole(dataplanes) },
  { title: 'first p50 ms', cell: ({ firstP50Ms }) => formatDecimal(firstP50Ms) },
  { title: 'last p50 ms', cell: ({ p50Ms }) => formatDecimal(p50Ms) },
  { title: 'last p99 ms', cell: ({ p99Ms }) => formatDecimal(p99Ms) },
  { title: 'KiB a change', cell: ({ redisKibPerChange }) => formatDecimal(redisKibPerChange) },
  { title: 'Redis CPU ms a change', cell: ({ redisCpuMsPerChange }) => formatDecimal(redisCpuMsPerChange) },
  { title: 'idle commands/s', cell: ({ idleCommandsPerSecond }) => formatWhole(idleCommandsPerSecond) },
  { title: 'idle Redis CPU %', cell: ({ idleRedisCpuShare }) => formatDecimal(idleRedisCpuShare * 100) },
  { title: 'cold start s', cell: ({ coldSeconds }) => formatDecimal(coldSeconds) },
  { title: 'cold start MiB', cell: ({ coldMib }) => formatDecimal(coldMib) },
  { title: 'reconnect s', cell: ({ reconnectSeconds }) => formatDecimal(reconnectSeconds) },
  { title: 'reconnect MiB', cell: ({ reconnectMib }) => formatDecimal(reconnectMib) },
];

const NOTES = [
  `- ${formatWhole(REDIRECTS)} redirects. The feeds of all data planes run in one process, which decodes each change once per feed:`,
  '  the times of the last data plane are upper bounds. Bytes, commands and CPU time are Redis’s own counters.',
  '- `first` and `last`: from the request of a change until the first and the last data plane has it.',
  '- Cold start: all data planes connect at once and read the whole ruleset. Reconnect: all connections are cut at once; the',
  '  data planes keep their rulesets and look for changes.',
].join('\n');
