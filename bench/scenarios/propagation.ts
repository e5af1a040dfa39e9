import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { percentile } from '../measure/statistics.js';
import { addRedirect, callApi, type Product } from '../product/product.js';
import { startProductOnServers } from '../product/product-on-servers.js';
import { createVisitor } from '../product/visitor.js';
import { type Column, formatDecimal, formatTable, formatWhole } from '../report/table.js';
import { emptyRow, type PropagationResult } from './results.js';
import type { Scenario } from './scenario.js';

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
    const latenciesMs = await timeChanges(product, changes);
    await product.stop();
    const at = (share: number) => percentile(latenciesMs, share) ?? Number.NaN;
    const result: PropagationResult = {
      ...emptyRow(SCENARIO),
      database,
      rulesets,
      changes,
      p50Ms: at(0.5),
      p99Ms: at(0.99),
    };
    return { results: [result], report: `${formatTable(COLUMNS, [result])}\n\n${NOTES}` };
  },
};

async function timeChanges(product: Product, changes: number): Promise<number[]> {
  const host = `change-${randomUUID()}.localhost`;
  const destination = (change: number) => `https://destination-${change}.example/welcome`;
  const { id } = await addRedirect(product, { fromDomain: host, toDomain: destination(0) });
  const visitor = createVisitor(product, host);
  const latenciesMs: number[] = [];
  try {
    await visitor.untilServed(destination(0));
    for (let change = 1; change <= changes + WARM_UP_CHANGES; change += 1) {
      await delay(Math.random() * LONGEST_PAUSE_MS);
      const body = { toDomain: destination(change) };
      const changing = callApi<{ updatedAt: string }>(product, 'PUT', `/update/${id}`, body);
      const [{ updatedAt }, seenAtMs] = await Promise.all([
        changing,
        visitor.untilChanged(destination(change - 1), destination(change)),
      ]);
      if (change > WARM_UP_CHANGES) latenciesMs.push(seenAtMs - Date.parse(updatedAt));
    }
    return latenciesMs;
  } finally {
    visitor.leave();
  }
}

const COLUMNS: readonly Column<PropagationResult>[] = [
  { title: 'database', isText: true, cell: ({ database }) => database },
  { title: 'rulesets', isText: true, cell: ({ rulesets }) => rulesets },
  { title: 'changes', cell: ({ changes }) => formatWhole(changes) },
  { title: 'p50 ms', cell: ({ p50Ms }) => formatDecimal(p50Ms) },
  { title: 'p99 ms', cell: ({ p99Ms }) => formatDecimal(p99Ms) },
];

const NOTES = [
  '- From `updatedAt`, the time at which the transaction began, to the first answer of a visitor who asks without',
  '  a pause: the rest of the transaction, up to a millisecond of rounding and that answer are in it.',
].join('\n');
