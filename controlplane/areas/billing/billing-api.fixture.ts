import { type ApiAnswer, startApi, type TestApi, type TestUser } from '../../http/api.fixture.js';
import type { Plan } from '../../plan.js';
import { createRulesetOutbox } from '../../publishing/ruleset-outbox.js';
import { createRulesetRepository, type RulesetRepository } from '../../publishing/ruleset-repository.js';
import type { Database } from '../../storage/postgres/database.js';
import { PLANS } from '../plans/default-plans.js';
import type { CountEvents } from '../plans/period-usage.js';
import { createPlanCatalogue } from '../plans/plan-catalogue.js';
import type { PlanAccess } from '../plans/plan-parts.js';
import { createRedirectRoutes } from '../redirects/redirect-routes.js';
import { createRedirectService } from '../redirects/redirect-service.js';
import { createRuleRoutes } from '../rules/rule-routes.js';
import { createRuleService } from '../rules/rule-service.js';
import type { Billing } from './billing.js';
import { createSandboxBilling } from './sandbox/sandbox.js';
import { createPlanAccess } from './subscribed-plans.js';

const DAY_MS = 24 * 3600 * 1000;
export const API_ADDRESS = 'https://api.waymark.example';

export interface AnnouncedEvent {
  readonly userId: string;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface BillingApi {
  readonly api: TestApi;
  readonly billing: Billing;
  readonly access: PlanAccess;
  readonly rulesets: RulesetRepository;
  /** Events sent to integrators, in order. */
  readonly told: AnnouncedEvent[];
  /** Moves the clock forward by days. */
  pass(days: number): void;
  now(): number;
  get(user: TestUser, url: string): Promise<ApiAnswer>;
  post(user: TestUser, url: string, body?: object): Promise<ApiAnswer>;
  /** Returns the subscription of the user as the API shows it. */
  subscription(user: TestUser): Promise<ApiAnswer['json']>;
  /** Submits the form of a sandbox page. */
  submit(pageUrl: string, form: Readonly<Record<string, string>>): Promise<ApiAnswer>;
  /** Pays for a plan on the sandbox's page. Resolves to the subscription. */
  subscribe(user: TestUser, planId: string): Promise<ApiAnswer['json']>;
  /** Submits an action of the portal's page. */
  act(user: TestUser, action: string): Promise<void>;
  addRedirect(user: TestUser, name: string): Promise<ApiAnswer>;
}

export interface BillingApiOptions {
  readonly dashboardUrl?: string;
  readonly corsOrigins?: readonly string[];
  readonly countEvents?: CountEvents;
  /** Default: the built-in ones. */
  readonly plans?: readonly Plan[];
}

/** Billing by the sandbox and redirects, on a real database, with a clock that tests set. */
export async function startBillingApi(options: BillingApiOptions = {}): Promise<BillingApi> {
  let nowMs = Date.now();
  const now = () => nowMs;
  const told: AnnouncedEvent[] = [];
  const catalogue = createPlanCatalogue(options.plans ?? Object.values(PLANS), 'free');
  let access: PlanAccess | undefined;
  let billing: Billing | undefined;
  const accessOf = (database: Database) => {
    access ??= createPlanAccess({ database, catalogue, provider: 'sandbox', nowMs: now });
    return access;
  };
  const api = await startApi({
    nowMs: now,
    planOf: (database) => accessOf(database).planOf,
    standingOf: (user) => billing!.standingOf(user),
    areas: ({ database, logger }) => {
      const outbox = createRulesetOutbox(database);
      const service = createRedirectService({ database, outbox });
      billing = createSandboxBilling({
        database,
        outbox,
        catalogue,
        access: accessOf(database),
        emit: async (_tx, userId, type, data) => void told.push({ userId, type, data }),
        countEvents: options.countEvents ?? (async () => 0),
        dashboardUrl: options.dashboardUrl,
        corsOrigins: options.corsOrigins ?? [],
        apiAddress: () => API_ADDRESS,
        logger,
        nowMs: now,
      });
      const verification = { verify: unused, recheck: unused };
      const redirects = createRedirectRoutes({
        database,
        service,
        verification,
        usageOf: async () => ({ usage: new Map(), freshUntilMs: 0 }),
      });
      const rules = createRuleService({ database, outbox, redirects: service });
      const ruleRoutes = createRuleRoutes(rules, async () => new Map());
      return [...billing.routes, redirects, ruleRoutes];
    },
  });

  const get: BillingApi['get'] = ({ token }, url) => api.call('GET', url, { token });
  const post: BillingApi['post'] = ({ token }, url, body) =>
    api.call('POST', url, { token, ...(body && { body }) });
  const subscription: BillingApi['subscription'] = async (user) =>
    (await get(user, '/payment/subscription')).json.data.subscription;
  const submit: BillingApi['submit'] = (pageUrl, form) =>
    api.call('POST', new URL(pageUrl).pathname, {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(form).toString(),
    });

  return {
    api,
    billing: billing!,
    access: accessOf(api.database),
    rulesets: createRulesetRepository(api.database, accessOf(api.database).plansOf),
    told,
    now,
    pass(days) {
      nowMs += Math.round(days * DAY_MS);
    },
    get,
    post,
    subscription,
    submit,
    async subscribe(user, planId) {
      const { json } = await post(user, '/payment/checkout', { planId });
      await submit(json.data.checkoutUrl, { outcome: 'succeed' });
      return subscription(user);
    },
    async act(user, action) {
      const { json } = await post(user, '/payment/portal');
      await submit(json.data.portalUrl, { action });
    },
    addRedirect: (user, name) =>
      post(user, '/add-redirect', { fromDomain: `${name}.localhost`, toDomain: 'https://new.example' }),
  };
}

async function unused(): Promise<never> {
  throw new Error('no domain is verified in these tests');
}
