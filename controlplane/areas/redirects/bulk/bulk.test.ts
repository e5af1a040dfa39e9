import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { TestUser } from '../../../http/api.fixture.js';
import { type RedirectsApi, startRedirectsApi } from '../redirects-api.fixture.js';

let area: RedirectsApi;
let user: TestUser;
let run = 0;

beforeAll(async () => {
  area = await startRedirectsApi();
});

afterAll(() => area.close());

beforeEach(async () => {
  user = await area.api.createUser();
  run += 1;
});

/** Returns a domain of this test. */
const host = (name: string) => `${name}-${run}.example.com`;
const creation = (name: string, more: object = {}) => ({
  op: 'create',
  fromDomain: host(name),
  toDomain: 'https://new.example',
  ...more,
});

function bulk(operations: readonly object[], query = '') {
  return area.api.call('POST', `/redirects/bulk${query}`, { token: user.token, body: { operations } });
}

function send(body: string, contentType: string, query = '') {
  const headers = { 'content-type': contentType };
  return area.api.call('POST', `/redirects/bulk${query}`, { token: user.token, body, headers });
}

async function domains(): Promise<string[]> {
  const { json } = await area.api.call('GET', '/get-redirects/me', { token: user.token });
  return json.map(({ fromDomain }: { fromDomain: string }) => fromDomain).sort();
}

const statuses = (json: { results: readonly { status: string }[] }) =>
  json.results.map(({ status }) => status);

