import { createRegexGuard } from '../../../shared/rules/regex-guard.js';
import type { Places } from '../../../shared/visitor/place.js';
import type { Area, AreaParts } from '../../area.js';
import { createAttributeValuesReader, createRuleHitsReader } from '../analytics/public.js';
import type { RedirectService } from '../redirects/public.js';
import { createAttributeRoutes } from './attribute-routes.js';
import { createRuleAnalyticsRoutes } from './rule-analytics-routes.js';
import { type RuleReplacement, ruleReplacement } from './rule-replacement.js';
import { createRuleRoutes } from './rule-routes.js';
import { createRuleService } from './rule-service.js';
import { createRuleTestRoutes } from './rule-test-routes.js';
import { createRuleTestService, type RuleTestService } from './rule-test-service.js';
import { createVisitorInsight } from './rule-test-visitor.js';

export interface RulesDeps extends Pick<AreaParts, 'database' | 'outbox' | 'store'> {
  readonly redirects: RedirectService;
  readonly places: Places;
  /** The installation's secret: the test of a visitor then chooses like data planes. */
  readonly secret: Buffer;
}

export interface Rules extends Area {
  /** Replaces all rules of a redirect. */
  readonly replacement: RuleReplacement;
  /** Tests rules that are not live. */
  readonly testDraft: RuleTestService['testDraft'];
}

/** Creates the area of rules: their changes, tests on a described visitor, attributes, and match counts. */
export function createRules({ database, outbox, store, redirects, places, secret }: RulesDeps): Rules {
  const rules = createRuleService({ database, outbox, redirects });
  const hits = createRuleHitsReader(store);
  const test = createRuleTestService({
    redirects,
    rules,
    insight: createVisitorInsight(places, secret),
    guard: createRegexGuard(),
  });
  return {
    replacement: ruleReplacement,
    testDraft: test.testDraft,
    routes: [
      createRuleRoutes(rules, hits.hitsOf),
      createRuleTestRoutes(test),
      createAttributeRoutes(redirects, createAttributeValuesReader(store)),
      createRuleAnalyticsRoutes(rules, hits),
    ],
    jobs: [],
  };
}
