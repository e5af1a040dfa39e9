import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestUser } from '../../http/api.fixture.js';
import { type RedirectsApi, startRedirectsApi } from './redirects-api.fixture.js';

let area: RedirectsApi;
let user: TestUser;
let other: TestUser;

beforeAll(async () => {
  area = await startRedirectsApi();
  user = await area.api.createUser({ plan: 'business' });
  other = await area.api.createUser({ plan: 'business' });
});
afterAll(() => area.close());

let count = 0;
const newDomain = () => `domain-${++count}.example`;
const errorOf = (status: number, code: string, field?: string) => ({
  status,
  json: { error: field === undefined ? { code } : { code, field } },
});

describe('creating', () => {
  test('answers with the whole record and its defaults', async () => {
    const fromDomain = newDomain();
    const answer = await area.create(user.token, { fromDomain, toDomain: 'https://new.example' });
    expect(answer.status).toBe(201);
    expect(answer.json).toEqual({
      id: expect.stringMatching(/^[0-9a-z]{16}$/),
      fromDomain,
      toDomain: 'https://new.example',
      redirectType: 'permanent',
      pathForwarding: false,
      queryForwarding: false,
      samplingRate: 1,
      cacheSeconds: 300,
      queryRecording: 'full',
      statusCode: 301,
      enabled: true,
      tags: [],
      note: '',
      externalId: null,
      startsAt: null,
      endsAt: null,
      afterEnd: null,
      responseHeaders: {},
      appendQuery: {},
      httpsMode: 'both',
      hsts: null,
      clickIdParam: null,
      notFound: null,
      certificate: null,
      pathCount: 0,
      version: 1,
      isVerified: false,
      status: 'pending',
      verification: {
        recordType: 'TXT',
        name: `_waymark.${fromDomain}`,
        value: expect.stringMatching(/^waymark-verify=[0-9a-f]{40}$/),
      },
      userID: user.id,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updatedAt: answer.json.createdAt,
      verifiedAt: null,
      analyticsUsage: {
        recordedHits: 0,
        estimatedTotalHits: 0,
        samplingRate: 1,
        month: new Date().toISOString().slice(0, 7),
        planLimit: -1,
        usagePercentage: 0,
        limitStatus: 'within_limit',
        canRecordMore: true,
      },
    });
  });

  test('trims strings and brings the domain into its one form', async () => {
    const answer = await area.create(user.token, {
      fromDomain: '  HTTPS://Bücher.Example./ ',
      toDomain: ' https://new.example/a/ ',
      pathForwarding: true,
    });
    expect(answer.json).toMatchObject({
      fromDomain: 'xn--bcher-kva.example',
      toDomain: 'https://new.example/a',
    });
  });

  test('keeps the bytes of the destination without path forwarding', async () => {
    const toDomain = 'https://NEW.example/a//b/../%7e/?q=%zz#f/';
    const answer = await area.create(user.token, { fromDomain: newDomain(), toDomain });
    expect(answer.json.toDomain).toBe(toDomain);
  });

  test.each<[string, object, string]>([
    ['fromDomain missing', { toDomain: 'https://new.example' }, 'fromDomain'],
    ['toDomain missing', { fromDomain: 'a.example' }, 'toDomain'],
    ['fromDomain no string', { fromDomain: 5, toDomain: 'https://new.example' }, 'fromDomain'],
    ['a wildcard', { fromDomain: '*.a.example', toDomain: 'https://new.example' }, 'fromDomain'],
    ['a port', { fromDomain: 'a.example:80', toDomain: 'https://new.example' }, 'fromDomain'],
    ['a path', { fromDomain: 'a.example/x', toDomain: 'https://new.example' }, 'fromDomain'],
    ['an address', { fromDomain: '10.1.2.3', toDomain: 'https://new.example' }, 'fromDomain'],
    ['a public suffix', { fromDomain: 'co.uk', toDomain: 'https://new.example' }, 'fromDomain'],
    ['an empty domain', { fromDomain: '  ', toDomain: 'https://new.example' }, 'fromDomain'],
    ['a relative destination', { fromDomain: 'a.example', toDomain: '/x' }, 'toDomain'],
    ['another scheme', { fromDomain: 'a.example', toDomain: 'ftp://new.example' }, 'toDomain'],
    ['user information', { fromDomain: 'a.example', toDomain: 'https://u:p@new.example' }, 'toDomain'],
    ['a line break', { fromDomain: 'a.example', toDomain: 'https://new.example/\r\nX: y' }, 'toDomain'],
    [
      'an unknown type',
      { fromDomain: 'a.example', toDomain: 'https://b.example', redirectType: '301' },
      'redirectType',
    ],
    [
      'a time below 0',
      { fromDomain: 'a.example', toDomain: 'https://b.example', cacheSeconds: -1 },
      'cacheSeconds',
    ],
    [
      'a time over a year',
      { fromDomain: 'a.example', toDomain: 'https://b.example', cacheSeconds: 31_536_001 },
      'cacheSeconds',
    ],
    [
      'half a second',
      { fromDomain: 'a.example', toDomain: 'https://b.example', cacheSeconds: 0.5 },
      'cacheSeconds',
    ],
    [
      'a rate below 0',
      { fromDomain: 'a.example', toDomain: 'https://b.example', samplingRate: -0.1 },
      'samplingRate',
    ],
    [
      'a rate above 1',
      { fromDomain: 'a.example', toDomain: 'https://b.example', samplingRate: 1.1 },
      'samplingRate',
    ],
    [
      'a rate as text',
      { fromDomain: 'a.example', toDomain: 'https://b.example', samplingRate: '1' },
      'samplingRate',
    ],
    [
      'an unknown query recording',
      { fromDomain: 'a.example', toDomain: 'https://b.example', queryRecording: 'all' },
      'queryRecording',
    ],
    [
      'no query recording',
      { fromDomain: 'a.example', toDomain: 'https://b.example', queryRecording: null },
      'queryRecording',
    ],
    [
      'a switch as text',
      { fromDomain: 'a.example', toDomain: 'https://b.example', pathForwarding: 'yes' },
      'pathForwarding',
    ],
    [
      'a misspelt member',
      { fromDomain: 'a.example', toDomain: 'https://b.example', pathForward: true },
      'pathForward',
    ],
  ])('refuses %s and names the field', async (_what, body, field) => {
    const answer = await area.create(user.token, body);
    expect(answer).toMatchObject(errorOf(422, 'VALIDATION_ERROR', field));
    expect(answer.json.error.message.length).toBeGreaterThan(10);
  });

  test.each([0, 300, 31_536_000])('takes %s seconds for caches', async (cacheSeconds) => {
    const body = { fromDomain: newDomain(), toDomain: 'https://new.example', cacheSeconds };
    expect((await area.create(user.token, body)).json.cacheSeconds).toBe(cacheSeconds);
  });

  test.each([0, 0.5, 1])('takes the sampling rate %s', async (samplingRate) => {
    const body = { fromDomain: newDomain(), toDomain: 'https://new.example', samplingRate };
    expect((await area.create(user.token, body)).json.samplingRate).toBe(samplingRate);
  });

  test.each(['full', 'names', 'none'])('takes the query recording %s', async (queryRecording) => {
    const body = { fromDomain: newDomain(), toDomain: 'https://new.example', queryRecording };
    const json = await area.createVerified(user.token, body);
    expect(json.queryRecording).toBe(queryRecording);
    const read = await area.api.call('GET', `/redirects/${json.id}`, { token: user.token });
    expect(read.json.queryRecording).toBe(queryRecording);
    const list = await area.api.call('GET', '/get-redirects/me', { token: user.token });
    expect(list.json.find(({ id }: { id: string }) => id === json.id)).toMatchObject({ queryRecording });
  });

  test('refuses a second redirect of the same user for a domain', async () => {
    const body = { fromDomain: newDomain(), toDomain: 'https://new.example' };
    expect((await area.create(user.token, body)).status).toBe(201);
    expect(await area.create(user.token, body)).toMatchObject(errorOf(422, 'DOMAIN_EXISTS', 'fromDomain'));
  });

  test('lets one of many simultaneous requests for a domain through', async () => {
    const body = { fromDomain: newDomain(), toDomain: 'https://new.example' };
    const answers = await Promise.all(Array.from({ length: 6 }, () => area.create(user.token, body)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 422, 422, 422, 422, 422]);
  });

  test('verifies names under .localhost at once and serves them', async () => {
    const answer = await area.create(user.token, {
      fromDomain: 'a.localhost',
      toDomain: 'https://new.example',
    });
    expect(answer.json).toMatchObject({ isVerified: true, status: 'active' });
    expect(answer.json.verifiedAt).not.toBeNull();
    expect((await area.changedHosts()).at(-1)).toBe('a.localhost');
    expect(await area.served('a.localhost')).toMatchObject({ id: answer.json.id });
  });

  test('stops at the limit of the plan and names limit, use and plan', async () => {
    const free = await area.api.createUser({ plan: 'free' });
    for (let made = 0; made < 5; made += 1) {
      const { status } = await area.create(free.token, {
        fromDomain: newDomain(),
        toDomain: 'https://new.example',
      });
      expect(status).toBe(201);
    }
    const answer = await area.create(free.token, {
      fromDomain: newDomain(),
      toDomain: 'https://new.example',
    });
    expect(answer).toMatchObject(errorOf(403, 'PLAN_LIMIT_REACHED'));
    expect(answer.json.error.message).toMatch(/Free.*5.*5/);
  });

  test('returns the first answer to the same Idempotency-Key', async () => {
    const options = {
      token: user.token,
      body: { fromDomain: newDomain(), toDomain: 'https://new.example' },
      headers: { 'idempotency-key': 'once' },
    };
    const first = await area.api.call('POST', '/add-redirect', options);
    const second = await area.api.call('POST', '/add-redirect', options);
    expect(first.status).toBe(201);
    expect(first.headers.etag).toMatch(/^"\d+-/);
    expect(second).toMatchObject({ status: 201, json: first.json, headers: { etag: first.headers.etag } });
  });
});

describe('loops', () => {
  test.each([
    ['the domain itself', (domain: string) => `https://${domain}/elsewhere`],
    ['the domain in other letters', (domain: string) => `http://${domain.toUpperCase()}.:8080`],
  ])('refuses a destination on %s', async (_what, toDomain) => {
    const fromDomain = newDomain();
    const answer = await area.create(user.token, { fromDomain, toDomain: toDomain(fromDomain) });
    expect(answer).toMatchObject(errorOf(422, 'REDIRECT_LOOP', 'toDomain'));
  });

  test('refuses to close a loop through several of one’s own redirects, and shows it', async () => {
    const [a, b, c] = [newDomain(), newDomain(), newDomain()];
    await area.create(user.token, { fromDomain: a, toDomain: `https://${b}/x` });
    await area.create(user.token, { fromDomain: b, toDomain: `https://${c}` });
    const closing = await area.create(user.token, { fromDomain: c, toDomain: `https://${a}` });
    expect(closing).toMatchObject(errorOf(422, 'REDIRECT_LOOP', 'toDomain'));
    expect(closing.json.error.message).toContain(`${c} → ${a} → ${b} → ${c}`);
  });

  test('allows chains of 64 redirects, and refuses one more at the start', async () => {
    const owner = await area.api.createUser({ plan: 'business' });
    await area.api.database.query(
      `INSERT INTO redirects (id, user_id, from_domain, to_domain, to_host, redirect_type, path_forwarding,
         query_forwarding, sampling_rate, verification_value)
       SELECT 'chain' || i, $1, 'chain' || i || '.example.com', 'https://x', 'chain' || i - 1 || '.example.com',
         'permanent', false, false, 1, 'x' FROM generate_series(1, 63) i`,
      [owner.id],
    );
    const link = (from: number, to: number) =>
      area.create(owner.token, {
        fromDomain: `chain${from}.example.com`,
        toDomain: `https://chain${to}.example.com`,
      });
    expect((await link(64, 63)).status).toBe(201);
    expect(await link(65, 64)).toMatchObject(errorOf(422, 'VALIDATION_ERROR', 'toDomain'));
    // The chain may still grow at its end, but must not become a loop.
    expect(await link(0, 64)).toMatchObject(errorOf(422, 'REDIRECT_LOOP', 'toDomain'));
  });

  test('refuses to close a loop through what another user has verified', async () => {
    const [a, b] = [newDomain(), newDomain()];
    await area.createVerified(other.token, { fromDomain: a, toDomain: `https://${b}` });
    const closing = await area.create(user.token, { fromDomain: b, toDomain: `https://${a}` });
    expect(closing).toMatchObject(errorOf(422, 'REDIRECT_LOOP', 'toDomain'));
  });

  test('is not stopped by a claim that another user has not proved', async () => {
    const [a, b] = [newDomain(), newDomain()];
    await area.create(other.token, { fromDomain: a, toDomain: `https://${b}` });
    expect((await area.create(user.token, { fromDomain: b, toDomain: `https://${a}` })).status).toBe(201);
  });

  test('refuses an update that would close one', async () => {
    const [a, b] = [newDomain(), newDomain()];
    await area.create(user.token, { fromDomain: a, toDomain: `https://${b}` });
    const { json } = await area.create(user.token, { fromDomain: b, toDomain: 'https://new.example' });
    const body = { toDomain: `https://${a}` };
    const answer = await area.api.call('PUT', `/update/${json.id}`, { token: user.token, body });
    expect(answer).toMatchObject(errorOf(422, 'REDIRECT_LOOP', 'toDomain'));
  });

  test('lets only one of two halves made at the same moment through', async () => {
    for (let round = 0; round < 5; round += 1) {
      const [a, b] = [newDomain(), newDomain()];
      const answers = await Promise.all([
        area.create(user.token, { fromDomain: a, toDomain: `https://${b}` }),
        area.create(user.token, { fromDomain: b, toDomain: `https://${a}` }),
      ]);
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 422]);
    }
  });
});

