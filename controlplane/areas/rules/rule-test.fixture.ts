import { expect } from 'vitest';
import { LocalTimes } from '../../../shared/rules/local-times.js';
import { createRegexGuard } from '../../../shared/rules/regex-guard.js';
import { createDeviceDetection } from '../../../shared/visitor/device.js';
import { openPlaces } from '../../../shared/visitor/place.js';
import { createReferrerDomains } from '../../../shared/visitor/referrer-domain.js';
import { createVisitorIdentification } from '../../../shared/visitor/visitor-identity.js';
import type { ApiAnswer, TestUser } from '../../http/api.fixture.js';
import type { CreateRedirect } from '../redirects/redirect-schema.js';
import type { RuleRecord } from './rule-schema.js';
import { createRuleTestRoutes } from './rule-test-routes.js';
import type { RuleTestAnswer, RuleTestRequest, RuleTestResult, UserAttributes } from './rule-test-schema.js';
import { createRuleTestService } from './rule-test-service.js';
import type { VisitorInsight } from './rule-test-visitor.js';
import { type RulesApi, startRulesApi } from './rules-api.fixture.js';

/** A Wednesday. */
export const NOW = new Date('2026-03-18T21:40:00Z');

export const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1';

/** Sources of visitor facts as on data planes, with the bundled places database. */
export async function createInsight(): Promise<VisitorInsight> {
  return {
    places: await openPlaces({ geoipDb: undefined }),
    detectDevice: createDeviceDetection(),
    referrerDomains: createReferrerDomains(),
    identify: createVisitorIdentification(Buffer.from('a secret for tests only')),
    localTimes: new LocalTimes(),
  };
}

/** The rules area with its tests of rules, at the fixed time `NOW`. */
export interface RuleTestApi extends RulesApi {
  /** Owner of the redirects below. */
  readonly user: TestUser;
  readonly insight: VisitorInsight;
  /** Creates a redirect with these rules, in their order. */
  redirectWith(
    rules: readonly object[],
    settings?: Partial<CreateRedirect>,
  ): Promise<{ readonly id: string; readonly host: string; readonly rules: readonly RuleRecord[] }>;
  /** Requests a test. Default: with the owner's token. */
  ask(redirectId: string, body: unknown, token?: string): Promise<ApiAnswer>;
  /** Requests a test with the owner's token, which must succeed. */
  tryOut(
    redirectId: string,
    userAttributes: UserAttributes,
    more?: Partial<RuleTestRequest>,
  ): Promise<RuleTestAnswer>;
  /** Returns the result of a test in which a rule must match. */
  matchOf(
    redirectId: string,
    userAttributes: UserAttributes,
    more?: Partial<RuleTestRequest>,
  ): Promise<RuleTestResult>;
}

export async function startRuleTestApi(): Promise<RuleTestApi> {
  const insight = await createInsight();
  const area = await startRulesApi({
    areas: ({ redirects, rules }) => {
      const guard = createRegexGuard();
      const test = createRuleTestService({ redirects, rules, insight, guard, clock: () => NOW });
      return [createRuleTestRoutes(test)];
    },
  });
  const user = await area.api.createUser({ plan: 'business' });
  const ask: RuleTestApi['ask'] = (redirectId, body, token = user.token) =>
    area.api.call('POST', `/rules/redirect/${redirectId}/test`, { token, body });
  const tryOut: RuleTestApi['tryOut'] = async (redirectId, userAttributes, more) => {
    const answer = await ask(redirectId, { userAttributes, ...more });
    expect(answer.status, answer.body).toBe(200);
    return answer.json;
  };

  return {
    ...area,
    user,
    insight,
    async redirectWith(rules, settings) {
      const redirect = await area.createRedirect(user, settings);
      const records: RuleRecord[] = [];
      for (const rule of rules) records.push(await area.createRule(user, redirect.id, rule));
      return { ...redirect, rules: records };
    },
    ask,
    tryOut,
    async matchOf(redirectId, userAttributes, more) {
      const { result } = await tryOut(redirectId, userAttributes, more);
      expect(result).not.toBeNull();
      return result!;
    },
  };
}
