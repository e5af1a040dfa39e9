import { fileURLToPath } from 'node:url';
import { startOrdered } from '../load/load-process.js';
import { type Column, formatTable, formatWhole } from '../report/table.js';
import type { DecisionCost, Pace, RulesOrder } from '../rules/decision-cost.js';
import type { WorkloadName } from '../rules/rule-workload.js';
import { emptyRow, type ResultRow } from './results.js';
import type { Bench, Scenario } from './scenario.js';

type RuleResult = ResultRow & DecisionCost;

const FULL_PACE: Pace = { rounds: 7, decisionsPerRound: 1_000_000, rulesInMemory: 100_000 };
const QUICK_PACE: Pace = { rounds: 3, decisionsPerRound: 100_000, rulesInMemory: 10_000 };
const LIMIT_MS = 60_000;

const WORKLOADS: readonly { readonly name: WorkloadName; readonly rules: number }[] = [
  { name: 'mixed', rules: 1 },
  { name: 'mixed', rules: 10 },
  { name: 'mixed', rules: 100 },
  { name: 'mixed', rules: 1_000 },
  { name: 'mixed', rules: 10_000 },
  { name: 'paths', rules: 10_000 },
  { name: 'starts', rules: 10_000 },
];

/** Measures the cost of a decision as the number of rules grows. */
export const ruleDecisions: Scenario = {
  name: 'rules',
  summary: 'deciding among the rules of one redirect, in nanoseconds, and their memory',
  runs: 'full',
  async run(bench) {
    const results: RuleResult[] = [];
    for (const { name, rules } of WORKLOADS) {
      bench.say(`rules: ${formatWhole(rules)}, ${name}`);
      results.push({ ...emptyRow('rules'), ...(await measureApart(bench, name, rules)) });
    }
    return { results, report: `${formatTable(COLUMNS, results)}\n\n${NOTES}` };
  },
};

async function measureApart({ processes, cores, quick }: Bench, workload: WorkloadName, rules: number) {
  const file = fileURLToPath(new URL('../rules/rules-process.js', import.meta.url));
  const program = { name: `${rules} rules`, args: ['--expose-gc', file], cores: cores.server };
  const order: RulesOrder = { workload, rules, pace: quick ? QUICK_PACE : FULL_PACE };
  const started = await startOrdered(processes, program);
  return started.give<DecisionCost>(order, LIMIT_MS).finally(() => started.end());
}

const NOTES = [
  '- mixed: country and language with a device, a browser or a system; campaigns; percentages. paths: a path each.',
  '  starts: a beginning of paths each.',
  '- A hit is a visitor whom one of the rules matches; a miss satisfies parts of many and none. What a request says is',
  '  at hand: reading it is not in the figures.',
].join('\n');

const COLUMNS: readonly Column<RuleResult>[] = [
  { title: 'rules', isText: true, cell: ({ workload }) => workload },
  { title: 'number', cell: ({ rules }) => formatWhole(rules) },
  { title: 'ns / hit', cell: ({ hitNs }) => formatWhole(hitNs) },
  { title: 'ns / miss', cell: ({ missNs }) => formatWhole(missNs) },
  { title: 'compile µs', cell: ({ compileUs }) => formatWhole(compileUs) },
  { title: 'bytes / rule', cell: ({ bytesPerRule }) => formatWhole(bytesPerRule) },
  { title: 'decisions checked', cell: ({ decisionsChecked }) => formatWhole(decisionsChecked) },
];
