import { Registry } from 'prom-client';
import { expect } from 'vitest';
import type { RedirectDefinition } from '../../../shared/ruleset/redirect-definition.js';
import { openPlaces } from '../../../shared/visitor/place.js';
import type { Area } from '../../area.js';
import { stateOf } from '../../current-state.js';
import { type ApiAnswer, startApi, type TestApi, type TestUser } from '../../http/api.fixture.js';
import type { RoundWork } from '../../jobs/background-work.js';
import { createOwnerMails } from '../../mail/owner-mails.js';
import type { Plan } from '../../plan.js';
import { createRulesetOutbox } from '../../publishing/ruleset-outbox.js';
import { readSnapshot } from '../../publishing/ruleset-reading.js';
import { createRulesetRepository } from '../../publishing/ruleset-repository.js';
import type { AnalyticsStore } from '../../storage/clickhouse/analytics-store.js';
import { AnalyticsStoreError } from '../../storage/clickhouse/store-error.js';
import { createExampleGuard, createExamples } from '../examples/public.js';
import { createPaths } from '../paths/public.js';
import { PLANS } from '../plans/default-plans.js';
import { createRedirects } from '../redirects/public.js';
import { createRules, createVisitorInsight } from '../rules/public.js';
import { createWebhooks } from '../webhooks/public.js';
import { createDrafts, type Drafts } from './drafts.js';

export interface DraftsApi {
  readonly api: TestApi;
  /** Publishes due drafts when a test runs a round. */
  readonly publisher: RoundWork<number>;
  /** Returns another publisher, as in a second control plane. */
  createPublisher(): RoundWork<number>;
  /** Makes all users have this plan. Default: business. */
  setPlan(plan: Plan): void;
  /** Creates a redirect of a host that is verified immediately. */
  createRedirect(user: TestUser, settings?: object): Promise<{ readonly id: string; readonly host: string }>;
  /** Makes a request and expects success. Resolves to its answer. */
  ask(user: TestUser, method: string, path: string, body?: unknown): Promise<ApiAnswer['json']>;
  /** Resolves to the definition that data planes currently serve at a host. */
  served(host: string): Promise<RedirectDefinition | undefined>;
  close(): Promise<void>;
}

const away = () => Promise.reject(new AnalyticsStoreError('unavailable', new Error('connect ECONNREFUSED')));
const secret = Buffer.from('a secret for tests only');
/** Statistics that do not answer, because drafts do not need them. */
const store: AnalyticsStore = {
  kind: 'server',
  query: away,
  queryLines: away,
  queryBlocks: away,
  insertRows: away,
  command: away,
  ping: away,
  close: async () => undefined,
};

/** The areas of drafts, examples, redirects, rules, paths and webhooks on a real database. Nothing runs in the background. */
export async function startDraftsApi({ publicHttpsPort = 443 } = {}): Promise<DraftsApi> {
  const places = await openPlaces({ geoipDb: undefined });
  let count = 0;
  let plan: Plan = PLANS.business;
  let createArea: (() => Drafts) | undefined;
  let drafts: Drafts | undefined;
  const api = await startApi({
    planOf: () => async () => plan,
    areas: ({ database, mails, logger }) => {
      const outbox = createRulesetOutbox(database);
      const insight = createVisitorInsight(places, secret);
      const examples = createExampleGuard(insight, { publicHttpsPort });
      const redirects = createRedirects({
        examples,
        database,
        outbox,
        dnsServers: ['127.0.0.1:1'],
        allowLocalhost: true,
        usageOf: async () => ({ usage: new Map(), freshUntilMs: 0 }),
        certificatesOf: async () => new Map(),
        ownerMails: createOwnerMails(mails),
        logger,
      });
      const deps = { database, outbox, store, redirects: redirects.service };
      const rules = createRules({ ...deps, places, secret });
      const paths = createPaths(deps);
      const webhooks = createWebhooks({
        database,
        secrets: { current: secret, previous: [] },
        allowPrivate: true,
        dnsServers: undefined,
        metrics: new Registry(),
        logger,
      });
      createArea = () =>
        createDrafts({
          ...deps,
          ...{ redirects, rules, paths, examples, stateOf },
          planOf: async () => plan,
          logger,
        });
      drafts = createArea();
      const runs = createExamples({ ...deps, insight, publicHttpsPort, drafts: drafts.service });
      const areas: Area[] = [redirects, rules, paths, webhooks, drafts, runs];
      return areas.flatMap(({ routes }) => routes);
    },
  });

  const ask: DraftsApi['ask'] = async ({ token }, method, path, body) => {
    const { status, json, body: text } = await api.call(method, path, { token, body });
    expect([200, 201, 202], `${method} ${path}: ${text}`).toContain(status);
    return json;
  };
  return {
    api,
    publisher: drafts!.publisher,
    createPublisher: () => createArea!().publisher,
    setPlan(given) {
      plan = given;
    },
    ask,
    async createRedirect(user, settings) {
      const fromDomain = `host-${++count}.localhost`;
      const body = { fromDomain, toDomain: 'https://default.example', ...settings };
      const { id } = await ask(user, 'POST', '/redirects', body);
      return { id, host: fromDomain };
    },
    async served(host) {
      const { redirects } = await readSnapshot(createRulesetRepository(api.database));
      return redirects.find((redirect) => redirect.host === host);
    },
    close: () => api.close(),
  };
}
