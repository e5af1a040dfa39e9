import { createRegexGuard } from '../../shared/rules/regex-guard.js';
import { createRedirectTallies } from '../hits/redirect-tallies.js';
import { createRulesetTable, type RulesetTable } from './ruleset-table.js';

/** An empty table with tallies of its own. */
export function createTestTable(tallies = createRedirectTallies(), compiledBytes?: number): RulesetTable {
  return createRulesetTable({
    recorder: { tallyOf: tallies.of },
    regexGuard: createRegexGuard(),
    ...(compiledBytes !== undefined && { compiledBytes }),
  });
}
