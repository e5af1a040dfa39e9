import { afterAll, beforeAll, expect, it } from 'vitest';
import { shownState } from './areas/history/history-api.fixture.js';
import type { CurrentState } from './areas/history/version-state.js';
import { operationsWithForce } from './guarded-operations.fixture.js';
import { type RunningControlplane, startControlplane } from './running-controlplane.fixture.js';

interface Answer {
  readonly status: number;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: each answer has another type
  readonly json: any;
}

/** The redirect that a change is made of, with a rule, two paths, and a staged table. */
interface Subject {
  readonly id: string;
  readonly host: string;
  readonly ruleIds: readonly number[];
  readonly entryId: number;
}

type Change = (subject: Subject) => Promise<Answer>;

let controlplane: RunningControlplane;
let operations: readonly string[];
/** Operations that take `force`. */
let guarded: ReadonlySet<string>;
let token: string;
let operator: string;
let count = 0;

async function call(
  method: string,
  path: string,
  body?: unknown,
  { caller = token, type = 'application/json' } = {},
): Promise<Answer> {
  const response = await fetch(`${controlplane.url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${caller}`,
      ...(body !== undefined && { 'content-type': type }),
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, text, json: text.startsWith('{') ? JSON.parse(text) : undefined };
}

const made = async (method: string, path: string, body?: unknown): Promise<Answer['json']> => {
  const { status, text, json } = await call(method, path, body);
  expect(status, `${method} ${path}: ${text}`).toBeLessThan(300);
  return json;
};

beforeAll(async () => {
  controlplane = await startControlplane({ WEBHOOK_ALLOW_PRIVATE: 'on', RATE_LIMIT_MULTIPLIER: '100' });
  operator = (await controlplane.accounts.bootstrap({ generate: true })).token ?? '';
  const account = { email: 'ada@example.com', password: 'correct horse battery' };
  token = (await call('POST', '/auth/signup', account, { caller: 'none' })).json.token;
  const { paths } = (await call('GET', '/openapi.json')).json;
  guarded = operationsWithForce(paths);
  operations = Object.entries(paths as Record<string, object>).flatMap(([path, methods]) =>
    Object.keys(methods)
      .filter((method) => !['get', 'head', 'parameters'].includes(method))
      .map((method) => `${method.toUpperCase()} ${path}`),
  );
});
afterAll(() => controlplane.stop());

const rule = (name: string) => ({
  name,
  type: 'force',
  action: { type: 'redirect', url: `https://rule.example/${name}` },
  status: 'active',
});
const entry = (source: string) => ({ source, destination: 'https://entry.example/' });

async function createSubject(): Promise<Subject> {
  count += 1;
  const host = `subject-${count}.localhost`;
  const { id } = await made('POST', '/redirects', { fromDomain: host, toDomain: 'https://start.example' });
  const { rule: first } = await made('POST', `/redirects/${id}/rules`, rule('first'));
  const { rule: second } = await made('POST', `/redirects/${id}/rules`, rule('second'));
  await made('PUT', `/redirects/${id}/paths`, { entries: [entry('/a')] });
  await made('PUT', `/redirects/${id}/paths`, { entries: [entry('/a'), entry('/b')] });
  await made('PUT', `/redirects/${id}/paths/staged`, { entries: [entry('/staged')] });
  const { data } = await made('GET', `/redirects/${id}/paths`);
  return { id, host, ruleIds: [first.id, second.id], entryId: data[0].id };
}

async function shown({ id }: Subject): Promise<CurrentState> {
  return shownState(
    await made('GET', `/redirects/${id}`),
    (await made('GET', `/rules/redirect/${id}`)).rules,
    await made('GET', `/redirects/${id}/paths`),
  );
}

const importOf = async (query: string, file: string): Promise<Answer> => {
  const sent = await call('POST', `/imports?${query}`, file, { type: 'text/csv' });
  if (sent.status !== 202) return sent;
  await expect
    .poll(async () => (await made('GET', `/imports/${sent.json.id}`)).state, {
      timeout: 60_000,
      interval: 50,
    })
    .toBe('finished');
  return sent;
};

