import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { percentile } from '../measure/statistics.js';
import { readCommitTimes } from '../product/commit-times.js';
import { addRedirect, callApi, type Product } from '../product/product.js';
import { startProductOnServers } from '../product/product-on-servers.js';
import { createVisitor } from '../product/visitor.js';
import { type Column, formatDecimal, formatTable, formatWhole } from '../report/table.js';
import { emptyRow, type PropagationResult } from './results.js';
import type { Bench, Scenario } from './scenario.js';

const SCENARIO = 'propagation';
const FULL_CHANGES = 300;
const QUICK_CHANGES = 40;
const WARM_UP_CHANGES = 10;
/** Changes come one by one, at no fixed beat. */
const LONGEST_PAUSE_MS = 30;

/** How soon a change that is committed decides about visitors. */
export const propagation: Scenario = {
  name: SCENARIO,
  summary: 'from the commit of a change to the first visitor who is answered by it',
  async run(bench) {
    bench.say(`${SCENARIO}: starting the product`);
    const { product, database, rulesets } = await startProductOnServers(bench, SCENARIO);
    const changes = bench.quick ? QUICK_CHANGES : FULL_CHANGES;
    bench.say(`${SCENARIO}: ${changes} changes`);
    const host = `change-${randomUUID()}.localhost`;
    const times = await timeChanges(product, host, changes + WARM_UP_CHANGES);
    const committedAtMs =
      database === 'postgresql' ? await commitTimes(bench, host, times.length) : undefined;
    await product.stop();
    const fromStart = latencies(
      times,
      times.map(({ startedAtMs }) => startedAtMs),
    );
    const fromCommit = committedAtMs && latencies(times, committedAtMs);
    const result: PropagationResult = {
      ...emptyRow(SCENARIO),
      database,
      rulesets,
      changes,
      measuredFrom: fromCommit === undefined ? 'start of the transaction' : 'commit',
      p50Ms: at(fromCommit ?? fromStart, 0.5),
      p99Ms: at(fromCommit ?? fromStart, 0.99),
      p50FromStartMs: at(fromStart, 0.5),
      p99FromStartMs: at(fromStart, 0.99),
    };
    return { results: [result], report: `${formatTable(COLUMNS, [result])}\n\n${NOTES}` };
  },
};

/** Unix times in milliseconds. */
interface ChangeTimes {
  /** Start of the transaction. */
  readonly startedAtMs: number;
  /** The first answer by it. */
  readonly seenAtMs: number;
}

async function timeChanges(product: Product, host: string, changes: number): Promise<ChangeTimes[]> {
  const destination = (change: number) => `https://destination-${change}.example/welcome`;
  // Storing this visitor's hits would take turns on the one core with what is measured.
  const { id } = await addRedirect(product, { fromDomain: host, toDomain: destination(0), samplingRate: 0 });
  const visitor = createVisitor(product, host);
  const times: ChangeTimes[] = [];
  try {
    await visitor.untilServed(destination(0));
    for (let change = 1; change <= changes; change += 1) {
      await delay(Math.random() * LONGEST_PAUSE_MS);
      const body = { toDomain: destination(change) };
      const changing = callApi<{ updatedAt: string }>(product, 'PUT', `/update/${id}`, body);
      const [{ updatedAt }, seenAtMs] = await Promise.all([
        changing,
        visitor.untilChanged(destination(change - 1), destination(change)),
      ]);
      times.push({ startedAtMs: Date.parse(updatedAt), seenAtMs });
    }
    return times;
  } finally {
    visitor.leave();
  }
}

/** The first commit made the host, each further one was a change. */
async function commitTimes(
  { services: { databaseUrl } }: Bench,
  host: string,
  changes: number,
): Promise<readonly number[] | undefined> {
  const times = databaseUrl === undefined ? undefined : await readCommitTimes(databaseUrl, host);
  if (times !== undefined && times.length !== changes + 1) {
    throw new Error(`${SCENARIO}: ${times.length} commits of ${changes} changes`);
  }
  return times?.slice(1);
}

function latencies(times: readonly ChangeTimes[], sinceMs: readonly number[]): number[] {
  return times
    .map(({ seenAtMs }, change) => seenAtMs - (sinceMs[change] ?? Number.NaN))
    .slice(WARM_UP_CHANGES);
}

function at(latenciesMs: readonly number[], share: number): number {
  return percentile(latenciesMs, share) ?? Number.NaN;
}

const COLUMNS: readonly Column<PropagationResult>[] = [
  { title: 'database', isText: true, cell: ({ database }) => database },
  { title: 'rulesets', isText: true, cell: ({ rulesets }) => rulesets },
  { title: 'changes', cell: ({ changes }) => formatWhole(changes) },
  { title: 'from', isText: true, cell: ({ measuredFrom }) => measuredFrom },
  { title: 'p50 ms', cell: ({ p50Ms }) => formatDecimal(p50Ms) },
  { title: 'p99 ms', cell: ({ p99Ms }) => formatDecimal(p99Ms) },
  { title: 'p50 ms from start', cell: ({ p50FromStartMs }) => formatDecimal(p50FromStartMs) },
  { title: 'p99 ms from start', cell: ({ p99FromStartMs }) => formatDecimal(p99FromStartMs) },
];

const NOTES = [
  '- To the first answer of a visitor who asks without a pause, on the core of the data plane and of the control',
  '  plane: that answer is in it. From the commit as PostgreSQL notes it (`track_commit_timestamp`); and from the',
  '  start of the transaction, which is `updatedAt` and up to a millisecond of rounding. None of the visits is recorded.',
].join('\n');