describe('reading', () => {
  test('lists one’s own redirects, newest first, as a bare array', async () => {
    const reader = await area.api.createUser({ plan: 'pro' });
    expect((await area.api.call('GET', '/get-redirects/me', { token: reader.token })).json).toEqual([]);
    const domains = [newDomain(), newDomain(), newDomain()];
    for (const fromDomain of domains) {
      await area.create(reader.token, { fromDomain, toDomain: 'https://new.example' });
    }
    const { json } = await area.api.call('GET', '/get-redirects/me', { token: reader.token });
    expect(json.map(({ fromDomain }: { fromDomain: string }) => fromDomain)).toEqual(domains.reverse());
  });

  test('lists what was changed a moment ago, as JSON', async () => {
    const reader = await area.api.createUser({ plan: 'pro' });
    const list = () => area.api.call('GET', '/get-redirects/me', { token: reader.token });
    const { json: made } = await area.create(reader.token, {
      fromDomain: newDomain(),
      toDomain: 'https://ü.example/ü',
    });
    expect((await list()).json).toEqual([made]);
    const { json: changed } = await area.api.call('PUT', `/update/${made.id}`, {
      token: reader.token,
      body: { samplingRate: 0.5 },
    });
    const answer = await list();
    expect(answer.json).toEqual([changed]);
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(answer.headers['content-length']).toBe(String(Buffer.byteLength(answer.body)));
    await area.api.call('DELETE', `/delete-redirect/${made.id}`, { token: reader.token });
    expect((await list()).json).toEqual([]);
  });

  test('gets one by its id', async () => {
    const { json } = await area.create(user.token, {
      fromDomain: newDomain(),
      toDomain: 'https://new.example',
    });
    const answer = await area.api.call('GET', `/redirects/${json.id}`, { token: user.token });
    expect(answer).toMatchObject({ status: 200, json });
  });

  test.each([
    [0, 'free', 0, 'within_limit', true],
    [7_999, 'free', 79.99, 'within_limit', true],
    [8_000, 'free', 80, 'approaching_limit', true],
    [10_000, 'free', 100, 'limit_reached', false],
    [12_345, 'free', 123.45, 'limit_reached', false],
    [12_345, 'business', 0, 'within_limit', true],
  ] as const)(
    'shows the use of %d events on the plan %s',
    async (used, plan, percentage, state, canRecordMore) => {
      const reader = await area.api.createUser({ plan });
      const { json } = await area.create(reader.token, {
        fromDomain: newDomain(),
        toDomain: 'https://new.example',
      });
      area.usage.set(json.id, { recordedHits: used, estimatedTotalHits: used * 2 });
      const answer = await area.api.call('GET', `/redirects/${json.id}`, { token: reader.token });
      expect(answer.json.analyticsUsage).toMatchObject({
        recordedHits: used,
        estimatedTotalHits: used * 2,
        usagePercentage: percentage,
        limitStatus: state,
        canRecordMore,
      });
    },
  );

  test('goes on while the statistics are away', async () => {
    const { json } = await area.create(user.token, {
      fromDomain: newDomain(),
      toDomain: 'https://new.example',
    });
    area.failUsage(true);
    const answer = await area.api.call('GET', `/redirects/${json.id}`, { token: user.token });
    area.failUsage(false);
    expect(answer).toMatchObject({ status: 200, json: { analyticsUsage: { recordedHits: 0 } } });
  });
});

