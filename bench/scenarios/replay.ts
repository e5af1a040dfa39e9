import { mkdtemp } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { giveOrder } from '../load/load-process.js';
import { type BesideReplay, measureBesideReplay } from '../replay/beside-replay.js';
import type { ReplayCost, ReplayOrder } from '../replay/replay-process.js';
import { type Column, formatDecimal, formatTable, formatWhole } from '../report/table.js';
import { emptyRow } from './results.js';
import type { Scenario } from './scenario.js';

const PROCESS = fileURLToPath(new URL('../replay/replay-process.js', import.meta.url));
const HITS = 10_000_000;
const QUICK_HITS = 200_000;
/** Far slower than any machine, so the time limit ends only a hung process. */
const SLOWEST_HITS_PER_SECOND = 5_000;

/** Measures the cost of a replay, which applies a definition to recorded visits, and its effect on other requests. */
export const replay: Scenario = {
  name: 'replay',
  summary:
    'recorded visits judged by ten rules, in the embedded engine; visitors and the API beside a replay',
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
    const rows = costs.map(rowOf);
    const beside = {
      ...emptyRow('replay', 'waymark, beside a replay'),
      ...(await measureBesideReplay(bench)),
    };
    const besideTable = formatTable(BESIDE_COLUMNS, linesOf(beside));
    return {
      results: [...rows, beside],
      report: `${formatTable(COLUMNS, rows)}\n\n${besideTable}\n\n${NOTES}`,
    };
  },
};

const rowOf = (cost: ReplayCost) => ({
  ...emptyRow('replay', `waymark, ${cost.workload} visits`),
  ...cost,
  visitsPerSecondPerCore: 1e6 / cost.cpuUsPerVisit,
});

const NOTES = [
  '- alike: ten rules by country and device, so that visits make few groups. different: with forwarded paths and a choice by',
  '  visitor, so that hardly two visits are equal.',
  '- CPU time is that of the process, the engine included, after it has merged the inserted visits. The longest turn of its',
  '  event loop is a wait for other requests.',
  '- beside a replay: the whole product in one command, 1,000 visitors a second and a caller of `GET /get-redirects/me`, in',
  '  quiet rounds and in rounds with a replay of different visits, in turn. The ratio is the median over pairs of rounds.',
].join('\n');

const COLUMNS: readonly Column<ReturnType<typeof rowOf>>[] = [
  { title: 'visits', isText: true, cell: ({ workload }) => workload },
  { title: 'number', cell: ({ visits }) => formatWhole(visits) },
  { title: 'CPU µs / visit', cell: ({ cpuUsPerVisit }) => formatDecimal(cpuUsPerVisit) },
  { title: 'visits / s and core', cell: ({ visitsPerSecondPerCore }) => formatWhole(visitsPerSecondPerCore) },
  { title: 'visits / s', cell: ({ visitsPerSecond }) => formatWhole(visitsPerSecond) },
  { title: 'longest turn ms', cell: ({ longestTurnMs }) => formatWhole(longestTurnMs) },
  { title: 'RSS MiB', cell: ({ rssMiB }) => formatWhole(rssMiB) },
];

interface BesideLine {
  readonly who: string;
  readonly p99Ms: number;
  readonly quietP99Ms: number;
  readonly ratio: number;
}

function linesOf(row: BesideReplay): readonly BesideLine[] {
  return [
    {
      who: 'visitors',
      p99Ms: row.visitorsP99Ms,
      quietP99Ms: row.visitorsQuietP99Ms,
      ratio: row.visitorsP99Ratio,
    },
    { who: 'API', p99Ms: row.apiP99Ms, quietP99Ms: row.apiQuietP99Ms, ratio: row.apiP99Ratio },
  ];
}

const BESIDE_COLUMNS: readonly Column<BesideLine>[] = [
  { title: 'beside a replay', isText: true, cell: ({ who }) => who },
  { title: 'p99 ms', cell: ({ p99Ms }) => formatDecimal(p99Ms) },
  { title: 'quiet p99 ms', cell: ({ quietP99Ms }) => formatDecimal(quietP99Ms) },
  { title: 'p99 × quiet', cell: ({ ratio }) => formatDecimal(ratio) },
];
