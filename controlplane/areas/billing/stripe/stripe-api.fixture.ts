import type { Logger } from 'pino';
import Stripe from 'stripe';
import { type ApiAnswer, startApi, type TestApi, type TestUser } from '../../../http/api.fixture.js';
import type { Plan } from '../../../plan.js';
import { createRulesetOutbox } from '../../../publishing/ruleset-outbox.js';
import type { Database } from '../../../storage/postgres/database.js';
import { PLANS } from '../../plans/default-plans.js';
import { createPlanCatalogue } from '../../plans/plan-catalogue.js';
import type { PlanAccess } from '../../plans/plan-parts.js';
import { createPlanAccess } from '../subscribed-plans.js';
import { createStripeBilling, type StripeBilling } from './stripe.js';
import { createStripeAccount, type StripeAccount } from './stripe-account.fixture.js';
import {
  type EdgeAnswer,
  type EdgeRequest,
  type StripeEdge,
  startStripeEdge,
} from './stripe-edge.fixture.js';

export const WEBHOOK_SECRET = 'whsec_of_these_tests';
export const DASHBOARD_URL = 'https://dashboard.example/billing';

export interface StripeApi {
  readonly api: TestApi;
  readonly account: StripeAccount;
  readonly edge: StripeEdge;
  readonly billing: StripeBilling;
  /** Types of the events sent to integrators, by user, in order. */
  told(user: TestUser): string[];
  /** Moves the clock forward by seconds. */
  pass(seconds: number): void;
  now(): number;
  get(user: TestUser, url: string): Promise<ApiAnswer>;
  post(user: TestUser, url: string, body?: object): Promise<ApiAnswer>;
  subscription(user: TestUser): Promise<ApiAnswer['json']>;
  transactions(user: TestUser): Promise<ApiAnswer['json']>;
  /** Sends an event to the webhook, signed as Stripe does it. */
  deliver(event: Stripe.Event): Promise<ApiAnswer>;
  /** Delivers all new events, in order. */
  deliverAll(): Promise<void>;
  /** Follows the link of a change of plan to its page at Stripe. Resolves to the page's id. */
  followChange(checkoutUrl: string): Promise<string>;
  /** Opens a session, pays for it and delivers the events. Resolves to the subscription's id. */
  subscribe(user: TestUser, planId: string): Promise<string>;
  close(): Promise<void>;
}

export interface StripeApiOptions {
  /** Time limit of a request. */
  readonly timeoutMs?: number;
  /** Plans that have prices at Stripe. Default: all paid plans. */
  readonly pricedPlans?: readonly Plan[];
  /** Replaces an answer of Stripe. */
  readonly rewrite?: (request: EdgeRequest, answer: EdgeAnswer) => EdgeAnswer;
  readonly logger?: Logger;
}

/** Billing on Stripe's network edge, on a real database, with a clock that tests set. */
export async function startStripeApi(options: StripeApiOptions = {}): Promise<StripeApi> {
  let nowMs = Math.floor(Date.now() / 1000) * 1000;
  const now = () => nowMs;
  const { pricedPlans = [PLANS.pro, PLANS.business], rewrite, timeoutMs, logger: log } = options;
  const account = createStripeAccount({ nowMs: now, plans: pricedPlans });
  const answer = (request: EdgeRequest) =>
    rewrite === undefined ? account.answer(request) : rewrite(request, account.answer(request));
  const edge = await startStripeEdge({ answer, nowMs: now });
  const catalogue = createPlanCatalogue(Object.values(PLANS), 'free');
  const told: { userId: string; type: string }[] = [];
  let access: PlanAccess | undefined;
  let billing: StripeBilling | undefined;
  const accessOf = (database: Database) => {
    access ??= createPlanAccess({ database, catalogue, provider: 'stripe', nowMs: now });
    return access;
  };
  const api = await startApi({
    nowMs: now,
    ...(log && { logger: log }),
    planOf: (database) => accessOf(database).planOf,
    standingOf: (user) => billing!.standingOf(user),
    areas: ({ database, logger }) => {
      billing = createStripeBilling({
        database,
        outbox: createRulesetOutbox(database),
        catalogue,
        access: accessOf(database),
        emit: async (_tx, userId, type) => void told.push({ userId, type }),
        countEvents: async () => 0,
        dashboardUrl: DASHBOARD_URL,
        corsOrigins: [],
        apiAddress: () => 'https://api.waymark.example',
        stripe: { secretKey: 'sk_test_123', apiBase: edge.url, ...(timeoutMs && { timeoutMs }) },
        webhookSecret: WEBHOOK_SECRET,
        logger,
        nowMs: now,
      });
      return billing.routes;
    },
  });

  const post: StripeApi['post'] = ({ token }, url, body) =>
    api.call('POST', url, { token, ...(body && { body }) });
  const get: StripeApi['get'] = ({ token }, url) => api.call('GET', url, { token });
  const deliver: StripeApi['deliver'] = (event) => {
    const payload = JSON.stringify(event);
    return send(api, payload, signatureOf(payload, now()));
  };
  const deliverAll = async () => {
    for (const event of account.takeEvents()) await deliver(event);
  };

  return {
    api,
    account,
    edge,
    billing: billing!,
    told: ({ id }) => told.filter(({ userId }) => userId === id).map(({ type }) => type),
    pass(seconds) {
      nowMs += seconds * 1000;
    },
    now,
    get,
    post,
    subscription: async (user) => (await get(user, '/payment/subscription')).json.data.subscription,
    transactions: async (user) => (await get(user, '/payment/history')).json.data.transactions,
    deliver,
    deliverAll,
    async followChange(checkoutUrl) {
      const { headers } = await api.call('GET', new URL(checkoutUrl).pathname);
      return new URL(headers.location!).pathname.slice(1);
    },
    async subscribe(user, planId) {
      const { json } = await post(user, '/payment/checkout', { planId });
      const id = account.pay(new URL(json.data.checkoutUrl).pathname.slice(1));
      await deliverAll();
      return id;
    },
    async close() {
      await api.close();
      await edge.close();
    },
  };
}

/** Returns the signature that Stripe would send with a payload. */
export function signatureOf(payload: string, signedAtMs: number, secret = WEBHOOK_SECRET): string {
  const timestamp = Math.floor(signedAtMs / 1000);
  return Stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp });
}

/** Posts a payload with a signature. */
export function send(api: TestApi, payload: string, signature: string): Promise<ApiAnswer> {
  const headers = { 'content-type': 'application/json', 'stripe-signature': signature };
  return api.call('POST', '/webhooks/stripe', { body: payload, headers });
}
