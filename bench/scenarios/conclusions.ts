import type { ServerResult } from './results.js';
import { cpuRatio } from './summarize.js';

const BYTES_PER_MIB = 1024 * 1024;

/** Many rules against ten: the second row is that of ten. */
export function concludeRules(rows: readonly ServerResult[]): readonly ServerResult[] {
  return rows.map((row) => ({ ...row, ratioToRules10: cpuRatio(row, rows[1]) }));
}

/** Compares tables of paths with plain redirects, which are the last row. */
export function concludePaths(rows: readonly ServerResult[]): readonly ServerResult[] {
  return rows.map((row) => ({ ...row, ratioToPlain: cpuRatio(row, rows.at(-1)) }));
}

/** Compares wildcard hosts with exact ones, which are the last row. */
export function concludeWildcards(rows: readonly ServerResult[]): readonly ServerResult[] {
  return rows.map((row) => ({ ...row, ratioToExact: cpuRatio(row, rows.at(-1)) }));
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

/**
 * Adds the memory of rules to our rows (their server names begin with that of the first row). One of these servers has
 * no rules.
 */
export function concludeRuleMemory(rows: readonly ServerResult[]): readonly ServerResult[] {
  const [first] = rows;
  const ours = rows.filter(({ server }) => first !== undefined && server.startsWith(first.server));
  const without = ours.find(({ rulesPerHost }) => rulesPerHost === 0);
  if (without === undefined) return rows;
  return rows.map((row) =>
    row !== without && ours.includes(row)
      ? { ...row, rulesMiB: bytesBetween(row, without) / BYTES_PER_MIB }
      : row,
  );
}

function bytesBetween(one: ServerResult, other: ServerResult): number {
  return ((one.memoryInUseMiB ?? Number.NaN) - (other.memoryInUseMiB ?? Number.NaN)) * BYTES_PER_MIB;
}
