import type { Machine } from '../report/machine.js';
import type { ResultRow } from '../scenarios/results.js';

/** Figures of one server in one scenario: the numbers of a row of `--json`, without the figures of single rounds. */
export interface StoredRow {
  readonly scenario: string;
  readonly server: string;
  readonly figures: Readonly<Record<string, number>>;
}

export type Pace = 'quick' | 'full';

/** A run of the benchmark, in the form of the history file. */
export interface StoredRun extends Machine {
  /** ISO 8601. */
  readonly at: string;
  readonly pace: Pace;
  /** Duration of each scenario. */
  readonly seconds: Readonly<Record<string, number>>;
  readonly rows: readonly StoredRow[];
  /** Report of each scenario, in Markdown. Absent in runs that are older than kept reports. */
  readonly reports?: Readonly<Record<string, string>>;
}

/** Returns a row in the form of the history file. */
export function storedRow(row: ResultRow): StoredRow {
  const numbers = Object.entries(row).filter(([, value]) => Number.isFinite(value));
  return {
    scenario: row.scenario,
    server: labelOf(row),
    figures: Object.fromEntries(numbers.map(([name, value]) => [name, Number(value.toPrecision(5))])),
  };
}

/** Returns the name that distinguishes a row from the others of its scenario. */
function labelOf(row: ResultRow): string {
  if ('p95Ms' in row && 'endpoint' in row) return String(row.endpoint);
  if ('rules' in row && 'workload' in row) return `${row.rules} rules, ${row.workload}`;
  if ('dataplanes' in row) return `${row.dataplanes} data planes`;
  return row.server;
}
