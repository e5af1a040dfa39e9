import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { packageRoot } from '../../shared/config/package-root.js';
import type { Accounts } from './accounting.js';
import type { Fault } from './fault.js';
import type { LoadStats } from './load/load-messages.js';
import { sumOf, uncountedLoss } from './verdict.js';

/** Result of one fault. */
export interface Row {
  readonly fault: Fault;
  readonly outcome: 'passed' | 'failed' | 'impossible';
  /** The unmet requirements, or why the fault cannot be injected. */
  readonly problems: readonly string[];
  readonly stats?: LoadStats;
  readonly accounts?: Accounts;
  readonly convergedMs?: number | undefined;
}

const COLUMNS = [
  'fault',
  'answered',
  'failed (alive)',
  'failed (dead)',
  'wrong',
  'p99 ms',
  'converged ms',
  'recorded',
  'stored',
  'lost, counted',
  'lost, not counted',
  'duplicated',
  'verdict',
];
const BEGIN = '<!-- faults:begin -->';
const END = '<!-- faults:end -->';

/** Formats the results as a Markdown table. */
export function tableOf(rows: readonly Row[]): string {
  return [COLUMNS, COLUMNS.map(() => '---'), ...rows.map(cellsOf)]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}

/** Formats one result for the terminal. */
export function lineOf(row: Row): string {
  const figures = cellsOf(row).map((cell, index) => `${COLUMNS[index]} ${cell}`);
  return [figures.slice(1).join(', '), ...row.problems.map((problem) => `  ${problem}`)].join('\n');
}

function cellsOf({ fault, outcome, stats, accounts, convergedMs }: Row): string[] {
  if (stats === undefined || accounts === undefined) {
    return [
      fault.summary,
      ...COLUMNS.slice(2).map(() => ''),
      outcome === 'impossible' ? 'not shown here' : outcome,
    ];
  }
  const figures = [
    sumOf(stats, 'answered'),
    sumOf(stats, 'failed'),
    sumOf(stats, 'failedWhileDown'),
    sumOf(stats, 'wrong'),
    Math.max(...stats.planes.map(({ p99Ms }) => p99Ms)),
    convergedMs ?? 'never',
    accounts.recorded,
    accounts.stored,
    accounts.lost + accounts.killed,
    fault.allowedLoss === 'killed' ? Math.max(0, uncountedLoss(stats, accounts)) : 0,
    accounts.duplicated,
  ];
  return [fault.summary, ...figures.map((figure) => figure.toLocaleString('en')), outcome];
}

/**
 * Writes results into the table in `deploy/faults/README.md`, between its markers. Rows of faults that did not run
 * stay.
 *
 * @param order of the table
 * @throws when the markers are missing
 */
export async function writeReport(rows: readonly Row[], order: readonly Fault[]): Promise<void> {
  const file = path.join(packageRoot(), 'deploy', 'faults', 'README.md');
  const text = await readFile(file, 'utf8');
  const [before, after] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (before === -1 || after < before) throw new Error(`deploy/faults/README.md has no ${BEGIN} and ${END}`);
  const headEnd = before + BEGIN.length;
  const table = mergedTable(text.slice(headEnd, after), rows, order);
  await writeFile(file, `${text.slice(0, headEnd)}\n\n${table}\n\n${text.slice(after)}`);
}

/** Returns the rows of `former`, with `rows` added or replaced. */
export function mergedTable(former: string, rows: readonly Row[], order: readonly Fault[]): string {
  const [head = '', line = '', ...played] = tableOf(rows).split('\n');
  const bySummary = new Map([...former.split('\n'), ...played].map((row) => [row.split(' | ')[0], row]));
  const body = order.map(({ summary }) => bySummary.get(`| ${summary}`)).filter((row) => row !== undefined);
  return [head, line, ...body].join('\n');
}
