import type { FastifyPluginAsync } from 'fastify';
import { expect } from 'vitest';
import type { RedirectDefinition } from '../../../shared/ruleset/redirect-definition.js';
import {
  type ApiAnswer,
  type ApiParts,
  startApi,
  type TestApi,
  type TestApiOptions,
  type TestUser,
} from '../../http/api.fixture.js';
import { createRulesetOutbox } from '../../publishing/ruleset-outbox.js';
import { createRulesetPublisher, type RulesetPublisher } from '../../publishing/ruleset-publisher.js';
import { readSnapshot } from '../../publishing/ruleset-reading.js';
import { createRulesetRepository } from '../../publishing/ruleset-repository.js';
import { PLANS } from '../plans/default-plans.js';
import type { CreateRedirect } from '../redirects/redirect-schema.js';
import { createRedirectService, type RedirectService } from '../redirects/redirect-service.js';
import { createRuleRoutes } from './rule-routes.js';
import type { RuleRecord } from './rule-schema.js';
import { createRuleService, type RuleService } from './rule-service.js';

/** Dependencies of further areas. */
export interface RulesApiParts extends ApiParts {
  readonly redirects: RedirectService;
  readonly rules: RuleService;
}

export interface RulesApi {
  readonly api: TestApi;
  readonly redirects: RedirectService;
  readonly rules: RuleService;
  readonly publisher: RulesetPublisher;
  /** Matches in real traffic by rule id; a test may set them. */
  readonly hits: Map<number, { hits: number }>;
  /** Makes `hitsOf` fail from now on, or work again. */
  failHits(fails: boolean): void;
  /** Adds a redirect with a new host. It is verified immediately if `fromDomain` is in `.localhost`. */
  createRedirect(user: TestUser, settings?: Partial<CreateRedirect>): Promise<{ id: string; host: string }>;
  /** Requests a new rule; by default an active one that redirects everyone to `https://rule.example/`. */
  create(user: TestUser, redirectId: string, body?: object): Promise<ApiAnswer>;
  /** Creates a rule as `create` does, and must succeed. */
  createRule(user: TestUser, redirectId: string, body?: object): Promise<RuleRecord>;
  list(user: TestUser, redirectId: string): Promise<RuleRecord[]>;
  /** Returns the definition that data planes serve at a host. */
  served(host: string): Promise<RedirectDefinition | undefined>;
  close(): Promise<void>;
}

const NEW_RULE = {
  name: 'a rule',
  type: 'force',
  action: { type: 'redirect', url: 'https://rule.example/' },
  status: 'active',
};

/** The rules area on a real database, with the redirects it needs. */
export async function startRulesApi(
  options: {
    readonly areas?: (parts: RulesApiParts) => readonly FastifyPluginAsync[];
    readonly app?: TestApiOptions['app'];
  } = {},
): Promise<RulesApi> {
  const hits = new Map<number, { hits: number }>();
  let hitsFail = false;
  let count = 0;
  let parts: (RulesApiParts & { publisher: RulesetPublisher }) | undefined;
  const api = await startApi({
    ...(options.app && { app: options.app }),
    areas: (apiParts) => {
      parts = createParts(apiParts);
      const hitsOf = async () => {
        if (hitsFail) throw new Error('the statistics are away');
        return hits;
      };
      return [createRuleRoutes(parts.rules, hitsOf), ...(options.areas?.(parts) ?? [])];
    },
  });
  const { redirects, rules, publisher, database } = parts!;
  const create: RulesApi['create'] = ({ token }, redirectId, body) =>
    api.call('POST', `/rules/redirect/${redirectId}`, { token, body: { ...NEW_RULE, ...body } });

  return {
    api,
    redirects,
    rules,
    publisher,
    hits,
    failHits(fails) {
      hitsFail = fails;
    },
    async createRedirect({ id, email }, settings) {
      const { id: redirectId, fromDomain } = await redirects.create(
        { id, email, scopes: [], plan: PLANS.business },
        { fromDomain: `host-${++count}.localhost`, toDomain: 'https://default.example', ...settings },
      );
      return { id: redirectId, host: fromDomain };
    },
    create,
    async createRule(user, redirectId, body) {
      const answer = await create(user, redirectId, body);
      expect(answer, answer.body).toMatchObject({ status: 201 });
      return answer.json.rule;
    },
    async list({ token }, redirectId) {
      const answer = await api.call('GET', `/rules/redirect/${redirectId}`, { token });
      expect(answer, answer.body).toMatchObject({ status: 200 });
      return answer.json.rules;
    },
    async served(host) {
      const { redirects: all } = await readSnapshot(createRulesetRepository(database));
      return all.find((redirect) => redirect.host === host);
    },
    async close() {
      await publisher.stop();
      await api.close();
    },
  };
}

function createParts(parts: ApiParts) {
  const { database, logger } = parts;
  const outbox = createRulesetOutbox(database);
  const publisher = createRulesetPublisher({ outbox, repository: createRulesetRepository(database), logger });
  const redirects = createRedirectService({ database, outbox });
  const rules = createRuleService({ database, outbox, redirects });
  return { ...parts, redirects, rules, publisher };
}