/** A request for each operation that changes a redirect, its rules or its paths. */
const CHANGES: Readonly<Record<string, Change>> = {
  'PUT /update/{id}': ({ id }) => call('PUT', `/update/${id}`, { toDomain: 'https://other.example' }),
  'PATCH /redirects/{id}': ({ id }) => call('PATCH', `/redirects/${id}`, { enabled: false }),
  'POST /redirects/bulk': ({ id }) =>
    call('POST', '/redirects/bulk', { operations: [{ op: 'update', id, note: 'bulk' }] }),
  'POST /imports': ({ host }) =>
    importOf('kind=redirects&format=csv', `op,fromDomain,note\nupdate,${host},imported`),
  'POST /imports (paths)': ({ id }) =>
    importOf(`kind=paths&format=csv&redirectId=${id}`, 'source,destination\n/imported,https://to.example'),
  'POST /redirects/{id}/restore': async ({ id }) => {
    await made('DELETE', `/redirects/${id}`);
    return call('POST', `/redirects/${id}/restore`);
  },
  'POST /redirects/{id}/rules': ({ id }) => call('POST', `/redirects/${id}/rules`, rule('third')),
  'POST /rules/redirect/{redirectId}': ({ id }) => call('POST', `/rules/redirect/${id}`, rule('third')),
  'PATCH /rules/{ruleId}': ({ ruleIds }) => call('PATCH', `/rules/${ruleIds[0]}`, { status: 'inactive' }),
  'PUT /rules/{ruleId}': ({ ruleIds }) => call('PUT', `/rules/${ruleIds[1]}`, { priority: 1 }),
  'PUT /rules/{ruleId}/status': ({ ruleIds }) =>
    call('PUT', `/rules/${ruleIds[0]}/status`, { status: 'draft' }),
  'DELETE /rules/{ruleId}': ({ ruleIds }) => call('DELETE', `/rules/${ruleIds[0]}`),
  'POST /rules/{ruleId}/duplicate': ({ ruleIds }) => call('POST', `/rules/${ruleIds[0]}/duplicate`),
  'PUT /rules/redirect/{redirectId}/reorder': ({ id, ruleIds }) =>
    call('PUT', `/rules/redirect/${id}/reorder`, { ruleIds: [...ruleIds].reverse() }),
  'POST /redirects/{id}/paths': ({ id }) => call('POST', `/redirects/${id}/paths`, entry('/c')),
  'PUT /redirects/{id}/paths': ({ id }) =>
    call('PUT', `/redirects/${id}/paths`, { options: { unmatched: 'gone' }, entries: [entry('/c')] }),
  'PATCH /redirects/{id}/paths': ({ id }) =>
    call('PATCH', `/redirects/${id}/paths`, { options: { ignoreCase: true } }),
  'PATCH /redirects/{id}/paths/{entryId}': ({ id, entryId }) =>
    call('PATCH', `/redirects/${id}/paths/${entryId}`, { enabled: false }),
  'DELETE /redirects/{id}/paths/{entryId}': ({ id, entryId }) =>
    call('DELETE', `/redirects/${id}/paths/${entryId}`),
  'POST /redirects/{id}/paths/staged/publish': ({ id }) =>
    call('POST', `/redirects/${id}/paths/staged/publish`),
  'POST /redirects/{id}/paths/restore': ({ id }) => call('POST', `/redirects/${id}/paths/restore`),
  'POST /redirects/{id}/draft/publish': async ({ id, ruleIds }) => {
    const draft = {
      redirect: { note: 'drafted' },
      rules: [rule('new'), { ...rule('kept'), id: ruleIds[1] }],
      paths: { options: { ignoreCase: true }, entries: [entry('/b'), entry('/drafted')] },
    };
    await made('PUT', `/redirects/${id}/draft`, draft);
    return call('POST', `/redirects/${id}/draft/publish`);
  },
  'POST /redirects/{id}/versions/{n}/rollback': ({ id }) =>
    call('POST', `/redirects/${id}/versions/1/rollback`),
  'POST /admin/takedowns': ({ host }) =>
    call('POST', '/admin/takedowns', { host, reason: 'test' }, { caller: operator }),
  'DELETE /admin/takedowns/{id}': async ({ host }) => {
    const made = await call('POST', '/admin/takedowns', { host, reason: 'test' }, { caller: operator });
    return call('DELETE', `/admin/takedowns/${made.json.id}`, undefined, { caller: operator });
  },
  'POST /admin/domains/{domain}/release': ({ host }) =>
    call('POST', `/admin/domains/${host}/release`, undefined, { caller: operator }),
  'POST /verify-domain': async ({ host }) => {
    await call('POST', `/admin/domains/${host}/release`, undefined, { caller: operator });
    return call('POST', '/verify-domain', { domain: host });
  },
  'POST /verify-domains': async ({ host }) => {
    await call('POST', `/admin/domains/${host}/release`, undefined, { caller: operator });
    return call('POST', '/verify-domains', { domains: [host] });
  },
};

