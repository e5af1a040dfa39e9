import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import http from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { limitMs, type PlainServer, startPlainServer } from './plain-server.fixture.js';
import { makeDataDir, type Product, startProduct } from './product.fixture.js';
import { createRedirect, createRule, redirectTo } from './rules.fixture.js';

const QUIET = 'quiet.localhost';
const PROBES = 300;
/** A stalled event loop delays every other probe. A busy machine delays visits of the plain server too. */
const MAX_MS = { median: 50, p99: 2_000 };

let dataDir: string;
let product: Product;
let plainServer: PlainServer;
beforeAll(async () => {
  dataDir = await makeDataDir();
  product = await startProduct({ dataDir, environment: { DEFAULT_PLAN: 'business' } });
  await createRedirect(product, QUIET);
  plainServer = await startPlainServer();
});
afterAll(async () => {
  plainServer?.end();
  await product.end('SIGTERM');
  await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
});

/** Expects that redirects of a host without attackers stay fast while `attack` runs repeatedly. */
async function expectQuietDuring(attack: () => Promise<unknown>): Promise<void> {
  let isOver = false;
  const attackers = Array.from({ length: 4 }, async () => {
    while (!isOver) await attack();
  });
  const tookMs: number[] = [];
  const plainTookMs: number[] = [];
  for (let probe = 0; probe < PROBES; probe++) {
    const startedAtMs = performance.now();
    expect((await product.visit(QUIET, '/')).headers.location).toBe('https://default.example/');
    const answeredAtMs = performance.now();
    await visitPlainServer();
    tookMs.push(answeredAtMs - startedAtMs);
    plainTookMs.push(performance.now() - answeredAtMs);
  }
  isOver = true;
  await Promise.all(attackers);
  for (const times of [tookMs, plainTookMs]) times.sort((x, y) => x - y);
  for (const [share, quietMs] of [
    [0.5, MAX_MS.median],
    [0.99, MAX_MS.p99],
  ] as const) {
    const at = Math.floor(PROBES * share);
    expect(tookMs[at], `percentile ${share}`).toBeLessThan(limitMs(quietMs, plainTookMs[at] ?? 0));
  }
}

/** Opens a connection for one request, as a visit does. */
async function visitPlainServer(): Promise<void> {
  const request = http.get({ host: '127.0.0.1', port: plainServer.port, agent: false });
  const [response] = (await once(request, 'response')) as [http.IncomingMessage];
  await once(response.resume(), 'end');
}

const AS = 'a'.repeat(3_000);
/** Leads the engine's automaton into more states than it keeps. */
const SCATTERED = Array.from({ length: 3_000 }, (_, index) =>
  (index * index * 7) % 11 < 5 ? 'a' : 'b',
).join('');

/** Statuses of requests that are refused because they would take too long to evaluate. */
const TOO_LONG = { target: 414, header: 431 };

const pathRule = (operator: string, value: string) => ({ attribute: 'url_path', operator, value });

const attacks = [
  {
    name: 'patterns that make backtracking engines run for ages',
    rules: ['(a+)+$', '(a|a)*b', '(.*a){20}', '^(([a-z])+.)+[A-Z]([a-z])+$', '(a|aa)+$'].map((pattern) => ({
      conditions: [pathRule('regex', pattern)],
    })),
    target: `/${AS}!`,
    status: 302,
  },
  {
    name: 'patterns that are slow for automata',
    rules: ['([ab]{0,30}a){9}[c-e]', '[ab]*a[ab]{90}[c-f]', '(a?b?){80}[xy]'].map((pattern) => ({
      conditions: [pathRule('regex', pattern)],
    })),
    target: `/${SCATTERED}`,
    status: 302,
  },
  {
    name: 'a rule of 1,000 conditions',
    rules: [
      { conditions: Array.from({ length: 1_000 }, (_, index) => pathRule('not_contains', `never-${index}`)) },
      {
        conditionLogic: 'OR',
        conditions: Array.from({ length: 1_000 }, (_, index) => pathRule('contains', `ever-${index}`)),
      },
    ],
    target: `/${AS}`,
    status: TOO_LONG.target,
  },
  {
    name: 'as many query parameters as fit into a request',
    rules: Array.from({ length: 20 }, (_, index) => ({
      conditions: [{ attribute: 'query_param', param: `p${index}`, operator: 'equals', value: 'no' }],
    })),
    target: `/?${'a&'.repeat(1_500)}`,
    status: 302,
  },
  {
    name: 'as many values of a parameter that many rules compare',
    rules: [
      {
        conditionLogic: 'OR',
        conditions: Array.from({ length: 1_000 }, (_, index) => ({
          attribute: 'query_param',
          param: 'a',
          operator: 'greater_than',
          value: index + 2,
        })),
      },
    ],
    target: `/?${'a=1&'.repeat(750)}`,
    status: TOO_LONG.target,
  },
];

test.each(attacks)(
  '$name do not slow the visitors of another host',
  async ({ name, rules, target, status }) => {
    const host = `attack-${attacks.findIndex((attack) => attack.name === name)}.localhost`;
    const id = await createRedirect(product, host, { samplingRate: 0 });
    for (const [index, rule] of rules.entries()) {
      await createRule(product, id, {
        name: `rule ${index}`,
        action: redirectTo('https://rule.example/'),
        ...rule,
      });
    }
    await expectQuietDuring(async () => {
      expect((await product.visit(host, target)).status).toBe(status);
    });
  },
);

test('headers of 64 KB do not slow the visitors of another host', async () => {
  const host = 'headers.localhost';
  const id = await createRedirect(product, host, { samplingRate: 0 });
  await createRule(product, id, {
    name: 'by many parts of the agent',
    conditionLogic: 'OR',
    conditions: Array.from({ length: 1_000 }, (_, index) => ({
      attribute: 'user_agent',
      operator: 'contains',
      value: `xy${index}`,
    })),
    action: redirectTo('https://rule.example/'),
  });
  await createRule(product, id, {
    name: 'by cookie and agent',
    type: 'percentage',
    conditions: [{ attribute: 'user_agent', operator: 'regex', value: '(x+x+)+y' }],
    action: { type: 'percentage_redirect', url: 'https://rule.example/', percentage: 50, sticky: 'cookie' },
  });
  const headers = { cookie: 'wm_1='.padEnd(64 * 1024, 'x'), 'user-agent': 'x'.repeat(60 * 1024) };
  await expectQuietDuring(async () => {
    // The rules or already the server refuse it, depending on whether it arrives in one piece or several.
    const answer = await product.visit(host, '/', { headers }).catch(() => undefined);
    expect([TOO_LONG.header, undefined]).toContain(answer?.status);
  });
});
