import { type Column, formatDecimal, formatTable, formatWhole } from '../report/table.js';
import type { ServerResult } from './results.js';

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
  { title: 'start s', cell: ({ startSeconds }) => formatDecimal(startSeconds) },
  { title: 'answers checked', cell: ({ answersChecked }) => formatWhole(answersChecked) },
];

/** Columns that only some comparisons compute. A column is shown if a row has a value for it. */
const CONCLUSIONS = [
  { title: '× 10 rules', key: 'ratioToRules10' },
  { title: '× 1,000 hosts', key: 'ratioToHosts1k' },
  { title: '× plain', key: 'ratioToPlain' },
  { title: '× exact hosts', key: 'ratioToExact' },
  { title: 'bytes / host', key: 'bytesPerHost', whole: true },
  { title: 'cold start s', key: 'coldStartSeconds' },
  { title: 'rules MiB', key: 'rulesMiB', whole: true },
] as const;

/** Servers side by side, one a line. */
export function formatServerTable(results: readonly ServerResult[]): string {
  const conclusions = CONCLUSIONS.filter(({ key }) => results.some((row) => row[key] !== undefined));
  return formatTable(
    [
      ...COLUMNS,
      ...conclusions.map(
        ({ title, key, ...format }): Column<ServerResult> => ({
          title,
          cell: (row) => formatConclusion(row[key], 'whole' in format),
        }),
      ),
    ],
    results,
  );
}

function formatConclusion(value: number | null | undefined, isWhole: boolean): string {
  return isWhole && typeof value === 'number' ? formatWhole(value) : formatDecimal(value ?? null);
}

function spread({ rounds }: ServerResult): string {
  const values = rounds.map(({ cpuUsPerRequest }) => cpuUsPerRequest);
  return `${formatDecimal(Math.min(...values))}–${formatDecimal(Math.max(...values))}`;
}
