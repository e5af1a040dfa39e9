import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exampleOf } from './http/openapi/examples.js';
import type { JsonSchema } from './http/openapi/json-schema.js';
import { type RunningControlplane, startControlplane } from './running-controlplane.fixture.js';

interface Media {
  readonly schema: JsonSchema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}
interface Operation {
  readonly requestBody?: { readonly content?: Readonly<Record<string, Media>> };
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> };
}
interface Answer {
  readonly status: number;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: each answer has another type
  readonly json: any;
}

/** Part of every object of the owner. No answer to the stranger may contain it. */
const MARK = 'owned-by-ada';
const PASSWORD = 'correct horse battery';
const HOST = `${MARK}.localhost`;

/** Operations without an id in their path. They answer about the caller or the installation alone. */
const WITHOUT_ID = `
GET /, GET /healthz, GET /readyz, GET /user/plans, GET /user/fallback, PUT /user/fallback, GET /rules/attributes, POST /webhooks/stripe,
POST /auth/signup, POST /auth/email/verify, POST /auth/email/resend, POST /auth/login, GET /auth/user, DELETE /auth/user, POST /auth/user/restore,
POST /auth/session, POST /auth/session/code, POST /auth/session/token, DELETE /auth/session, GET /auth/sessions, DELETE /auth/sessions, POST /auth/password/set, POST /auth/password/change,
POST /auth/password/forgot, POST /auth/password/reset, POST /auth/tokens, GET /auth/tokens,
GET /redirects, POST /redirects, POST /add-redirect, GET /get-redirects/me, POST /verify-domain, POST /verify-domains,
POST /redirects/bulk, GET /exports/redirects, GET /audit, GET /exports/audit, POST /imports, GET /imports, POST /payment/checkout, GET /payment/subscription,
POST /payment/subscription/cancel, POST /payment/subscription/reactivate, POST /payment/portal, GET /payment/history,
GET /payment/billing, POST /webhook-endpoints, GET /webhook-endpoints, GET /certificates, GET /admin/users,
POST /admin/takedowns, GET /admin/takedowns, GET /admin/log, GET /admin/destinations, GET /admin/certificates, GET /admin/dataplanes, POST /admin/new-epoch
`
  .split(',')
  .map((name) => name.trim());

/** Operations with a domain in their path that answer about the caller, not about the owner of the domain. */
const ABOUT_CALLER: ReadonlySet<string> = new Set(['GET /domains/{domain}/proof']);

const REQUIRED_QUERY: Readonly<Record<string, string>> = {
  'GET /analytics/redirect/{redirectId}/stats': '?include=basic',
};

let controlplane: RunningControlplane;
let document: Document;
let owner: string;
let stranger: string;
/** Ids of the owner's objects, with the path prefix and the parameter name that they belong to. */
let foreign: readonly (readonly [prefix: string, parameter: string, value: string])[];

