import { Registry } from 'prom-client';
import { expect } from 'vitest';
import { createRegexGuard } from '../../../shared/rules/regex-guard.js';
import { stateOf } from '../../current-state.js';
import { type ApiAnswer, startApi, type TestApi, type TestUser } from '../../http/api.fixture.js';
import { createOwnerMails } from '../../mail/owner-mails.js';
import { createRulesetOutbox } from '../../publishing/ruleset-outbox.js';
import { createImports } from '../imports/imports.js';
import { createOperator } from '../operator/operator.js';
import { createMergePaths } from '../paths/path-import.js';
import { createPathRoutes } from '../paths/path-routes.js';
import { createPathService } from '../paths/path-service.js';
import { createPathTest } from '../paths/path-test.js';
import { createPathVersions } from '../paths/path-versions.js';
import { createVersionRoutes } from '../paths/version-routes.js';
import { PLANS } from '../plans/default-plans.js';
import { createRedirects, createUserStreams, releaseDomain } from '../redirects/public.js';
import { createRuleRoutes } from '../rules/rule-routes.js';
import { createRuleService } from '../rules/rule-service.js';
import { createWebhooks } from '../webhooks/public.js';
import { createHistory } from './history.js';
import type { CurrentState, EntryState, RedirectState, RuleState } from './version-state.js';

export interface HistoryApi {
  readonly api: TestApi;
  /** Makes a request of a user and expects success. */
  call(
    user: TestUser,
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<ApiAnswer['json']>;
  /** Sends a file, expects that it is accepted, and works until the import ends. */
  importFile(user: TestUser, query: string, file: string): Promise<void>;
  /** Reads the redirect from the given endpoints. */
  shown(user: TestUser, id: string): Promise<CurrentState>;
  /** Reads the redirect from its versions. */
  state(user: TestUser, id: string, version: number): Promise<CurrentState>;
  close(): Promise<void>;
}

/** All areas that change redirects, on a real database. Nothing runs in the background. */
export async function startHistoryApi(): Promise<HistoryApi> {
  let runImports = async () => 0;
  const api = await startApi({
    planOf: () => async () => PLANS.business,
    areas: ({ database, accounts, mails, logger }) => {
      const outbox = createRulesetOutbox(database);
      const redirects = createRedirects({
        database,
        outbox,
        dnsServers: ['127.0.0.1:1'],
        allowLocalhost: true,
        usageOf: async () => ({ usage: new Map(), freshUntilMs: 0 }),
        certificatesOf: async () => new Map(),
        ownerMails: createOwnerMails(mails),
        logger,
      });
      const deps = { database, outbox, redirects: redirects.service };
      const test = createPathTest({ ...deps, guard: createRegexGuard() });
      const imports = createImports({
        ...deps,
        batches: redirects.batches,
        mergePaths: createMergePaths(deps),
        planOf: async () => PLANS.business,
        logger,
      });
      runImports = imports.runner.runRound;
      const secrets = { current: Buffer.from('a secret for tests only'), previous: [] };
      const webhooks = createWebhooks({
        database,
        secrets,
        allowPrivate: true,
        dnsServers: undefined,
        metrics: new Registry(),
        logger,
      });
      const operator = createOperator({
        database,
        outbox,
        mails,
        logger,
        isOperator: async ({ email }) => email !== null,
        standingPasses: accounts.standingPasses,
        onStandingChanged: () => accounts.standingChanged(),
        releaseDomain,
      });
      const history = createHistory({
        database,
        requireOwned: redirects.service.requireOwned,
        stateOf,
        streamToUser: createUserStreams(),
        plansOf: async (_, userIds) => new Map(userIds.map((id) => [id, PLANS.business])),
        logger,
      });
      return [
        ...redirects.routes,
        createRuleRoutes(createRuleService(deps), async () => new Map()),
        createPathRoutes({ service: createPathService(deps), test, hitsOf: async () => new Map() }),
        createVersionRoutes({ versions: createPathVersions(deps), test }),
        ...imports.routes,
        ...webhooks.routes,
        ...operator.routes,
        ...history.routes,
      ];
    },
  });

  const call: HistoryApi['call'] = async ({ token }, method, path, body, headers) => {
    const answer = await api.call(method, path, {
      token,
      ...(body !== undefined && { body }),
      ...(headers !== undefined && { headers }),
    });
    expect(answer.status, `${method} ${path}: ${answer.body}`).toBeLessThan(300);
    return answer.json;
  };

  return {
    api,
    call,
    async importFile(user, query, file) {
      await call(user, 'POST', `/imports?${query}`, file, { 'content-type': 'text/csv' });
      await runImports();
    },
    async shown(user, id) {
      const [record, { rules }, table] = [
        await call(user, 'GET', `/redirects/${id}`),
        await call(user, 'GET', `/rules/redirect/${id}`),
        await call(user, 'GET', `/redirects/${id}/paths?limit=200`),
      ];
      expect(table.page.nextCursor).toBeNull();
      return shownState(record, rules, table);
    },
    async state(user, id, version) {
      const { redirect, rules, paths } = await call(user, 'GET', `/redirects/${id}/versions/${version}`);
      expect(paths.nextCursor).toBeNull();
      return { version, redirect, rules, paths: { options: paths.options, entries: paths.entries } };
    },
    close: () => api.close(),
  };
}

type Json = ApiAnswer['json'];

/** Members of an answer that versions do not contain. */
const OUTSIDE = {
  redirect:
    'id status verification userID createdAt updatedAt verifiedAt certificate pathCount version analyticsUsage',
  rule: 'redirectId hitCount createdBy createdAt updatedAt',
  entry: 'hitCount lastHitAt createdAt updatedAt',
};

function without<State>(record: Json, names: string): State {
  const left = { ...record };
  for (const name of names.split(' ')) {
    expect(left).toHaveProperty(name);
    delete left[name];
  }
  return left;
}

/** Returns the state that answers of the given endpoints show. Everything in them is part of it, unless `OUTSIDE` names it. */
export function shownState(record: Json, rules: readonly Json[], table: Json): CurrentState {
  return {
    version: record.version,
    redirect: { ...without<RedirectState>(record, OUTSIDE.redirect), isDeleted: false },
    rules: rules.map((rule) => without<RuleState>(rule, OUTSIDE.rule)),
    paths: {
      options: table.options,
      entries: table.data.map((entry: Json) => without<EntryState>(entry, OUTSIDE.entry)),
    },
  };
}
