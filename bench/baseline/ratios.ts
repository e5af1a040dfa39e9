import type { ResultRow } from '../scenarios/results.js';

/** Ratios between servers of one run, by name. */
export type Ratios = Readonly<Record<string, number>>;

/** The compared ratios of a scenario: all of its first row or of the named one. */
interface Compared {
  readonly scenario: string;
  readonly server?: string;
  readonly fields: readonly string[];
}

/** Ratios of CPU time. Latencies of short rounds vary too much to be compared. */
const COMPARED: readonly Compared[] = [
  { scenario: 'plain', fields: ['ratioToNginx', 'ratioToUws'] },
  { scenario: 'plain-sampled', fields: ['ratioToNginx', 'ratioToUws'] },
  { scenario: 'rules-10-sampled', fields: ['ratioToNginx', 'ratioToUws'] },
  { scenario: 'rules-1000', fields: ['ratioToRules10'] },
  { scenario: 'hosts-1m', fields: ['ratioToHosts1k'] },
  { scenario: 'path-maps', fields: ['ratioToPlain'] },
  { scenario: 'wildcards', fields: ['ratioToExact'] },
  { scenario: 'tls-new-visitor', fields: ['ratioToNginx'] },
  { scenario: 'tls-new-visitor', server: 'waymark, kept-alive', fields: ['ratioToNginx'] },
];

/** The scenarios whose ratios are compared. */
export const COMPARED_SCENARIOS: readonly string[] = [...new Set(COMPARED.map(({ scenario }) => scenario))];

/**
 * Returns the compared ratios of a run. A name consists of the scenario, the server if it is not `waymark`, the field,
 * the load generator and the sink, because all of these influence the ratio.
 */
export function ratiosOf(results: readonly ResultRow[]): Ratios {
  const ratios: Record<string, number> = {};
  for (const { scenario, server, fields } of COMPARED) {
    const row = results.find(
      (result) => result.scenario === scenario && (server === undefined || result.server === server),
    );
    if (row === undefined) continue;
    for (const field of fields) {
      const ratio: unknown = Reflect.get(row, field);
      if (typeof ratio === 'number') ratios[nameOf(row, server, field)] = ratio;
    }
  }
  return ratios;
}

/** Returns the scenario of a ratio by its name. */
export function scenarioOf(name: string): string {
  return name.split(' ', 1)[0] ?? '';
}

function nameOf(row: ResultRow, server: string | undefined, field: string): string {
  const conditions = ['load', 'sink'].map((key): unknown => Reflect.get(row, key));
  const parts = [row.scenario, server?.replace('waymark, ', ''), field, ...conditions];
  return parts.filter((part) => typeof part === 'string').join(' ');
}
