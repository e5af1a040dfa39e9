import { createRegexGuard } from '../../shared/rules/regex-guard.js';
import { createHitCounters } from '../hits/hit-counters.js';
import { RulesetTable } from './ruleset-table.js';

/** An empty table with tallies of its own. */
export function createTestTable(recorder = createHitCounters(), compiledBytes?: number): RulesetTable {
  return new RulesetTable({
    recorder,
    regexGuard: createRegexGuard(),
    ...(compiledBytes !== undefined && { compiledBytes }),
  });
}