describe('updating', () => {
  test('changes only what is sent, and what is served', async () => {
    const fromDomain = newDomain();
    const { id } = await area.createVerified(user.token, { fromDomain, toDomain: 'https://new.example' });
    const answer = await area.api.call('PUT', `/update/${id}`, {
      token: user.token,
      body: { id, redirectType: 'temporary', samplingRate: 0.5 },
    });
    expect(answer).toMatchObject({
      status: 200,
      json: {
        id,
        toDomain: 'https://new.example',
        redirectType: 'temporary',
        samplingRate: 0.5,
        pathForwarding: false,
      },
    });
    expect(answer.json.updatedAt > answer.json.createdAt).toBe(true);
    expect((await area.changedHosts()).at(-1)).toBe(fromDomain);
    expect(await area.served(fromDomain)).toEqual({
      id,
      host: fromDomain,
      destination: 'https://new.example',
      redirectType: 'temporary',
      pathForwarding: false,
      queryForwarding: false,
      samplingRate: 0.5,
    });
  });

  test('says how long caches may keep an answer, where it is not the default', async () => {
    const fromDomain = newDomain();
    const { id } = await area.createVerified(user.token, { fromDomain, toDomain: 'https://new.example' });
    for (const [cacheSeconds, served] of [
      [0, 0],
      [86_400, 86_400],
      [300, undefined],
    ]) {
      const body = { cacheSeconds };
      const { json } = await area.api.call('PUT', `/update/${id}`, { token: user.token, body });
      expect(json.cacheSeconds).toBe(cacheSeconds);
      expect((await area.served(fromDomain))?.cacheSeconds).toBe(served);
    }
  });

  test('changes what hits record of queries; data planes are not told the default', async () => {
    const fromDomain = newDomain();
    const { id } = await area.createVerified(user.token, { fromDomain, toDomain: 'https://new.example' });
    for (const queryRecording of ['names', 'none', 'full']) {
      const body = { queryRecording };
      const answer = await area.api.call('PUT', `/update/${id}`, { token: user.token, body });
      expect(answer).toMatchObject({ status: 200, json: { queryRecording } });
      expect((await area.changedHosts()).at(-1)).toBe(fromDomain);
      const served = await area.served(fromDomain);
      if (queryRecording === 'full') expect(served).not.toHaveProperty('queryRecording');
      else expect(served).toMatchObject({ queryRecording });
      const other = { samplingRate: 0.5 };
      const kept = await area.api.call('PUT', `/update/${id}`, { token: user.token, body: other });
      expect(kept.json.queryRecording).toBe(queryRecording);
    }
  });

  test('changes nothing that is served while the domain is pending', async () => {
    const { json } = await area.create(user.token, {
      fromDomain: newDomain(),
      toDomain: 'https://new.example',
    });
    const before = await area.changedHosts();
    await area.api.call('PUT', `/update/${json.id}`, { token: user.token, body: { pathForwarding: true } });
    expect(await area.changedHosts()).toEqual(before);
  });

  test('drops the trailing slash of the destination when path forwarding is turned on', async () => {
    const { json } = await area.create(user.token, {
      fromDomain: newDomain(),
      toDomain: 'https://new.example/a/',
    });
    expect(json.toDomain).toBe('https://new.example/a/');
    const answer = await area.api.call('PUT', `/update/${json.id}`, {
      token: user.token,
      body: { pathForwarding: true },
    });
    expect(answer.json.toDomain).toBe('https://new.example/a');
  });

  test('takes the record back as it was given', async () => {
    const { json } = await area.create(user.token, {
      fromDomain: newDomain(),
      toDomain: 'https://new.example',
    });
    const answer = await area.api.call('PUT', `/update/${json.id}`, { token: user.token, body: json });
    expect(answer).toMatchObject({
      status: 200,
      json: { ...json, updatedAt: expect.any(String), version: 2 },
    });
  });

  test.each<[string, object, string]>([
    ['another fromDomain', { fromDomain: 'elsewhere.example' }, 'fromDomain'],
    ['another id', { id: 'anotherid' }, 'id'],
    ['a destination that is none', { toDomain: 'new.example' }, 'toDomain'],
    ['an unknown type', { redirectType: 'moved' }, 'redirectType'],
    ['a time that is none', { cacheSeconds: '300' }, 'cacheSeconds'],
    ['a rate that is none', { samplingRate: 2 }, 'samplingRate'],
    ['an unknown query recording', { queryRecording: 'some' }, 'queryRecording'],
    ['an unknown member', { colour: 'red' }, 'colour'],
  ])('refuses %s', async (_what, body, field) => {
    const { json } = await area.create(user.token, {
      fromDomain: newDomain(),
      toDomain: 'https://new.example',
    });
    const answer = await area.api.call('PUT', `/update/${json.id}`, { token: user.token, body });
    expect(answer).toMatchObject(errorOf(422, 'VALIDATION_ERROR', field));
  });
});

