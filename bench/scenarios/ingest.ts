import { randomUUID } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { createClickhouse } from '../../deploy/faults/servers/clickhouse.js';
import type { IngestOrder, IngestSetup, StoreOrder } from '../ingest/ingest-process.js';
import type { BatchOrder } from '../ingest/make-batches-process.js';
import { giveOrder, startOrdered } from '../load/load-process.js';
import { readUsage } from '../measure/process-usage.js';
import { withServer } from '../product/own-servers.js';
import { type Column, formatDecimal, formatTable, formatWhole } from '../report/table.js';
import type { KafkaTopic } from '../servers/server-kind.js';
import { emptyRow } from './results.js';
import type { Bench, Scenario } from './scenario.js';

const SCENARIO = 'ingest';
const MAKER = fileURLToPath(new URL('../ingest/make-batches-process.js', import.meta.url));
const FULL_PACE = { warmUpHits: 200_000, hits: 2_000_000 };
const QUICK_PACE = { warmUpHits: 20_000, hits: 80_000 };
const SLOWEST_HITS_PER_SECOND = 5_000;

/** Measures the cost of storing a hit. */
export const ingest: Scenario = {
  name: SCENARIO,
  summary: 'batches of hits, as data planes make them, into the analytics store',
  async run(bench) {
    const results = [await measureIngest(bench)];
    if (!bench.quick) {
      const onServer = withServer(createClickhouse, ({ url, gate }) =>
        measureIngest(bench, url).finally(gate.close),
      );
      results.push(await onServer);
    }
    return { results, report: `${formatTable(COLUMNS, results)}\n\n${notesOf(results)}` };
  },
};

type Measured = Awaited<ReturnType<typeof measureIngest>>;

/** @param clickhouseUrl a server that stores the hits, in place of the embedded engine */
async function measureIngest(bench: Bench, clickhouseUrl?: string) {
  const { warmUpHits, hits } = bench.quick ? QUICK_PACE : FULL_PACE;
  const dataDir = await mkdtemp(path.join(bench.workFolder, `${SCENARIO}-`));
  const { kafkaBrokers: brokers } = bench.services;
  const kafka = brokers && { brokers, topic: `waymark-bench-${randomUUID()}` };
  const store = clickhouseUrl === undefined ? 'embedded' : 'server';
  const ingester = await startIngester(bench, { dataDir, clickhouseUrl, ...(kafka && { kafka }) });
  bench.say(`${SCENARIO}, ${store}: warming up`);
  await ingester.store({
    ...(await makeBatches(bench, dataDir, warmUpHits, kafka)),
    storedHits: warmUpHits,
  });
  await ingester.merge();
  bench.say(`${SCENARIO}, ${store}: ${formatWhole(hits)} hits`);
  const made = kafka === undefined ? await makeBatches(bench, dataDir, hits, kafka) : {};
  const before = await readUsage(ingester.pid);
  const startedAtMs = performance.now();
  // Through Kafka they are made while they are stored.
  const making = kafka === undefined ? undefined : makeBatches(bench, dataDir, hits, kafka);
  const [batches] = await Promise.all([ingester.store({ ...made, storedHits: warmUpHits + hits }), making]);
  const seconds = (performance.now() - startedAtMs) / 1000;
  // Merges that the engine defers are part of the cost of a hit if this process executes them.
  if (store === 'embedded') await ingester.merge();
  const after = await readUsage(ingester.pid);
  await ingester.end();
  const cpuUsPerHit = ((after.cpuSeconds - before.cpuSeconds) * 1e6) / hits;
  return {
    ...emptyRow(SCENARIO, store === 'embedded' ? 'waymark' : 'waymark, server of its own'),
    store,
    from: kafka === undefined ? 'intake' : 'kafka',
    hits,
    batches: kafka === undefined ? batches : null,
    // CPU time of the storing process, including the engine if it is embedded.
    cpuUsPerHit,
    hitsPerSecondPerCore: 1e6 / cpuUsPerHit,
    hitsPerSecond: hits / seconds,
    rssMiB: after.residentMib,
  };
}

