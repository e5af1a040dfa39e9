import type { Goal } from './goals.js';
import { type Column, formatDecimal, formatTable, formatWhole } from './table.js';

/** A goal with its measured value; `null` in a run without its scenario. */
export interface GoalRow {
  readonly goal: Goal;
  readonly measured: number | null;
  /** Measured by goal. */
  readonly ratio: number | null;
  readonly isMet: boolean | null;
}

/** Returns the measured figures of a table of goals, by the text of the goal. */
export function readMeasured(table: string): ReadonlyMap<string, number> {
  const lines = table.matchAll(/^\| (.+): [≤≥] [^|]*\| *([\d.,]+) *\|/gm);
  return new Map(
    Array.from(lines, ([, text = '', figure = '']) => [text, Number(figure.replaceAll(',', ''))]),
  );
}

/**
 * Looks up each goal in the results.
 *
 * @param former figures by the text of a goal, for goals that have no row
 */
export function compareWithGoals(
  goals: readonly Goal[],
  results: readonly { readonly scenario: string; readonly server: string }[],
  former: ReadonlyMap<string, number> = new Map(),
): GoalRow[] {
  return goals.map((goal) => {
    const row = results.find(
      ({ scenario, server }) =>
        scenario === goal.scenario && (goal.server === undefined || server === goal.server),
    );
    const value: unknown = row === undefined ? former.get(goal.text) : Reflect.get(row, goal.field);
    if (typeof value !== 'number' || Number.isNaN(value)) {
      return { goal, measured: null, ratio: null, isMet: null };
    }
    const isMet = goal.isLeast ? value >= goal.limit : value <= goal.limit;
    return { goal, measured: value, ratio: value / goal.limit, isMet };
  });
}

/** The goals as a table, one a line. */
export function formatGoalTable(rows: readonly GoalRow[]): string {
  return formatTable(COLUMNS, rows);
}

const COLUMNS: readonly Column<GoalRow>[] = [
  {
    title: 'goal',
    isText: true,
    cell: ({ goal: { text, isLeast, limit, unit } }) =>
      `${text}: ${isLeast ? '≥' : '≤'} ${formatNumber(limit)} ${unit}`,
  },
  { title: 'measured', cell: ({ measured }) => (measured === null ? '–' : formatNumber(measured)) },
  { title: 'ratio', cell: ({ ratio }) => formatDecimal(ratio) },
  { title: 'method', isText: true, cell: ({ goal }) => goal.method },
  {
    title: 'met?',
    isText: true,
    cell: ({ isMet }) => (isMet === null ? 'not measured' : isMet ? 'yes' : 'no'),
  },
];

function formatNumber(value: number): string {
  return value >= 100 ? formatWhole(value) : formatDecimal(value);
}
