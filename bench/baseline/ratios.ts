import type { ScenarioResult, ServerResult } from '../scenarios/results.js';

/** Ratios between servers of one run, by what they compare. */
export type Ratios = Readonly<Record<string, number>>;

type RatioField = 'ratioToNginx' | 'ratioToUws' | 'ratioToRules10' | 'ratioToHosts1k';

/**
 * Those that are stored and compared: of CPU time, which wanders by a tenth. Latencies of short rounds wander by more
 * than what a comparison is to find.
 */
const COMPARED: readonly { readonly scenario: string; readonly fields: readonly RatioField[] }[] = [
  { scenario: 'plain', fields: ['ratioToNginx', 'ratioToUws'] },
  { scenario: 'plain-sampled', fields: ['ratioToNginx', 'ratioToUws'] },
  { scenario: 'rules-10-sampled', fields: ['ratioToNginx', 'ratioToUws'] },
  { scenario: 'rules-1000', fields: ['ratioToRules10'] },
  { scenario: 'hosts-1m', fields: ['ratioToHosts1k'] },
];

/** The scenarios of which ratios are stored. */
export const COMPARED_SCENARIOS: readonly string[] = COMPARED.map(({ scenario }) => scenario);

/** Our ratios among the results. Their names tell the load generator and the sink, which have a part in them. */
export function ratiosOf(results: readonly ScenarioResult[]): Ratios {
  const ratios: Record<string, number> = {};
  for (const { scenario, fields } of COMPARED) {
    const row = results.find(
      (result): result is ServerResult => result.scenario === scenario && 'rounds' in result,
    );
    for (const field of fields) {
      const ratio = row?.[field];
      if (row !== undefined && typeof ratio === 'number') ratios[nameOf(row, field)] = ratio;
    }
  }
  return ratios;
}

/** The scenario that a ratio is of. */
export function scenarioOf(name: string): string {
  return name.split(' ', 1)[0] ?? '';
}

function nameOf({ scenario, load, sink }: ServerResult, field: RatioField): string {
  return [scenario, field, load, ...(sink === null ? [] : [sink])].join(' ');
}