async function call(method: string, path: string, token: string, body?: unknown): Promise<Answer> {
  const response = await fetch(`${controlplane.url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, text, json: text.startsWith('{') ? JSON.parse(text) : undefined };
}

async function signUp(name: string): Promise<string> {
  const { json } = await call('POST', '/auth/signup', 'none', {
    email: `${name}@example.com`,
    password: PASSWORD,
  });
  return json.token;
}

beforeAll(async () => {
  controlplane = await startControlplane({ WEBHOOK_ALLOW_PRIVATE: 'on', RATE_LIMIT_MULTIPLIER: '100' });
  document = (await (await fetch(`${controlplane.url}/openapi.json`)).json()) as Document;
  // The first user operates the installation.
  const operator = (await controlplane.accounts.bootstrap({ generate: true })).token ?? '';
  owner = await signUp(MARK);
  stranger = await signUp('stranger');
  const make = async (path: string, body?: object) => (await call('POST', path, owner, body)).json;
  const toDomain = `https://${MARK}.example`;
  const redirect = await make('/redirects', { fromDomain: HOST, toDomain, externalId: MARK, note: MARK });
  const action = { type: 'redirect', url: `${toDomain}/rule` };
  const { rule } = await make(`/redirects/${redirect.id}/rules`, { name: MARK, type: 'force', action });
  const variants = ['a', 'b'].map((name) => ({ name, percentage: 50, url: `${toDomain}/${name}` }));
  const { rule: experiment } = await make(`/redirects/${redirect.id}/rules`, {
    ...{ name: MARK, type: 'ab_experiment', action: { type: 'ab_test', variants } },
  });
  const entry = await make(`/redirects/${redirect.id}/paths`, { source: `/${MARK}`, destination: toDomain });
  const token = await make('/auth/tokens', { name: MARK });
  const endpoint = await make('/webhook-endpoints', {
    url: `http://127.0.0.1:9999/${MARK}`,
    events: ['domain.verified'],
  });
  const { delivery } = await make(`/webhook-endpoints/${endpoint.id}/test`);
  const checkout = await make('/payment/checkout', { planId: 'pro' });
  await make('/auth/session', { email: `${MARK}@example.com`, password: PASSWORD });
  const { sessions } = (await call('GET', '/auth/sessions', owner)).json;
  const { id: userId } = (await call('GET', '/auth/user', owner)).json.user;
  const takedown = (
    await call('POST', '/admin/takedowns', operator, { destinationHost: 'evil.example', reason: MARK })
  ).json;
  const imported = await sendFile(owner, 'kind=redirects&format=csv&dryRun=true');
  const drafted = {
    redirect: { note: MARK },
    paths: { entries: [{ source: `/${MARK}`, destination: toDomain }] },
  };
  expect((await call('PUT', `/redirects/${redirect.id}/draft`, owner, drafted)).json.errors).toEqual([]);
  foreign = [
    ['/imports/', 'id', imported.json.id],
    // A replay needs recorded visits, and this test has no store. areas/replay/replay.test.ts requests a replay of
    // another user.
    ['/replays/', 'id', 'rp_none'],
    ['/exports/redirects/', 'id', redirect.id],
    ['/auth/sessions/', 'id', sessions[0].id],
    ['/auth/tokens/', 'id', token.id],
    ['/redirects/', 'id', redirect.id],
    ['/redirects/', 'entryId', String(entry.id)],
    ['/redirects/', 'n', '1'],
    ['/update/', 'id', redirect.id],
    ['/delete-redirect/', 'id', redirect.id],
    ['/rules/redirect/', 'redirectId', redirect.id],
    ['/rules/redirect/', 'attribute', 'country'],
    ['/rules/{ruleId}', 'ruleId', String(rule.id)],
    ['/experiments/', 'ruleId', String(experiment.id)],
    ['/analytics/redirect/', 'redirectId', redirect.id],
    ['/payment/checkout/', 'id', checkout.data.checkoutId],
    ['/webhook-endpoints/', 'id', endpoint.id],
    ['/webhook-deliveries/', 'id', delivery.id],
    ['/certificates/', 'host', HOST],
    ['/admin/users/', 'id', userId],
    ['/admin/takedowns/', 'id', takedown.id],
    ['/admin/domains/', 'domain', HOST],
  ];
});
afterAll(() => controlplane.stop());

/** Id of the first resource of the owner at paths with this beginning. */
const idOf = (start: string) => foreign.find(([prefix]) => prefix === start)?.[2];

/** Sends an import of one redirect. */
async function sendFile(token: string, query: string): Promise<Answer> {
  const response = await fetch(`${controlplane.url}/imports?${query}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'text/csv' },
    body: `fromDomain,toDomain\nmoved.example.org,https://${MARK}.example`,
  });
  const text = await response.text();
  return { status: response.status, text, json: JSON.parse(text) };
}

/** The path with ids of the owner. @throws where it has a parameter that is not known here */
function foreignPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, parameter: string) => {
    const known = foreign.find(([prefix, name]) => path.startsWith(prefix) && name === parameter);
    if (known !== undefined) return encodeURIComponent(known[2]);
    throw new Error(`Make a resource of the owner for {${parameter}} of ${path}, and add it to \`foreign\`.`);
  });
}