describe('deleting', () => {
  test('ends what is served and answers with a message', async () => {
    const fromDomain = newDomain();
    const { id } = await area.createVerified(user.token, { fromDomain, toDomain: 'https://new.example' });
    const answer = await area.api.call('DELETE', `/delete-redirect/${id}`, { token: user.token });
    expect(answer).toMatchObject({ status: 200, json: { message: expect.stringContaining(fromDomain) } });
    expect((await area.changedHosts()).at(-1)).toBe(fromDomain);
    expect(await area.served(fromDomain)).toBeUndefined();
    expect((await area.api.call('GET', `/redirects/${id}`, { token: user.token })).status).toBe(404);
  });

  test('works for clients that always send a content type', async () => {
    const { json } = await area.create(user.token, {
      fromDomain: newDomain(),
      toDomain: 'https://new.example',
    });
    const answer = await area.api.call('DELETE', `/delete-redirect/${json.id}`, {
      token: user.token,
      headers: { 'content-type': 'application/json' },
    });
    expect(answer.status).toBe(200);
  });
});

describe('every route', () => {
  const routes: [string, (id: string) => string, object?][] = [
    ['GET', (id) => `/redirects/${id}`],
    ['PUT', (id) => `/update/${id}`, { samplingRate: 0.5 }],
    ['DELETE', (id) => `/delete-redirect/${id}`],
  ];

  test.each(routes)(
    '%s answers 403 for a redirect of somebody else and 404 for none',
    async (method, url, body) => {
      const { json } = await area.create(user.token, {
        fromDomain: newDomain(),
        toDomain: 'https://new.example',
      });
      const options = { token: other.token, ...(body && { body }) };
      expect(await area.api.call(method, url(json.id), options)).toMatchObject(errorOf(403, 'FORBIDDEN'));
      expect(await area.api.call(method, url('doesnotexist'), options)).toMatchObject(
        errorOf(404, 'NOT_FOUND'),
      );
      expect((await area.api.call('GET', `/redirects/${json.id}`, { token: user.token })).json).toEqual(json);
    },
  );

  const guarded: [string, string, 'redirects:read' | 'redirects:write', object?][] = [
    ['POST', '/add-redirect', 'redirects:write', { fromDomain: 'a.example', toDomain: 'https://b.example' }],
    ['GET', '/get-redirects/me', 'redirects:read'],
    ['GET', '/redirects/x', 'redirects:read'],
    ['PUT', '/update/x', 'redirects:write', {}],
    ['DELETE', '/delete-redirect/x', 'redirects:write'],
    ['POST', '/verify-domain', 'redirects:write', { domain: 'a.example' }],
  ];

  test.each(guarded)('%s %s needs a token with the scope %s', async (method, url, scope, body) => {
    const withoutScope = await area.api.createToken(user.id, {
      scopes: ['analytics:read', scope === 'redirects:read' ? 'redirects:write' : 'redirects:read'],
    });
    const options = body === undefined ? {} : { body };
    expect(await area.api.call(method, url, options)).toMatchObject(errorOf(401, 'MISSING_TOKEN'));
    expect(await area.api.call(method, url, { ...options, token: withoutScope })).toMatchObject(
      errorOf(403, 'INSUFFICIENT_SCOPE'),
    );
  });
});
