import type { FastifyInstance, FastifyPluginAsync } from 'fastify';
import { type Logger, pino } from 'pino';
import { Registry } from 'prom-client';
import { expect } from 'vitest';
import type { StandingOf } from '../areas/accounts/account-standing.js';
import {
  type Accounts,
  type AccountsConfig,
  type AccountsDeps,
  createAccounts,
} from '../areas/accounts/accounts.js';
import type { LeaverSubscriptions } from '../areas/accounts/leaver-subscriptions.js';
import { issueToken } from '../areas/accounts/token-service.js';
import { userRepository } from '../areas/accounts/user-repository.js';
import { createBillingSummary } from '../areas/billing/billing-summary.js';
import { PLANS, type PlanName } from '../areas/plans/default-plans.js';
import { createMailQueue, type MailQueue } from '../mail/mail-queue.js';
import { createLogTransport, type MailTransport } from '../mail/mail-transport.js';
import type { PlanOf } from '../plan.js';
import { createRulesetOutbox } from '../publishing/ruleset-outbox.js';
import type { Database } from '../storage/postgres/database.js';
import { DatabaseUnavailableError } from '../storage/postgres/database-unavailable.js';
import { newId } from '../storage/postgres/new-id.js';
import { openTestDatabase } from '../storage/postgres/test-database.fixture.js';
import { type AppDeps, buildApp } from './app.js';
import { createIdempotencyStore } from './idempotency/idempotency-store.js';
import { type AnswerCheck, createAnswerCheck, type OpenApiDocument } from './openapi-answers.fixture.js';
import { SCOPES, type Scope } from './scopes.js';

/** No user has a subscription. */
export const NO_SUBSCRIPTIONS: LeaverSubscriptions = {
  renewing: async () => undefined,
  cancel: async () => undefined,
  resume: async () => undefined,
  end: async () => undefined,
};

export interface CallOptions {
  readonly token?: string;
  /** Sent as JSON. A string or a Buffer is sent unchanged, with the content type of `headers`. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Address that the request comes from. Default: 127.0.0.1. */
  readonly from?: string;
}

export interface ApiAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** As received. */
  readonly body: string;
  /** Parsed JSON, if it is JSON. Every answer is checked against the OpenAPI document. */
  // biome-ignore lint/suspicious/noExplicitAny: explicit types of all answers would distract from the tests
  readonly json: any;
}

export interface TestUser {
  readonly id: string;
  readonly email: string;
  readonly token: string;
}

export interface TestApi {
  readonly app: FastifyInstance;
  readonly database: Database;
  readonly accounts: Accounts;
  /** Sends mails when a round is run. */
  readonly mails: MailQueue;
  /** Makes a request of the app. Every answer must match `/openapi.json` and have the common headers. */
  call(method: string, url: string, options?: CallOptions): Promise<ApiAnswer>;
  /** Adds a user with a token. Default: on the default plan, with all scopes, without an end. */
  createUser(options?: {
    readonly plan?: PlanName;
    readonly scopes?: readonly Scope[];
    readonly expiresAt?: Date;
  }): Promise<TestUser>;
  /** A further token for a user. */
  createToken(userId: string, options?: { scopes?: readonly Scope[]; expiresAt?: Date }): Promise<string>;
  close(): Promise<void>;
}

/** Dependencies of further areas. */
export interface ApiParts {
  readonly database: Database;
  readonly accounts: Accounts;
  readonly mails: MailQueue;
  readonly logger: Logger;
}

export interface TestApiOptions {
  /** Areas besides accounts. */
  readonly areas?: (
    parts: ApiParts,
  ) => readonly FastifyPluginAsync[] | Promise<readonly FastifyPluginAsync[]>;
  /** A database that stays open. Default: a new one, which takes seconds to create. */
  readonly database?: Database;
  readonly accounts?: Partial<AccountsConfig>;
  readonly createHasher?: NonNullable<AccountsDeps['createHasher']>;
  /** Default: every user is on the plan of its creation, otherwise on `free`. */
  readonly planOf?: (database: Database) => PlanOf;
  /** Default: no user has a subscription, and no events are counted. */
  readonly standingOf?: StandingOf;
  /** Unix time, for the end of tokens. */
  readonly nowMs?: () => number;
  readonly jwksCooldownMs?: number;
  /** Default: there are no statistics. */
  readonly eraseHits?: (redirectIds: readonly string[]) => Promise<void>;
  /** Default: no user has a subscription. */
  readonly subscriptions?: LeaverSubscriptions;
  /** Default: mails are written to the log. */
  readonly mailTransport?: MailTransport;
  readonly logger?: Logger;
  /** Default: the rate limits are a thousand times those of the plans. */
  readonly app?: Partial<
    Pick<
      AppDeps,
      | 'rateLimit'
      | 'corsOrigins'
      | 'trustedProxies'
      | 'clientIpHeader'
      | 'probes'
      | 'sideProbes'
      | 'authenticate'
      | 'idempotency'
      | 'refusal'
    >
  >;
}

const secrets = { current: Buffer.from('a secret for tests only'), previous: [] };

const ACCOUNTS_CONFIG: AccountsConfig = {
  signup: 'open',
  jwt: undefined,
  bootstrapEmail: undefined,
  bootstrapToken: undefined,
  publicApiUrl: undefined,
  dashboardUrl: undefined,
  hasConsole: true,
};

