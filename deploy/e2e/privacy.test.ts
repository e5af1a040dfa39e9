import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { makeDataDir, type Product, startProduct, type Visit } from './product.fixture.js';
import { createRedirect, createRule, RULES_ENVIRONMENT } from './rules.fixture.js';

interface RecordedHit {
  readonly path: string;
  readonly query: string;
  readonly destinationUrl: string;
  readonly referrer: string;
  readonly referrerDomain: string;
  readonly ipAddress: string;
  readonly visitorId: string;
  readonly variant: string | null;
  readonly utm: { readonly source: string | null; readonly content: string | null };
}

const SECRET = 's3cret';
const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
const QUERY = `utm_source=mail&%74oken=${SECRET}&next=%2Fr%3Fpassword%3D${SECRET}&q=1`;
const REFERRER = `https://user:${SECRET}@from.example/p?session_id=${SECRET}&q=1`;

const MODES = [
  [
    'full',
    {
      query: 'utm_source=mail&%74oken=***&next=%2Fr%3Fpassword%3D***&q=1',
      destinationUrl:
        'https://new.example/a/p?key=***&utm_source=mail&%74oken=***&next=%2Fr%3Fpassword%3D***&q=1#top',
      referrer: 'https://***@from.example/p?session_id=***&q=1',
      utm: { source: 'mail' },
    },
  ],
  [
    'names',
    {
      query: 'utm_source=***&%74oken=***&next=***&q=***',
      destinationUrl: 'https://new.example/a/p?key=***&utm_source=***&%74oken=***&next=***&q=***#top',
      referrer: 'https://***@from.example/p?session_id=***&q=***',
      utm: { source: null },
    },
  ],
  [
    'none',
    {
      query: '',
      destinationUrl: 'https://new.example/a/p#top',
      referrer: 'https://***@from.example/p',
      utm: { source: null },
    },
  ],
] as const;

/** All answers that show recorded visits of a redirect. */
const SHOWN = [
  'hits',
  'hits/export?format=csv',
  'hits/export?format=ndjson',
  'stats/referrers',
  'stats/destination-urls',
  'stats/campaigns',
  'stats/query-params',
  'stats/paths',
];

let dataDir: string;
let product: Product;

beforeAll(async () => {
  dataDir = await makeDataDir();
  product = await startProduct({ dataDir, environment: RULES_ENVIRONMENT });
});
afterAll(async () => {
  await product.end('SIGKILL');
  await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
});

async function visit(host: string, address = '192.0.2.77', target = '/'): Promise<Visit> {
  return product.visit(host, target, {
    headers: { 'user-agent': BROWSER, referer: REFERRER, 'x-forwarded-for': address },
  });
}

async function hitsOf(of: Pick<Product, 'api'>, id: string, count: number): Promise<RecordedHit[]> {
  return vi.waitFor(
    async () => {
      const { body } = await of.api<{ data: RecordedHit[] }>('GET', `/analytics/redirect/${id}/hits`);
      expect(body.data).toHaveLength(count);
      return body.data;
    },
    { interval: 50 },
  );
}

async function textOf(url: string): Promise<string> {
  const answer = await fetch(product.apiAddress + url, {
    headers: { authorization: `Bearer ${product.token}` },
  });
  expect(answer.status, url).toBe(200);
  return answer.text();
}

async function expectNoSecret(id: string): Promise<void> {
  for (const shown of SHOWN) {
    expect(await textOf(`/analytics/redirect/${id}/${shown}`), shown).not.toContain(SECRET);
  }
  for (const attribute of ['referrer', 'query_param?param=token', 'query_param?param=next']) {
    const [name, query = ''] = attribute.split('?');
    const url = `/rules/redirect/${id}/attributes/${name}/values?${query}`;
    expect(await textOf(url), url).not.toContain(SECRET);
  }
}

