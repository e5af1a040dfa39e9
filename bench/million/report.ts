import { type Column, formatDecimal, formatTable, formatWhole } from '../report/table.js';
import type { MillionResult, TimedEndpoint } from '../scenarios/results.js';
import { ENDPOINTS } from './endpoints.js';
import { describeSharing } from './installation.js';

interface Line {
  readonly what: string;
  readonly value: string;
}

const LINE_COLUMNS: readonly Column<Line>[] = [
  { title: 'figure', isText: true, cell: ({ what }) => what },
  { title: 'measured', cell: ({ value }) => value },
];

/** The figures for people, in Markdown. */
export function reportMillion(figures: MillionResult): string {
  const seconds = (value: number) => `${formatDecimal(value)} s`;
  const mib = (value: number) => `${formatWhole(value)} MiB`;
  const ms = (value: number) => `${formatDecimal(value)} ms`;
  const lines: readonly (readonly [string, string])[] = [
    ['redirects, with a rule each', formatWhole(figures.redirects)],
    ['first start until both roles are ready', seconds(figures.readySeconds)],
    ['first start until the first visitor', seconds(figures.firstVisitorSeconds)],
    ['CPU time by then, control plane', seconds(figures.startCpuSeconds)],
    ['CPU time by then, data plane', seconds(figures.dataplaneStartCpuSeconds)],
    ['restart of a data plane until the first visitor', seconds(figures.dataplaneRestartSeconds)],
    ['restart of a control plane until it is ready', seconds(figures.controlplaneRestartSeconds)],
    ['a second control plane until it is ready', seconds(figures.secondControlplaneSeconds)],
    ['a second data plane until the first visitor', seconds(figures.secondDataplaneSeconds)],
    ['memory of the control plane, peak', mib(figures.controlplanePeakMiB)],
    ['memory of the data plane after its start', mib(figures.dataplaneMiB)],
    ['memory of the data plane, peak', mib(figures.dataplanePeakMiB)],
    ['memory of Redis after the start', mib(figures.redisMiB)],
    ['memory of Redis, peak', mib(figures.redisPeakMiB)],
    ['database', mib(figures.databaseMiB)],
    ['creations a second, 16 callers', formatWhole(figures.creates_per_s)],
    ['CPU time of the control plane per creation', ms(figures.createCpuMs)],
    ['updates a second, 16 callers, visitors beside them', formatWhole(figures.updates_per_s)],
    ['CPU time of the control plane per update', ms(figures.updateCpuMs)],
    ['p99 of a visitor, quiet', ms(figures.visitorP99Ms)],
    ['p99 of a visitor during the updates', ms(figures.visitorP99MsWhileUpdating)],
    ['commit to the first visitor, p50', ms(figures.propagationP50Ms)],
    ['commit to the first visitor, p99', ms(figures.propagationP99Ms)],
  ];
  const table = formatTable(
    LINE_COLUMNS,
    lines.map(([what, value]) => ({ what, value })),
  );
  return [table, formatTable(endpointColumns(figures), ENDPOINTS), notes(figures)].join('\n\n');
}

function endpointColumns(figures: MillionResult): readonly Column<TimedEndpoint>[] {
  return [
    { title: 'endpoint', isText: true, cell: (name) => name },
    { title: 'p50 ms', cell: (name) => formatDecimal(figures[`${name}P50Ms`]) },
    { title: 'p95 ms', cell: (name) => formatDecimal(figures[`${name}P95Ms`]) },
    { title: 'p99 ms', cell: (name) => formatDecimal(figures[`${name}P99Ms`]) },
    { title: 'p95 × 1,000 redirects', cell: (name) => formatDecimal(figures[`${name}P95RatioTo1k`]) },
  ];
}

function notes({ loadAverage }: MillionResult): string {
  return [
    ...describeSharing(),
    `- The load average was ${formatDecimal(loadAverage)} at the beginning.`,
    '- `list` reads 100 redirects of a user; the other endpoints read or change one redirect. The last column compares with an',
    '  installation of 1,000 redirects on the same servers, called alternately.',
    '- Nothing is recorded. The memory of a role is the sum over its processes.',
  ].join('\n');
}
