import type { Readable } from 'node:stream';
import { Registry } from 'prom-client';
import { expect } from 'vitest';
import { createRegexGuard } from '../../../shared/rules/regex-guard.js';
import { type ApiAnswer, startApi, type TestApi, type TestUser } from '../../http/api.fixture.js';
import { createOwnerMails } from '../../mail/owner-mails.js';
import type { Plan } from '../../plan.js';
import { createRulesetOutbox } from '../../publishing/ruleset-outbox.js';
import type { Database } from '../../storage/postgres/database.js';
import { createPathExportRoutes } from '../paths/path-export-routes.js';
import { createMergePaths } from '../paths/path-import.js';
import { createPathRoutes } from '../paths/path-routes.js';
import { createPathService } from '../paths/path-service.js';
import { createPathTest } from '../paths/path-test.js';
import { PLANS } from '../plans/default-plans.js';
import { createRedirects } from '../redirects/public.js';
import { createWebhooks } from '../webhooks/public.js';
import type { ImportRunner } from './import-runner.js';
import { createImports } from './imports.js';

export interface ImportsApi {
  readonly api: TestApi;
  readonly runner: ImportRunner;
  /** Creates another runner, as in a second control plane. */
  createRunner(): ImportRunner;
  /** Sends a file. */
  send(
    user: TestUser,
    query: string,
    file: string | Buffer | Readable,
    headers?: Readonly<Record<string, string>>,
  ): Promise<ApiAnswer>;
  /** Sends a file, expects that it is accepted, and works until the import ends. */
  run(user: TestUser, query: string, file: string | Buffer): Promise<ApiAnswer['json']>;
  get(user: TestUser, path: string): Promise<ApiAnswer['json']>;
  /** Domains of the user's redirects, in alphabetical order. */
  domains(user: TestUser): Promise<string[]>;
  close(): Promise<void>;
}

/** The areas of imports, redirects, paths and webhooks on a real database. Nothing runs in the background. */
export async function startImportsApi(
  plan: Plan = PLANS.business,
  ownDatabase?: Database,
): Promise<ImportsApi> {
  let imports: ReturnType<typeof createImports> | undefined;
  let createRunner: (() => ReturnType<typeof createImports>) | undefined;
  const api = await startApi({
    ...(ownDatabase && { database: ownDatabase }),
    planOf: () => async () => plan,
    areas: ({ database, mails, logger }) => {
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
      const { service } = redirects;
      const paths = [
        createPathRoutes({
          service: createPathService({ database, outbox, redirects: service }),
          test: createPathTest({ database, redirects: service, guard: createRegexGuard() }),
          hitsOf: async () => new Map(),
        }),
        createPathExportRoutes({ database, redirects: service }),
      ];
      createRunner = () =>
        createImports({
          database,
          outbox,
          redirects: service,
          batches: redirects.batches,
          mergePaths: createMergePaths({ redirects: service }),
          planOf: async () => plan,
          logger,
        });
      const secrets = { current: Buffer.from('a secret for tests only'), previous: [] };
      const webhooks = createWebhooks({
        database,
        secrets,
        allowPrivate: true,
        dnsServers: undefined,
        metrics: new Registry(),
        logger,
      });
      imports = createRunner();
      return [...redirects.routes, ...paths, ...imports.routes, ...webhooks.routes];
    },
  });
  const { runner } = imports!;

  const send: ImportsApi['send'] = (user, query, file, headers) =>
    api.call('POST', `/imports?${query}`, {
      token: user.token,
      body: file,
      headers: { 'content-type': 'application/octet-stream', ...headers },
    });
  const get: ImportsApi['get'] = async (user, path) => {
    const { status, json } = await api.call('GET', path, { token: user.token });
    expect(status).toBe(200);
    return json;
  };

  return {
    api,
    runner,
    createRunner: () => createRunner!().runner,
    send,
    async run(user, query, file) {
      const { status, json, body } = await send(user, query, file);
      expect(status, body).toBe(202);
      await runner.runRound();
      return get(user, `/imports/${json.id}`);
    },
    get,
    async domains(user) {
      const list = await get(user, '/get-redirects/me');
      return list.map(({ fromDomain }: { fromDomain: string }) => fromDomain).sort();
    },
    close: () => api.close(),
  };
}