describe('many operations in one request', () => {
  it('are refused together where the plan has no room, with what fits before them', async () => {
    const free = await area.api.createUser({ plan: 'free' });
    const operations = Array.from({ length: 1_000 }, (_, index) => creation(`room-${index}`));
    const { json } = await area.api.call('POST', '/redirects/bulk?mode=best_effort', {
      token: free.token,
      body: { operations },
    });
    expect(json.summary).toMatchObject({ created: 5, failed: 995 });
    expect(statuses(json).lastIndexOf('created')).toBe(4);
    expect(json.results[999].error).toMatchObject({ code: 'PLAN_LIMIT_REACHED' });
  });

  it('are refused with the size and the media types that this route takes', async () => {
    const large = await send(`{"operations":["${'x'.repeat(32 * 1024 * 1024)}"]}`, 'application/json');
    expect(large.status).toBe(413);
    expect(large.json.error.message).toBe('The request body must be at most 32 MiB.');
    const plain = await send('op', 'text/plain');
    expect(plain.status).toBe(400);
    expect(plain.json.error.message).toBe(
      'A request with a body needs the header Content-Type: application/json, application/x-ndjson or text/csv.',
    );
  });

  it('send an event for each redirect, as single changes do', async () => {
    const { database } = area.api;
    const types = ['redirect.created', 'redirect.updated', 'redirect.deleted'];
    await database.query(
      `INSERT INTO webhook_endpoints (id, user_id, url, events, secret) VALUES ($1, $1, 'https://h.example', $2, '')`,
      [user.id, types],
    );
    const named = (op: string, more: object = {}) =>
      ['a', 'b'].map((name) => ({ op, fromDomain: host(name), ...more }));
    await bulk([creation('a'), creation('b')]);
    await bulk(named('update', { note: 'changed' }));
    await bulk(named('delete'));
    const rows = await database.query<{ type: string; payload: string }>(
      'SELECT type, payload FROM webhook_events WHERE user_id = $1',
      [user.id],
    );
    const told = rows.map(({ type, payload }) => {
      const { fromDomain, version } = JSON.parse(payload).data.redirect;
      return [types.indexOf(type), fromDomain, version];
    });
    expect(told.sort()).toEqual([
      [0, host('a'), 1],
      [0, host('b'), 1],
      [1, host('a'), 2],
      [1, host('b'), 2],
      [2, host('a'), 2],
      [2, host('b'), 2],
    ]);
  });

  it('create, update and delete redirects in their order', async () => {
    const { status, json } = await bulk([
      creation('a', { externalId: 'x-1', tags: ['one'] }),
      creation('b'),
      { op: 'update', externalId: 'x-1', note: 'changed' },
      { op: 'update', fromDomain: host('a'), note: 'changed' },
      { op: 'delete', fromDomain: host('b') },
    ]);
    expect(status).toBe(200);
    expect(json).toMatchObject({
      dryRun: false,
      applied: true,
      summary: { total: 5, created: 2, updated: 1, deleted: 1, unchanged: 1, failed: 0 },
    });
    expect(statuses(json)).toEqual(['created', 'created', 'updated', 'unchanged', 'deleted']);
    expect(json.results.map(({ row }: { row: number }) => row)).toEqual([1, 2, 3, 4, 5]);
    const { json: redirect } = await area.api.call('GET', `/redirects/${json.results[0].id}`, {
      token: user.token,
    });
    expect(redirect).toMatchObject({ fromDomain: host('a'), note: 'changed', tags: ['one'], version: 2 });
    expect(await domains()).toEqual([host('a')]);
  });

  it('change nothing when one fails, and say which and why', async () => {
    const { status, json } = await bulk([
      creation('a'),
      creation('b', { samplingRate: 2 }),
      { op: 'rename' },
    ]);
    expect(status).toBe(422);
    expect(json).toMatchObject({
      error: { code: 'BULK_REJECTED' },
      applied: false,
      summary: { total: 3, created: 1, failed: 2 },
      results: [
        { row: 1, status: 'created' },
        { row: 2, status: 'failed', error: { code: 'VALIDATION_ERROR', field: 'samplingRate' } },
        { row: 3, status: 'failed', error: { code: 'VALIDATION_ERROR', field: 'op' } },
      ],
    });
    expect(json.results[0].id).toBeUndefined();
    expect(await domains()).toEqual([]);
  });

  it('keep those that succeed with mode=best_effort', async () => {
    const operations = [creation('a'), creation('a'), creation('b', { toDomain: 'ftp://x' }), creation('c')];
    const { status, json } = await bulk(operations, '?mode=best_effort');
    expect(status).toBe(200);
    expect(statuses(json)).toEqual(['created', 'failed', 'failed', 'created']);
    expect(json.results[1].error).toMatchObject({ code: 'DOMAIN_EXISTS', field: 'fromDomain' });
    expect(json.results[2].error).toMatchObject({ code: 'VALIDATION_ERROR', field: 'toDomain' });
    expect(await domains()).toEqual([host('a'), host('c')]);
  });

  it('that all fail or change nothing have their results too with mode=best_effort', async () => {
    await bulk([creation('a', { note: 'same' })]);
    const operations = [
      { op: 'update', fromDomain: host('a'), note: 'same' },
      { op: 'delete', fromDomain: host('none') },
    ];
    const { status, json } = await bulk(operations, '?mode=best_effort');
    expect(status).toBe(200);
    expect(json).toMatchObject({ applied: false, summary: { unchanged: 1, failed: 1 } });
    expect(json).not.toHaveProperty('error');
  });

  it('replace objects as a whole', async () => {
    const [before, after] = [
      {
        afterEnd: { url: 'https://end.example/' },
        responseHeaders: { 'X-Robots-Tag': 'noindex', 'Referrer-Policy': 'origin' },
        appendQuery: { a: '1', b: '2' },
        hsts: { maxAge: 60, includeSubDomains: true, preload: false },
      },
      {
        afterEnd: { statusCode: 410 },
        responseHeaders: { 'X-Robots-Tag': 'none' },
        appendQuery: { c: '3' },
        hsts: { maxAge: 30 },
      },
    ];
    await bulk([creation('a', before), creation('b', before)]);
    // A single change takes another code path than several.
    for (const names of [['a'], ['a', 'b']]) {
      const { json } = await bulk(names.map((name) => ({ op: 'update', fromDomain: host(name), ...after })));
      expect(json.summary.failed).toBe(0);
    }
    const { json } = await area.api.call('GET', '/redirects', { token: user.token });
    for (const redirect of json.data) {
      expect(redirect).toMatchObject({
        afterEnd: { statusCode: 410 },
        responseHeaders: { 'X-Robots-Tag': 'none' },
        hsts: { maxAge: 30, includeSubDomains: false, preload: false },
      });
      expect(redirect.responseHeaders).toEqual(after?.responseHeaders);
      expect(redirect.appendQuery).toEqual(after?.appendQuery);
    }
  });

  it('create redirects anew for hosts and external ids that deletions before them have freed', async () => {
    await bulk([creation('a', { externalId: 'x' }), creation('b')]);
    const operations = [
      { op: 'delete', fromDomain: host('a') },
      { op: 'delete', fromDomain: host('b') },
      creation('a', { note: 'again' }),
      creation('c', { externalId: 'x' }),
      { op: 'update', fromDomain: host('c'), externalId: 'y' },
      creation('b', { externalId: 'x', toDomain: `https://${host('a')}` }),
    ];
    const dry = await bulk(operations, '?dryRun=true');
    const { status, json } = await bulk(operations);
    expect([status, json.summary]).toEqual([200, dry.json.summary]);
    expect(json.summary).toMatchObject({ deleted: 2, created: 3, updated: 1, failed: 0 });
    expect(await domains()).toEqual([host('a'), host('b'), host('c')]);
  });

  it('change nothing with dryRun=true', async () => {
    for (const mode of ['best_effort', 'all_or_nothing']) {
      const { status, json } = await bulk(
        [creation('a'), { op: 'delete', fromDomain: host('none') }],
        `?dryRun=true&mode=${mode}`,
      );
      expect(status).toBe(200);
      expect(json).toMatchObject({ dryRun: true, applied: false, summary: { created: 1, failed: 1 } });
    }
    expect(await domains()).toEqual([]);
  });

  it('publish the hosts of those that were applied, and no others', async () => {
    const redirect = await area.createVerified(user.token, {
      fromDomain: host('live'),
      toDomain: 'https://new.example',
    });
    const before = await area.changedHosts();
    await bulk([{ op: 'update', id: redirect.id, enabled: false }, { op: 'nothing' }]);
    expect(await area.changedHosts()).toEqual(before);
    await bulk([{ op: 'update', id: redirect.id, enabled: false }]);
    expect(await area.changedHosts()).toEqual([...before, host('live')]);
    expect(await area.served(host('live'))).toBeUndefined();
  });

  it('never touch redirects of others', async () => {
    await bulk([creation('a', { externalId: 'x' })]);
    const [id] = (await area.api.call('GET', '/get-redirects/me', { token: user.token })).json;
    const other = await area.api.createUser();
    const { json } = await area.api.call('POST', '/redirects/bulk?mode=best_effort', {
      token: other.token,
      body: {
        operations: [
          { op: 'delete', id: id.id },
          { op: 'delete', externalId: 'x' },
          { op: 'update', fromDomain: host('a'), note: 'mine' },
        ],
      },
    });
    expect(json.results.map(({ error }: { error: { code: string } }) => error.code)).toEqual([
      'FORBIDDEN',
      'NOT_FOUND',
      'NOT_FOUND',
    ]);
    expect(await domains()).toEqual([host('a')]);
  });

  it('have the same results together as one by one', async () => {
    await bulk(['a', 'b', 'c', 'd'].map((name) => creation(name, { externalId: `x-${name}`, note: 'old' })));
    const other = await area.api.createUser();
    const { json: foreign } = await area.create(other.token, {
      fromDomain: host('foreign'),
      toDomain: 'https://new.example',
    });
    const operations = [
      { op: 'update', fromDomain: host('a'), note: 'first', tags: ['kept'] },
      { op: 'update', externalId: 'x-a', note: 'second' },
      { op: 'update', fromDomain: host('b'), externalId: 'x-new' },
      { op: 'update', externalId: 'x-b', note: 'old name' },
      { op: 'update', externalId: 'x-new', note: 'new name' },
      { op: 'update', externalId: 'x-c', note: 'old' },
      { op: 'update', externalId: 'x-c', toDomain: 'https://moved.example' },
      { op: 'update', externalId: 'x-c', toDomain: `https://${host('c')}` },
      { op: 'update', id: foreign.id, note: 'mine' },
      { op: 'update', note: 'which?' },
      { op: 'delete', externalId: 'x-d' },
      { op: 'delete', fromDomain: host('d') },
      { op: 'delete', id: foreign.id },
      { op: 'delete', id: 'none' },
    ];
    const { json } = await bulk(operations, '?mode=best_effort');
    const codes = json.results.map((one: { status: string; error?: { code: string } }) =>
      one.error === undefined ? one.status : one.error.code,
    );
    const updates = ['updated', 'updated', 'updated', 'NOT_FOUND', 'updated', 'unchanged', 'updated'];
    const refusals = ['REDIRECT_LOOP', 'FORBIDDEN', 'VALIDATION_ERROR'];
    expect(codes).toEqual([...updates, ...refusals, 'deleted', 'NOT_FOUND', 'FORBIDDEN', 'NOT_FOUND']);
    const { json: list } = await area.api.call('GET', '/redirects?sort=fromDomain&count=true', {
      token: user.token,
    });
    expect(list).toMatchObject({
      total: 3,
      data: [
        { fromDomain: host('a'), note: 'second', tags: ['kept'], version: 3 },
        { fromDomain: host('b'), note: 'new name', externalId: 'x-new', version: 3 },
        { fromDomain: host('c'), note: 'old', toDomain: 'https://moved.example', version: 2 },
      ],
    });
  });

  it('publish hosts and pages of paths of all that are changed or deleted together', async () => {
    const names = ['p', 'q', 'r'];
    for (const name of names) {
      await area.createVerified(user.token, { fromDomain: host(name), toDomain: 'https://new.example' });
    }
    const before = await area.changedHosts();
    await bulk(names.map((name) => ({ op: 'update', fromDomain: host(name), pathForwarding: true })));
    expect((await area.changedHosts()).slice(before.length).sort()).toEqual(names.map(host));
    expect(await area.served(host('p'))).toMatchObject({ pathForwarding: true });
    await bulk(names.map((name) => ({ op: 'delete', fromDomain: host(name) })));
    expect((await area.changedHosts()).slice(before.length + 3).sort()).toEqual(names.map(host));
    expect(await area.served(host('p'))).toBeUndefined();
  });

  it('are refused without any, or with more than 10,000', async () => {
    for (const operations of [[], Array.from({ length: 10_001 }, () => ({}))]) {
      const { status, json } = await bulk(operations);
      expect(status).toBe(422);
      expect(json.error).toMatchObject({
        field: 'operations',
        message: 'operations must be a list of 1 to 10000 operations.',
      });
    }
  });
});