/** Operations after which a redirect is new or gone. Their entries in the audit log are tested by themselves. */
const CREATE_OR_DELETE: Readonly<Record<string, (host: string) => Promise<Answer>>> = {
  'POST /add-redirect': (fromDomain) =>
    call('POST', '/add-redirect', { fromDomain, toDomain: 'https://start.example' }),
  'POST /redirects': (fromDomain) =>
    call('POST', '/redirects', { fromDomain, toDomain: 'https://start.example' }),
};
const DELETE_OPERATIONS: Readonly<Record<string, (id: string) => string>> = {
  'DELETE /delete-redirect/{id}': (id) => `/delete-redirect/${id}`,
  'DELETE /redirects/{id}': (id) => `/redirects/${id}`,
};

/** Operations that change other objects of a user than published redirects, with their action in the audit log. */
const AUDITED: Readonly<Record<string, readonly [action: string, change: Change]>> = {
  'PUT /redirects/{id}/draft': [
    'draft.written',
    ({ id }) => call('PUT', `/redirects/${id}/draft`, { rules: [] }),
  ],
  'POST /redirects/{id}/draft/publish (at a time)': [
    'draft.scheduled',
    async ({ id }) => {
      await made('PUT', `/redirects/${id}/draft`, { rules: [] });
      const at = new Date(Date.now() + 3_600_000).toISOString();
      return call('POST', `/redirects/${id}/draft/publish`, { at });
    },
  ],
  'DELETE /redirects/{id}/draft': [
    'draft.deleted',
    async ({ id }) => {
      await made('PUT', `/redirects/${id}/draft`, { rules: [] });
      return call('DELETE', `/redirects/${id}/draft`);
    },
  ],
  'PUT /redirects/{id}/paths/staged': [
    'paths.staged',
    ({ id }) => call('PUT', `/redirects/${id}/paths/staged`, { entries: [entry('/new')] }),
  ],
  'DELETE /redirects/{id}/paths/staged': [
    'paths.discarded',
    ({ id }) => call('DELETE', `/redirects/${id}/paths/staged`),
  ],
  'PUT /redirects/{id}/examples': [
    'examples.replaced',
    ({ id }) => call('PUT', `/redirects/${id}/examples`, { examples: [] }),
  ],
};

/** Operations that change no redirect, with the reason. */
const OTHERS: readonly RegExp[] = [
  // Accounts, payments, webhooks and certificates have no versions.
  /^\w+ \/(auth|payment|webhooks?|webhook-endpoints|webhook-deliveries|certificates)(\/|$)/,
  // A suspension is of a user, and an epoch of the installation.
  /^POST \/admin\/(users\/\{id\}\/(suspend|resume)|new-epoch)$/,
  // A fallback belongs to the user.
  /^(POST|PUT) \/user\//,
  // A canceled import changes nothing any more.
  /^POST \/imports\/\{id\}\/cancel$/,
  // Tests, replays and explanations only evaluate rules.
  /\/(test|run|replay|explain)$/,
  /^POST \/replays\/\{id\}\/cancel$/,
  // Conversions are results of visits.
  /^POST \/experiments\/\{ruleId\}\/conversions$/,
  // Data planes and the ingestion.
  /^\w+ \/(internal|dataplanes?|rulesets?)(\/|$)/,
];

