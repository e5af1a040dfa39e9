import type { ServerResult } from './results.js';
import { cpuRatio } from './summarize.js';

const BYTES_PER_MIB = 1024 * 1024;

/** Many rules against ten: the second row is that of ten. */
export function concludeRules(rows: readonly ServerResult[]): readonly ServerResult[] {
  return rows.map((row) => ({ ...row, ratioToRules10: cpuRatio(row, rows[1]) }));
}

/** Many hosts against a thousand: the second row is that of a thousand. */
export function concludeHosts(rows: readonly ServerResult[]): readonly ServerResult[] {
  const [, few] = rows;
  return rows.map((row) => ({
    ...row,
    ratioToHosts1k: cpuRatio(row, few),
    coldStartSeconds: row.startSeconds,
    ...(few !== undefined &&
      row !== few && { bytesPerHost: bytesBetween(row, few) / (row.hosts - few.hosts) }),
  }));
}

/** What the rules of the first row weigh: the last row is that of as many hosts without any. */
export function concludeRuleMemory(rows: readonly ServerResult[]): readonly ServerResult[] {
  const [ours] = rows;
  const without = rows.find(({ server, rulesPerHost }) => server !== ours?.server && rulesPerHost === 0);
  if (ours === undefined || without === undefined) return rows;
  const rulesMiB = bytesBetween(ours, without) / BYTES_PER_MIB;
  return rows.map((row) => (row === ours ? { ...row, rulesMiB } : row));
}

function bytesBetween(one: ServerResult, other: ServerResult): number {
  return ((one.memoryInUseMiB ?? Number.NaN) - (other.memoryInUseMiB ?? Number.NaN)) * BYTES_PER_MIB;
}