describe('other forms of the body', () => {
  it('has one operation per line', async () => {
    const lines = [creation('a'), creation('b')].map((one) => JSON.stringify(one)).join('\n');
    const { status, json } = await send(`${lines}\n\n`, 'application/x-ndjson');
    expect(status).toBe(200);
    expect(statuses(json)).toEqual(['created', 'created']);
  });

  it('names the first line that is not JSON', async () => {
    const { status, json } = await send(`${JSON.stringify(creation('a'))}\n{`, 'application/x-ndjson');
    expect(status).toBe(400);
    expect(json.error.message).toBe('Line 2: The request body is not valid JSON.');
  });

  it('is a table', async () => {
    const table = [
      '\uFEFFfromDomain,toDomain,tags,enabled,statusCode,responseHeaders,note',
      `${host('a')},https://new.example,one|two,false,308,"{""X-Robots-Tag"":""noindex""}",'=1+1`,
      `${host('b')},"https://new.example/a,b",,,,,`,
    ].join('\r\n');
    const { status, json } = await send(table, 'text/csv; charset=utf-8');
    expect(status).toBe(200);
    const { json: redirect } = await area.api.call('GET', `/redirects/${json.results[0].id}`, {
      token: user.token,
    });
    expect(redirect).toMatchObject({
      tags: ['one', 'two'],
      enabled: false,
      statusCode: 308,
      responseHeaders: { 'X-Robots-Tag': 'noindex' },
      note: '=1+1',
    });
  });

  it.each([
    ['a column that is not known', 'fromDomain,colour\na,b', 'got "colour"'],
    ['no row', '', 'must name members'],
    ['a quote that does not end', 'fromDomain\n"a', 'not valid CSV'],
  ])('is no table: %s', async (_, table, message) => {
    const { status, json } = await send(table, 'text/csv');
    expect(status).toBe(400);
    expect(json.error.message).toContain(message);
  });

  it('refuses a cell with a character that cannot be stored', async () => {
    const { status, json } = await send(
      `fromDomain,toDomain,note\n${host('a')},https://n.example,a\0b`,
      'text/csv',
    );
    expect([status, json.error.field]).toEqual([422, 'note']);
  });

  it('stops reading lines after one more than are accepted', async () => {
    const { status, json } = await send('1\n'.repeat(1_000_000), 'application/x-ndjson');
    expect([status, json.error.field]).toEqual([422, 'operations']);
  });

  it('refuses a cell that is not of its type, and names the member', async () => {
    const { status, json } = await send(
      `fromDomain,toDomain,enabled\n${host('a')},https://n.example,maybe`,
      'text/csv',
    );
    expect(status).toBe(422);
    expect(json.results[0].error).toMatchObject({
      field: 'enabled',
      message: 'enabled must be true or false.',
    });
  });
});

