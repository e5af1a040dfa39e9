import { type Column, formatDecimal, formatTable, formatWhole } from '../report/table.js';
import type { ServerResult } from './scenario.js';

const COLUMNS: readonly Column<ServerResult>[] = [
  { title: 'server', isText: true, cell: ({ server }) => server },
  { title: 'CPU µs / request', cell: ({ cpuUsPerRequest }) => formatDecimal(cpuUsPerRequest) },
  { title: 'lowest to highest', cell: spread },
  { title: '× nginx', cell: ({ ratioToNginx }) => formatDecimal(ratioToNginx) },
  { title: '× uws', cell: ({ ratioToUws }) => formatDecimal(ratioToUws) },
  { title: 'requests / s', cell: ({ requestsPerSecond }) => formatWhole(requestsPerSecond) },
  { title: 'p50 ms', cell: ({ p50Ms }) => formatDecimal(p50Ms) },
  { title: 'p99 ms', cell: ({ p99Ms }) => formatDecimal(p99Ms) },
  { title: 'RSS MiB', cell: ({ rssMiB }) => formatWhole(rssMiB) },
  { title: 'answers checked', cell: ({ answersChecked }) => formatWhole(answersChecked) },
];

/** Servers side by side, one a line. */
export function formatServerTable(results: readonly ServerResult[]): string {
  return formatTable(COLUMNS, results);
}

function spread({ rounds }: ServerResult): string {
  const values = rounds.map(({ cpuUsPerRequest }) => cpuUsPerRequest);
  return `${formatDecimal(Math.min(...values))}–${formatDecimal(Math.max(...values))}`;
}
