import type { QueryParams } from '../../storage/clickhouse/analytics-store.js';
import type { NeededFacts } from './needed-columns.js';
import { EXPRESSIONS, type GroupColumn } from './visit-group.js';

const ALWAYS = ['rule_id', 'variant', 'destination_url', 'status_code', 'query_recording'] as const;
/** Columns of examples beside the time. Those that visits are grouped by are known of the group. */
const SEEN = ['path', 'country', 'device_type'] as const;
/** Clocks of all time zones differ by a multiple of this. */
export const CLOCK_STEP_MS = 900_000;

/** 0 for no draw, otherwise 1 and the number of bounds that are not above the draw. */
const DRAW = `toUInt32(if(draw = 0, 0, 1 + arrayCount(bound -> reinterpretAsFloat64(toUInt64(bound)) <= draw, {bounds:Array(String)})))`;
const CLOCK = `toUInt32(intDiv(toUnixTimestamp64Milli(timestamp), ${CLOCK_STEP_MS}))`;

/** Parts of the statement that reads groups of visits. */
interface GroupColumns {
  /** List of the selected columns. The names end with an underscore: no column of the table has such a name. */
  readonly select: string;
  /** Expressions that visits are grouped by: those of `ALWAYS`, of the needed columns, and of the clock. */
  readonly keys: string;
  readonly params: QueryParams;
}

/** @param isGrouped false: each visit is a group */
export function groupColumns(facts: NeededFacts, isGrouped: boolean): GroupColumns {
  const { columns, needsClock, drawBounds, isWeighted = false } = facts;
  const keys = [
    ...[...ALWAYS, ...columns].map((column) => [column, expressionOf(column)] as const),
    ...(needsClock ? [['clock', CLOCK] as const] : []),
  ];
  const seen = [
    ['time', 'toUInt64(toUnixTimestamp64Milli(timestamp))'] as const,
    ...SEEN.filter((column) => !columns.includes(column)).map(
      (column) => [`seen_${column}`, column] as const,
    ),
  ];
  const example = `any(tuple(${seen.map(([, expression]) => expression).join(', ')}))`;
  const examples = isGrouped
    ? seen.map(([name], index) => [name, `tupleElement(${example}, ${index + 1})`] as const)
    : seen;
  const counts = isGrouped ? [['visits', 'count()'] as const] : [];
  const weights = [
    ['weight', isGrouped ? 'sum(1 / sampling_rate)' : '1 / sampling_rate'],
    ['squares', isGrouped ? 'sum(pow(sampling_rate, -2))' : 'pow(sampling_rate, -2)'],
  ] as const;
  const selected = [...keys, ...examples, ...counts, ...(isWeighted ? weights : [])];
  return {
    select: selected.map(([name, expression]) => `${expression} AS ${name}_`).join(', '),
    keys: keys.map(([, expression]) => expression).join(', '),
    params: columns.includes('draw') ? { bounds: drawBounds.map(bitsOf) } : {},
  };
}

function expressionOf(column: GroupColumn | (typeof ALWAYS)[number]): string {
  if (column === 'draw') return DRAW;
  // The number takes half the bytes of its digits.
  if (column === 'visitor') return 'visitor';
  return (EXPRESSIONS as Partial<Record<string, string>>)[column] ?? column;
}

/** The bits of a number, since the engine may read its decimal form as a neighbour. */
function bitsOf(number: number): string {
  return String(new BigUint64Array(Float64Array.of(number).buffer)[0]);
}