describe('an export', () => {
  const settings = {
    tags: ['a', 'b|c', 'd\\', '\\|', '=e'],
    note: 'a "quoted", note',
    hsts: { maxAge: 60 },
    statusCode: 307,
  };

  it.each(['csv', 'ndjson'])('as %s makes the same redirects when it is sent back', async (format) => {
    await bulk([creation('a', settings), creation('b')]);
    const exported = await area.api.call('GET', `/exports/redirects?format=${format}`, { token: user.token });
    expect(exported.status).toBe(200);
    await bulk([
      { op: 'delete', fromDomain: host('a') },
      { op: 'delete', fromDomain: host('b') },
    ]);
    const { json } = await send(exported.body, format === 'csv' ? 'text/csv' : 'application/x-ndjson');
    expect(statuses(json)).toEqual(['created', 'created']);
    const { json: list } = await area.api.call('GET', '/redirects?sort=fromDomain', { token: user.token });
    expect(list.data[0]).toMatchObject({ fromDomain: host('a'), ...settings });
  });

  it('as JSON is a list of redirects without usage', async () => {
    await bulk([creation('a')]);
    const { json } = await area.api.call('GET', '/exports/redirects?format=json', { token: user.token });
    expect(json).toHaveLength(1);
    expect(json[0]).toMatchObject({ fromDomain: host('a'), status: 'pending' });
    expect(json[0]).not.toHaveProperty('analyticsUsage');
  });
});

it('many domains are verified in one request', async () => {
  const redirect = await area.create(user.token, { fromDomain: host('a'), toDomain: 'https://new.example' });
  await area.create(user.token, { fromDomain: host('b'), toDomain: 'https://new.example' });
  area.dns.setTxt(redirect.json.verification.name, [redirect.json.verification.value]);
  const { status, json } = await area.api.call('POST', '/verify-domains', {
    token: user.token,
    body: { domains: [host('b'), host('a'), host('unclaimed')] },
  });
  expect(status).toBe(200);
  expect(json.results).toMatchObject([
    { domain: host('b'), isVerified: false },
    { domain: host('a'), isVerified: true },
    { domain: host('unclaimed'), error: { code: 'NOT_FOUND' } },
  ]);
});
