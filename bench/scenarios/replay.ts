import { mkdtemp } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { giveOrder } from '../load/load-process.js';
import type { ReplayCost, ReplayOrder } from '../replay/replay-process.js';
import { type Column, formatDecimal, formatTable, formatWhole } from '../report/table.js';
import { emptyRow, type ReplayResult } from './results.js';
import type { Scenario } from './scenario.js';

const PROCESS = fileURLToPath(new URL('../replay/replay-process.js', import.meta.url));
const HITS = 10_000_000;
const QUICK_HITS = 200_000;
/** Much slower than any machine, so that only a hung process is ended. */
const SLOWEST_HITS_PER_SECOND = 5_000;

/** Measures the cost of judging recorded visits by a definition. */
export const replay: Scenario = {
  name: 'replay',
  summary: 'recorded visits judged by ten rules, in the embedded engine',
  async run(bench) {
    const hits = bench.hits ?? (bench.quick ? QUICK_HITS : HITS);
    bench.say(`replay: ${formatWhole(hits)} visits`);
    const costs = await giveOrder<ReplayOrder, readonly ReplayCost[]>(bench.processes, {
      name: 'replaying',
      file: PROCESS,
      cores: bench.cores.server,
      order: {
        dataDir: await mkdtemp(path.join(bench.workFolder, 'replay-')),
        hits,
        workloads: ['alike', 'different'],
      },
      seconds: (3 * hits) / SLOWEST_HITS_PER_SECOND,
    });
    const results = costs.map(({ rssMiB, ...cost }): ReplayResult => {
      const row = emptyRow('replay', `waymark, ${cost.workload} visits`);
      return { ...row, ...cost, rssMiB, visitsPerSecondPerCore: 1e6 / cost.cpuUsPerVisit };
    });
    return { results, report: `${formatTable(COLUMNS, results)}\n\n${NOTES}` };
  },
};

const NOTES = [
  '- alike: ten rules by country and device, so that visits make few groups. different: with forwarded paths and a choice by',
  '  visitor, so that hardly two visits are equal.',
  '- CPU time is that of the process, the engine included. The longest turn of its event loop is a wait for other requests.',
].join('\n');

const COLUMNS: readonly Column<ReplayResult>[] = [
  { title: 'visits', isText: true, cell: ({ workload }) => workload },
  { title: 'number', cell: ({ visits }) => formatWhole(visits) },
  { title: 'CPU µs / visit', cell: ({ cpuUsPerVisit }) => formatDecimal(cpuUsPerVisit) },
  { title: 'visits / s and core', cell: ({ visitsPerSecondPerCore }) => formatWhole(visitsPerSecondPerCore) },
  { title: 'visits / s', cell: ({ visitsPerSecond }) => formatWhole(visitsPerSecond) },
  { title: 'longest turn ms', cell: ({ longestTurnMs }) => formatWhole(longestTurnMs) },
  { title: 'RSS MiB', cell: ({ rssMiB }) => formatWhole(rssMiB ?? Number.NaN) },
];
