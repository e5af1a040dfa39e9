import { randomUUID } from 'node:crypto';
import { latenciesAt, timeChanges } from '../product/change-times.js';
import { startProductOnServers } from '../product/product-on-servers.js';
import { type Column, formatDecimal, formatTable, formatWhole } from '../report/table.js';
import { emptyRow } from './results.js';
import type { Bench, Scenario } from './scenario.js';

const SCENARIO = 'propagation';
const FULL_CHANGES = 300;
const QUICK_CHANGES = 40;

/** Measures the time from a commit to the first visitor who gets the change. */
export const propagation: Scenario = {
  name: SCENARIO,
  summary: 'from the commit of a change to the first visitor who is answered by it',
  async run(bench) {
    const result = await measure(bench);
    return { results: [result], report: `${formatTable(COLUMNS, [result])}\n\n${NOTES}` };
  },
};

async function measure(bench: Bench) {
  bench.say(`${SCENARIO}: starting the product`);
  const { product, database, rulesets } = await startProductOnServers(bench, SCENARIO);
  const changes = bench.quick ? QUICK_CHANGES : FULL_CHANGES;
  bench.say(`${SCENARIO}: ${changes} changes`);
  const host = `change-${randomUUID()}.localhost`;
  const { fromStartMs, fromCommitMs } = await timeChanges(product, host, changes, bench.services.databaseUrl);
  await product.stop();
  return {
    ...emptyRow(SCENARIO),
    database,
    rulesets,
    changes,
    measuredFrom: fromCommitMs === undefined ? 'start of the transaction' : 'commit',
    p50Ms: latenciesAt(fromCommitMs ?? fromStartMs, 0.5),
    p99Ms: latenciesAt(fromCommitMs ?? fromStartMs, 0.99),
    p50FromStartMs: latenciesAt(fromStartMs, 0.5),
    p99FromStartMs: latenciesAt(fromStartMs, 0.99),
  };
}

const COLUMNS: readonly Column<Awaited<ReturnType<typeof measure>>>[] = [
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