test('queries are recorded as each redirect says, also after a change and a restart', async () => {
  const { token } = product;
  const settings = {
    toDomain: `https://new.example/a?key=${SECRET}#top`,
    pathForwarding: true,
    queryForwarding: true,
  };
  const ids = new Map<string, string>();
  for (const [queryRecording] of MODES) {
    const host = `${queryRecording}.localhost`;
    ids.set(queryRecording, await createRedirect(product, host, { ...settings, queryRecording }));
  }
  const visitEach = async () => {
    for (const [queryRecording] of MODES) {
      const host = `${queryRecording}.localhost`;
      const { headers } = await visit(host, '192.0.2.77', `/p?${QUERY}`);
      expect(headers.location).toBe(`https://new.example/a/p?key=${SECRET}&${QUERY}#top`);
    }
  };
  const expectRecorded = async (count: number) => {
    for (const [queryRecording, recorded] of MODES) {
      const id = ids.get(queryRecording) ?? '';
      for (const hit of await hitsOf(product, id, count)) {
        expect(hit).toMatchObject({ ...recorded, path: '/p', referrerDomain: 'from.example' });
      }
      await expectNoSecret(id);
    }
  };
  await visitEach();
  await expectRecorded(1);

  expect(await product.end('SIGTERM')).toBe(0);
  product = await startProduct({ dataDir, environment: RULES_ENVIRONMENT, token });
  await visitEach();
  await expectRecorded(2);

  const id = ids.get('none') ?? '';
  const changed = await product.api('PUT', `/update/${id}`, { queryRecording: 'names' });
  expect(changed).toMatchObject({ status: 200, body: { queryRecording: 'names' } });
  await visit('none.localhost', '192.0.2.77', '/p?a=1');
  const [latest] = await hitsOf(product, id, 3);
  expect(latest).toMatchObject({ query: 'a=***' });
});

test('an IPv6 device is one visitor with one variant; owners are shown different visitors', async () => {
  const id = await createRedirect(product, 'split.localhost');
  const variants = ['one', 'two'].map((name) => ({
    name,
    percentage: 50,
    url: `https://${name}.example/`,
  }));
  await createRule(product, id, {
    name: 'split',
    type: 'ab_experiment',
    action: { type: 'ab_test', variants, sticky: 'visitor' },
  });
  // Devices change the lower half of their addresses by themselves.
  const networks = Array.from({ length: 12 }, (_, n) => `2001:db8:1:${n.toString(16)}`);
  for (const network of networks) {
    const locations = new Set<string | undefined>();
    for (const half of ['a1b2:c3d4:e5f6:789', ':1', '5c00:1:2:3']) {
      locations.add((await visit('split.localhost', `${network}:${half}`)).headers.location);
    }
    expect(locations.size, network).toBe(1);
  }
  await visit('split.localhost', '::ffff:192.0.2.77');
  await visit('split.localhost', '192.0.2.77');
  const stats = await vi.waitFor(
    async () => {
      const { body } = await product.api<{ data: { totalHits: number; uniqueVisitors: number } }>(
        'GET',
        `/analytics/redirect/${id}/stats/basic`,
      );
      expect(body.data.totalHits).toBe(3 * networks.length + 2);
      return body.data;
    },
    { interval: 50 },
  );
  expect(stats.uniqueVisitors).toBe(networks.length + 1);

  // The same visitor at another redirect of this owner, and at one of another owner.
  const sibling = await createRedirect(product, 'sibling.localhost');
  const account = { email: 'other@example.com', password: 'a long password of the other one' };
  const other = await product.api<{ token: string }>('POST', '/auth/signup', account);
  expect(other.status, JSON.stringify(other.body)).toBe(201);
  const asOther: Product = {
    ...product,
    async api<T>(method: string, url: string, body?: unknown) {
      const answer = await fetch(product.apiAddress + url, {
        method,
        headers: { authorization: `Bearer ${other.body.token}`, 'content-type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      return { status: answer.status, body: (await answer.json()) as T };
    },
  };
  const foreign = await createRedirect(asOther, 'foreign.localhost');
  await visit('sibling.localhost', '192.0.2.77');
  await visit('foreign.localhost', '192.0.2.77');
  const [own] = await hitsOf(product, sibling, 1);
  const [theirs] = await hitsOf(asOther, foreign, 1);
  const [first, second] = await product
    .api<{ data: RecordedHit[] }>('GET', `/analytics/redirect/${id}/hits?limit=2`)
    .then(({ body }) => body.data);
  expect([first?.visitorId, second?.visitorId]).toEqual([own?.visitorId, own?.visitorId]);
  expect(theirs?.visitorId).toMatch(/^[0-9a-f]{16}$/);
  expect(theirs?.visitorId).not.toBe(own?.visitorId);
  expect(theirs).toMatchObject({ ipAddress: own?.ipAddress, referrer: own?.referrer });
});