/** A body that the operation accepts. */
function bodyOf({ requestBody }: Operation): unknown {
  const media = requestBody?.content?.['application/json'];
  if (media === undefined) return undefined;
  const [given] = Object.values(media.examples ?? {});
  return media.example ?? given?.value ?? exampleOf(media.schema, '', document.components.schemas);
}

const operations = () =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${path}`,
      method: method.toUpperCase(),
      path,
      operation,
    })),
  );
const state = async () => {
  const paths = [
    '/redirects',
    '/auth/tokens',
    '/webhook-endpoints',
    `/redirects/${idOf('/redirects/')}/paths`,
    `/redirects/${idOf('/redirects/')}/draft`,
  ];
  const answers = await Promise.all(
    [...paths, `/rules/redirect/${idOf('/redirects/')}`].map((path) => call('GET', path, owner)),
  );
  // The time of the last use of a token changes by reading.
  return answers.map(({ text }) => text.replaceAll(/"lastUsedAt":("[^"]*"|null)/g, ''));
};

describe('what belongs to somebody else', () => {
  it('cannot be seen or changed by any operation with an id', async () => {
    const before = await state();
    expect(before.join()).toContain(MARK);
    const faults: string[] = [];
    for (const { name, method, path, operation } of operations()) {
      if (!path.includes('{') || ABOUT_CALLER.has(name)) continue;
      const url = `${foreignPath(path)}${REQUIRED_QUERY[name] ?? ''}`;
      const { status, text, json } = await call(method, url, stranger, bodyOf(operation));
      const isRefused =
        (status === 403 && json?.error.code === 'FORBIDDEN') ||
        (status === 404 && json?.error.code === 'NOT_FOUND');
      // The message of a 404 may repeat the host of the request.
      const leaks = !path.includes('{host}') && !path.includes('{domain}') && text.includes(MARK);
      if (!isRefused || leaks) faults.push(`${name}: ${status} ${text.slice(0, 200)}`);
    }
    expect(faults).toEqual([]);
    expect(await state()).toEqual(before);
  });

  it('does not appear in any operation without an id', async () => {
    const withoutId = operations().filter(({ path }) => !path.includes('{'));
    // A new operation must be added to the list. If it takes ids in its body, add a test below.
    expect(withoutId.map(({ name }) => name).sort()).toEqual([...WITHOUT_ID].sort());
    const leaks: string[] = [];
    for (const { name, method, path } of withoutId) {
      if (method !== 'GET') continue;
      const { text } = await call(method, path, stranger);
      if (text.includes(MARK)) leaks.push(`${name}: ${text.slice(0, 200)}`);
    }
    expect(leaks).toEqual([]);
  });

  it.each<[string, () => object]>([
    ['its id', () => ({ id: idOf('/redirects/') })],
    ['its external id', () => ({ externalId: MARK })],
    ['its domain', () => ({ fromDomain: HOST })],
  ])('cannot be changed or deleted in a bulk request by %s', async (_what, target) => {
    const before = await state();
    for (const op of ['update', 'delete']) {
      const body = { operations: [{ op, ...target(), ...(op === 'update' && { note: 'mine' }) }] };
      const { status, json } = await call('POST', '/redirects/bulk', stranger, body);
      expect([status, json.results[0].status]).toEqual([422, 'failed']);
    }
    expect(await state()).toEqual(before);
  });

  it('has another proof of its zone', async () => {
    const [mine, theirs] = await Promise.all(
      [owner, stranger].map((token) => call('GET', '/domains/www.example.org/proof', token)),
    );
    expect(mine?.json.zoneValue).not.toBe(theirs?.json.zoneValue);
  });

  it('cannot be imported into', async () => {
    const query = `kind=paths&format=csv&redirectId=${idOf('/redirects/')}`;
    expect((await sendFile(stranger, query)).status).toBe(403);
  });

  it('cannot be verified', async () => {
    expect((await call('POST', '/verify-domain', stranger, { domain: HOST })).status).toBe(404);
    const many = await call('POST', '/verify-domains', stranger, { domains: [HOST] });
    expect(many.text).not.toContain('waymark-verify=');
  });
});
