import type { RuleCondition, RuleDefinition } from '../../shared/rules/rule-definition.js';
import type { RedirectDefinition } from '../../shared/ruleset/redirect-definition.js';

/**
 * - `alike`: ten rules by country and device. Visits form few groups.
 * - `different`: the same with forwarded paths and a choice by visitor. Hardly any two visits are equal.
 */
export type ReplayWorkload = 'alike' | 'different';

/** Returns the definition that is applied to the recorded visits of a workload. Its id is the name of the workload. */
export function replayedDefinition(workload: ReplayWorkload): RedirectDefinition {
  const isDifferent = workload === 'different';
  const rules = Array.from({ length: isDifferent ? 9 : 10 }, (_, place) => ruleOf(place + 1));
  return {
    id: workload,
    host: 'bench.example',
    destination: 'https://destination.example',
    redirectType: 'permanent',
    pathForwarding: isDifferent,
    queryForwarding: isDifferent,
    samplingRate: 0,
    rules: isDifferent ? [...rules, SPLIT] : rules,
  };
}

/** Countries are the two letters that generated hits have. */
function ruleOf(id: number): RuleDefinition {
  const country =
    String.fromCharCode('A'.charCodeAt(0) + id) + String.fromCharCode('A'.charCodeAt(0) + (id % 7));
  const conditions: RuleCondition[] = [
    { attribute: 'country', operator: 'in', value: [country, 'ZZ'] },
    { attribute: 'device_type', operator: 'equals', value: id % 2 === 0 ? 'mobile' : 'desktop' },
  ];
  const action = { type: 'redirect', url: `https://rule-${id}.example/` } as const;
  return { id, conditionLogic: 'AND', conditions, action };
}

const SPLIT: RuleDefinition = {
  id: 10,
  conditionLogic: 'AND',
  conditions: [{ attribute: 'language', operator: 'equals', value: 'de' }],
  action: {
    type: 'ab_test',
    sticky: 'visitor',
    variants: ['a', 'b'].map((name) => ({ name, percentage: 50, url: `https://${name}.example` })),
  },
};
