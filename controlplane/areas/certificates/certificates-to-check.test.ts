import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { createTestAuthority } from '../../../shared/certificates/certificates.fixture.js';
import type { TestUser } from '../../http/api.fixture.js';
import { type CertificatesApi, startCertificatesApi } from './certificates-api.fixture.js';

const DAY_MS = 86_400_000;
const authority = createTestAuthority();
const issue = (names: readonly string[], days: number) =>
  authority.issue(names, { notAfter: Date.now() + days * DAY_MS });

let service: CertificatesApi;
let certificatesDir: string;
let operator: string;
let owner: TestUser;
let other: TestUser;

/** Uploads a certificate of a new redirect. */
async function upload(user: TestUser, host: string, days: number): Promise<void> {
  await service.createVerified(user, host);
  const body = issue([host], days);
  const { status } = await service.api.call('PUT', `/certificates/${host}`, { token: user.token, body });
  expect(status).toBe(200);
}

async function list(query = ''): Promise<{ hosts: string[]; nextCursor: string | null; data: object[] }> {
  const { status, json } = await service.api.call('GET', `/admin/certificates${query}`, { token: operator });
  expect(status).toBe(200);
  const hosts = json.data.map(({ host }: { host: string }) => host);
  return { hosts, nextCursor: json.page.nextCursor, data: json.data };
}

beforeAll(async () => {
  certificatesDir = await mkdtemp(path.join(tmpdir(), 'waymark-to-check-'));
  for (const [name, names, days] of [
    ['ending', ['www.disk.localhost', 'disk.localhost'], 4],
    ['wild', ['*.covered.localhost'], 100],
  ] as const) {
    const { certificate, privateKey } = issue(names, days);
    await writeFile(path.join(certificatesDir, `${name}.crt`), certificate);
    await writeFile(path.join(certificatesDir, `${name}.key`), privateKey);
  }
  service = await startCertificatesApi({ certificatesDir });
  operator = (await service.api.accounts.bootstrap({ generate: true })).token ?? '';
  owner = await service.api.createUser({ plan: 'business' });
  other = await service.api.createUser({ plan: 'business' });
  await upload(owner, 'soon.localhost', 5);
  await upload(other, 'first.localhost', 3);
  await upload(owner, 'later.localhost', 60);
  await upload(owner, 'failing.localhost', 50);
  await upload(owner, 'a.covered.localhost', 2);
  await upload(owner, 'gone.localhost', 1);
  const failure = {
    code: 'RATE_LIMITED',
    message: 'The limit of the authority is reached.',
    at: new Date().toISOString(),
  };
  await service.database.query('UPDATE certificates SET last_error = $1 WHERE host = $2', [
    failure,
    'failing.localhost',
  ]);
  await service.database.query('UPDATE redirects SET deleted_at = now() WHERE from_domain = $1', [
    'gone.localhost',
  ]);
  await service.createVerified(other, 'waiting.localhost');
  await service.database.query(
    `INSERT INTO certificates (host, user_id, source, state) VALUES ('waiting.localhost', $1, 'acme', 'waiting_for_dns')`,
    [other.id],
  );
});
afterAll(async () => {
  await service.close();
  await rm(certificatesDir, { recursive: true });
});

const ALL = [
  'first.localhost',
  'www.disk.localhost',
  'soon.localhost',
  'failing.localhost',
  'waiting.localhost',
];

it('lists the certificates of all users that end soon, fail or are missing, the first end first', async () => {
  const { hosts, data, nextCursor } = await list();
  expect(hosts).toEqual(ALL);
  expect(nextCursor).toBeNull();
  expect(data[0]).toMatchObject({ source: 'uploaded', state: 'issued', userId: other.id });
  expect(data[1]).toMatchObject({ source: 'directory', userId: null, email: null });
  expect(data[3]).toMatchObject({ userId: owner.id, lastError: { code: 'RATE_LIMITED' } });
  expect(data[4]).toMatchObject({ state: 'waiting_for_dns', notAfter: null });
});

it.each([
  { limit: 1, zone: 'UTC' },
  { limit: 2, zone: 'UTC' },
  { limit: 3, zone: 'UTC' },
  { limit: 1, zone: 'America/New_York' },
  { limit: 1, zone: 'Asia/Kolkata' },
])('has every certificate on one of the pages of $limit, in the time zone $zone', async ({ limit, zone }) => {
  // Servers write times in the zone of their configuration.
  await service.database.query(`SELECT set_config('TimeZone', $1, false)`, [zone]);
  onTestFinished(async () => {
    await service.database.query(`SELECT set_config('TimeZone', 'UTC', false)`);
  });
  const found: string[] = [];
  let cursor = '';
  for (let pages = 0; pages <= ALL.length; pages += 1) {
    const { hosts, nextCursor } = await list(`?limit=${limit}${cursor}`);
    found.push(...hosts);
    if (nextCursor === null) break;
    cursor = `&cursor=${nextCursor}`;
  }
  expect(found).toEqual(ALL);
});

it('finds certificates by a part of the host and by the days until they end', async () => {
  expect((await list('?search=SOON')).hosts).toEqual(['soon.localhost']);
  expect((await list('?search=disk')).hosts).toEqual(['www.disk.localhost']);
  expect((await list('?days=1')).hosts).toEqual(['failing.localhost', 'waiting.localhost']);
  expect((await list('?days=70')).hosts).toEqual([
    ...ALL.slice(0, 4),
    'later.localhost',
    'waiting.localhost',
  ]);
});

it('is for the operator alone, and refuses bad input by the name of the parameter', async () => {
  const get = (query: string, token: string) =>
    service.api.call('GET', `/admin/certificates${query}`, { token });
  expect(await get('', owner.token)).toMatchObject({ status: 403, json: { error: { code: 'FORBIDDEN' } } });
  for (const [query, field] of [
    ['?days=0', 'days'],
    ['?days=366', 'days'],
    ['?limit=201', 'limit'],
    ['?cursor=nonsense', 'cursor'],
  ] as const) {
    const { status, json } = await get(query, operator);
    expect([status, json.error.field]).toEqual([expect.any(Number), field]);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(500);
  }
});

it('is searched in a bounded number of rows for each page', async () => {
  const user = await service.api.createUser({ plan: 'business' });
  await service.createVerified(user, 'a.rare.localhost');
  await service.createVerified(user, 'b.rare.localhost');
  // The others have no redirect any more. They are read too.
  await service.database.query(
    `INSERT INTO certificates (host, user_id, source, state, fingerprint, sealed, names, not_before, not_after)
     SELECT CASE n WHEN 1 THEN 'a.rare.localhost' WHEN 41000 THEN 'b.rare.localhost' ELSE 'h' || n || '.localhost' END, $1,
       'acme', 'issued', repeat('0', 64), 'sealed', '{}', now(), now() + interval '10 days' + make_interval(secs => n)
     FROM generate_series(1, 41000) AS n`,
    [user.id],
  );
  const pages: string[][] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page = await list(`?search=RARE.lo${cursor && `&cursor=${cursor}`}`);
    pages.push(page.hosts);
    cursor = page.nextCursor;
  }
  expect(pages).toEqual([['a.rare.localhost'], [], ['b.rare.localhost']]);
  expect((await list('?limit=2')).hosts).toHaveLength(2);
});