/** Starts the real app on a real database. */
export async function startApi(options: TestApiOptions = {}): Promise<TestApi> {
  const logger = options.logger ?? pino({ level: 'silent' });
  const own = options.database === undefined ? await openTestDatabase(logger) : undefined;
  const database = options.database ?? own!.database;
  const config = { ...ACCOUNTS_CONFIG, ...options.accounts };
  const plans = new Map<string, PlanName>();
  const { nowMs, jwksCooldownMs } = options;
  const mails = createMailQueue({
    database,
    secrets,
    transport: options.mailTransport ?? createLogTransport(logger),
    logger,
  });
  const accounts = createAccounts({
    config,
    database,
    logger,
    mails,
    outbox: createRulesetOutbox(database),
    eraseHits: options.eraseHits ?? (async () => undefined),
    subscriptions: options.subscriptions ?? NO_SUBSCRIPTIONS,
    apiAddress: () => 'http://api.example',
    maxMailDelayMs: 0,
    planOf: options.planOf?.(database) ?? (async (userId) => PLANS[plans.get(userId) ?? 'free']),
    standingOf: options.standingOf ?? withoutSubscriptions(database, logger),
    ...(options.createHasher && { createHasher: options.createHasher }),
    ...(nowMs && { nowMs }),
    ...(jwksCooldownMs !== undefined && { jwksCooldownMs }),
  });
  const app = await buildApp({
    logger,
    version: '0.0.0-test',
    metrics: new Registry(),
    probes: { database: () => database.ping() },
    authenticate: accounts.authenticate,
    rateLimit: { defaultPlan: PLANS.free, multiplier: 1000 },
    idempotency: createIdempotencyStore({
      database,
      secrets,
      waitMs: 100,
    }),
    corsOrigins: [],
    trustedProxies: [],
    ...options.app,
    areas: [...accounts.routes, ...((await options.areas?.({ database, accounts, mails, logger })) ?? [])],
  });
  const check = await createCheck(app);

  const createToken: TestApi['createToken'] = async (userId, { scopes = SCOPES, expiresAt } = {}) =>
    (await issueToken(database, { userId, name: 'test', scopes, expiresAt: expiresAt ?? null })).secret;

  return {
    app,
    database,
    accounts,
    mails,
    call: (method, url, callOptions = {}) => call(app, check, method, url, callOptions),
    async createUser({ plan, ...token } = {}) {
      const id = newId();
      const email = `${id}@users.example`;
      await userRepository.insert(database, { id, email });
      if (plan !== undefined) plans.set(id, plan);
      return { id, email, token: await createToken(id, token) };
    },
    createToken,
    async close() {
      await app.close();
      const unrecorded = await unrecordedRedirects(database);
      await own?.close();
      // Every change of a redirect calls `recordVersions` of the history area in the same transaction.
      expect(unrecorded, 'redirects that were changed without a version').toEqual([]);
    },
  };
}

/** Returns the live redirects whose current version was not recorded; an empty list without a database. */
async function unrecordedRedirects(database: Database): Promise<string[]> {
  try {
    const rows = await database.query<{ domain: string }>(
      `SELECT from_domain AS domain FROM redirects WHERE version > 1 AND deleted_at IS NULL AND NOT EXISTS (SELECT FROM redirect_versions AS known
         WHERE known.redirect_id = redirects.id AND known.version = redirects.version)`,
    );
    return rows.map(({ domain }) => domain);
  } catch (error) {
    // Some tests end the database before the API.
    if (error instanceof DatabaseUnavailableError) return [];
    throw error;
  }
}

function withoutSubscriptions(database: Database, logger: Logger): StandingOf {
  const subscriptions = { active: async () => undefined };
  const countEvents = async () => 0;
  return createBillingSummary({ database, subscriptions, countEvents, logger, nowMs: Date.now }).standingOf;
}

async function createCheck(app: FastifyInstance): Promise<AnswerCheck> {
  const { body } = await app.inject({ method: 'GET', url: '/openapi.json' });
  return createAnswerCheck(JSON.parse(body) as OpenApiDocument);
}

/** Not in the document, because these routes are about it. */
const UNDOCUMENTED = /^\/(docs|openapi\.json|metrics|sandbox|stripe|internal)(\/|\?|$)/;

async function call(
  app: FastifyInstance,
  check: AnswerCheck,
  method: string,
  url: string,
  { token, body, headers = {}, from }: CallOptions,
): Promise<ApiAnswer> {
  const raw = typeof body === 'string' || Buffer.isBuffer(body);
  const response = await app.inject({
    method: method as 'GET',
    url,
    headers: {
      ...(body !== undefined && !raw && { 'content-type': 'application/json' }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...headers,
    },
    ...(body !== undefined && { payload: raw ? body : JSON.stringify(body) }),
    ...(from !== undefined && { remoteAddress: from }),
  });
  const answer: ApiAnswer = {
    status: response.statusCode,
    headers: response.headers as Record<string, string | undefined>,
    body: response.body,
    json: isJson(response.headers['content-type']) ? JSON.parse(response.body) : undefined,
  };
  expectGeneralHeaders(answer);
  const hasBody = answer.status !== 204 && answer.status !== 304;
  const isOtherFile = answer.json === undefined && answer.headers['content-disposition'] !== undefined;
  const documented = !UNDOCUMENTED.test(url) && hasBody && !isOtherFile;
  if (documented) expect(check({ method, url, status: answer.status, json: answer.json })).toBeUndefined();
  return answer;
}

function expectGeneralHeaders({ headers }: ApiAnswer): void {
  expect(headers).toMatchObject({
    'x-request-id': expect.stringMatching(/^[\w-]{8,}$/),
    'x-ratelimit-limit': expect.stringMatching(/^[1-9]\d*$/),
    'x-ratelimit-remaining': expect.stringMatching(/^\d+$/),
    'x-ratelimit-reset': expect.stringMatching(/^\d{10}$/),
  });
}

function isJson(contentType: unknown): boolean {
  return typeof contentType === 'string' && contentType.startsWith('application/json');
}