/** @returns the file with the batches, unless they went to Kafka */
async function makeBatches(
  { processes, cores }: Bench,
  workFolder: string,
  hits: number,
  kafka: KafkaTopic | undefined,
): Promise<{ readonly file?: string }> {
  const file = path.join(workFolder, `batches-${hits}`);
  const made = await giveOrder<BatchOrder, { readonly hits: number }>(processes, {
    name: 'making batches',
    file: MAKER,
    cores: cores.load,
    order: { hits, workFolder, to: kafka ?? { file } },
    seconds: hits / SLOWEST_HITS_PER_SECOND,
  });
  if (made.hits !== hits) throw new Error(`${made.hits} hits were made where ${hits} were wanted`);
  return kafka === undefined ? { file } : {};
}

function notesOf(results: readonly Measured[]): string {
  const way = results.some(({ from }) => from === 'kafka')
    ? 'through Kafka'
    : 'given to the intake directly, without Kafka';
  const notes = [
    `- Batches of the product's own recorder, ${way}; every hit was found in the store.`,
    '- `embedded`: CPU time of the process that stores them, with the engine in it, until the engine has nothing left to',
    '  merge. Hits / s are until the last hit was stored.',
  ];
  if (results.some(({ store }) => store === 'server')) {
    notes.push(
      '- `server`: CPU time of the process that moves them to ClickHouse, and not of ClickHouse. That is the same',
      "  engine in a process of its own, behind as much of ClickHouse's HTTP interface as the product uses.",
    );
  }
  return notes.join('\n');
}

const COLUMNS: readonly Column<Measured>[] = [
  { title: 'store', isText: true, cell: ({ store }) => store },
  { title: 'from', isText: true, cell: ({ from }) => from },
  { title: 'hits', cell: ({ hits }) => formatWhole(hits) },
  {
    title: 'hits / batch',
    cell: ({ hits, batches }) => (batches === null ? '–' : formatWhole(hits / batches)),
  },
  { title: 'CPU µs / hit', cell: ({ cpuUsPerHit }) => formatDecimal(cpuUsPerHit) },
  { title: 'hits / s and core', cell: ({ hitsPerSecondPerCore }) => formatWhole(hitsPerSecondPerCore) },
  { title: 'hits / s', cell: ({ hitsPerSecond }) => formatWhole(hitsPerSecond) },
  { title: 'RSS MiB', cell: ({ rssMiB }) => formatWhole(rssMiB ?? Number.NaN) },
];

const FILE = fileURLToPath(new URL('../ingest/ingest-process.js', import.meta.url));
const LIMIT_MS = 300_000;

/** The process that moves hits into the store. */
interface Ingester {
  readonly pid: number;
  /** Resolves to the number of batches once as many hits are stored. @throws when they are more, or cannot be stored */
  store(order: StoreOrder): Promise<number>;
  /** Resolves once the engine has merged all stored hits. */
  merge(): Promise<void>;
  end(): Promise<void>;
}

/** Starts it on the core of measured servers. */
async function startIngester({ processes, cores }: Bench, setup: IngestSetup): Promise<Ingester> {
  const args = [FILE, JSON.stringify(setup)];
  const { pid, give, end } = await startOrdered(processes, { name: 'ingest', args, cores: cores.server });
  const order = <Result>(what: IngestOrder) => give<Result>(what, LIMIT_MS);
  return {
    pid,
    async store(what) {
      const { storedHits, batches } = await order<{ storedHits: number; batches: number }>(what);
      if (storedHits === what.storedHits) return batches;
      throw new Error(`ingest stored ${storedHits} hits where ${what.storedHits} were sent`);
    },
    merge: () => order('merge'),
    end,
  };
}