it('knows every operation that may change a redirect', () => {
  const known = new Set([
    ...Object.keys(CHANGES),
    ...Object.keys(CREATE_OR_DELETE),
    ...Object.keys(DELETE_OPERATIONS),
    ...Object.keys(AUDITED),
  ]);
  const unknown = operations.filter(
    (operation) => !known.has(operation) && !OTHERS.some((other) => other.test(operation)),
  );
  // A new operation must record a version (areas/history/public.ts) and be added to CHANGES, or be added to OTHERS.
  expect(unknown).toEqual([]);
  const gone = [...known].filter((name) => !operations.includes(name.replace(/ \(.*/, '')));
  expect(gone).toEqual([]);
});

/** Changes that cannot break examples, or are not their owner's. */
const UNGUARDED = [
  'POST /redirects/{id}/restore',
  'POST /rules/{ruleId}/duplicate',
  'POST /admin/takedowns',
  'DELETE /admin/takedowns/{id}',
  'POST /admin/domains/{domain}/release',
  'POST /verify-domain',
  'POST /verify-domains',
];

it('lets nothing else change a redirect without a check of its examples', () => {
  const unguarded = Object.keys(CHANGES).filter((name) => !guarded.has(name.replace(/ \(.*/, '')));
  // A new operation must call `keepExamples` of the redirect service, and be added to guarded-changes.test.ts.
  expect(unguarded).toEqual(UNGUARDED);
});

it.each(Object.keys(CHANGES))('records a version of what %s changes', async (name) => {
  const subject = await createSubject();
  try {
    const before = await shown(subject);
    const { status, text } = await (CHANGES[name] as Change)(subject);
    expect(status, text).toBeLessThan(300);
    const after = await shown(subject);
    expect(after.version).toBeGreaterThan(before.version);
    const { data } = await made('GET', `/redirects/${subject.id}/versions?limit=1`);
    expect(data[0]).toMatchObject({
      version: after.version,
      at: expect.any(String),
      summary: expect.any(String),
    });
    for (const state of [before, after]) {
      const { redirect, rules, paths } = await made(
        'GET',
        `/redirects/${subject.id}/versions/${state.version}`,
      );
      const { options, entries } = paths;
      expect({ version: state.version, redirect, rules, paths: { options, entries } }).toEqual(state);
    }
  } finally {
    await made('DELETE', `/redirects/${subject.id}`);
  }
});

it.each(Object.keys(CREATE_OR_DELETE))('records the creation by %s', async (name) => {
  count += 1;
  const { json } = await CREATE_OR_DELETE[name]!(`created-${count}.localhost`);
  const { data } = await made('GET', `/redirects/${json.id}/versions`);
  expect(data).toMatchObject([{ version: 1, action: 'redirect.created' }]);
  await made('DELETE', `/redirects/${json.id}`);
});

it.each(Object.keys(DELETE_OPERATIONS))('records the deletion by %s', async (name) => {
  const { id } = await createSubject();
  await made('DELETE', DELETE_OPERATIONS[name]!(id));
  const { data } = await made('GET', `/audit?resource=${id}&limit=1`);
  expect(data).toMatchObject([{ action: 'redirect.deleted', resource: { id } }]);
});

it.each(Object.keys(AUDITED))('records what %s changes in the audit log', async (name) => {
  const [action, change] = AUDITED[name] as (typeof AUDITED)[string];
  const subject = await createSubject();
  const { status, text } = await change(subject);
  expect(status, text).toBeLessThan(300);
  const { data } = await made('GET', `/audit?resource=${subject.id}&limit=1`);
  expect(data).toMatchObject([
    { action, version: null, resource: { name: subject.host }, by: { email: 'ada@example.com' } },
  ]);
  await made('DELETE', `/redirects/${subject.id}`);
});

it('records what a subscription and its payments become', async () => {
  const { data: checkout } = await made('POST', '/payment/checkout', { planId: 'pro' });
  const paid = await fetch(checkout.checkoutUrl, {
    method: 'POST',
    body: new URLSearchParams({ outcome: 'succeed' }),
    redirect: 'manual',
  });
  expect(paid.status).toBeLessThan(400);
  await made('POST', '/payment/subscription/cancel', { immediately: true });
  const entriesOf = async (resource: string) => (await made('GET', `/audit?resource=${resource}`)).data;
  expect(await entriesOf('payment')).toMatchObject([
    {
      action: 'payment.changed',
      summary: 'Payment succeeded: 2900 usd in the smallest unit',
      by: { userId: null },
    },
  ]);
  expect(await entriesOf('subscription')).toMatchObject([
    { summary: 'Cancelled at once by the user', by: { email: 'ada@example.com' } },
    {
      action: 'subscription.changed',
      summary: expect.stringMatching(/^Subscription: pro active to pro revoked,/),
    },
    {
      action: 'subscription.changed',
      summary: expect.stringMatching(/^Subscription: pro active,/),
      by: { userId: null },
    },
  ]);
});
