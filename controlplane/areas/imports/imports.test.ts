import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { TestUser } from '../../http/api.fixture.js';
import { type ImportsApi, startImportsApi } from './imports-api.fixture.js';

let area: ImportsApi;
let user: TestUser;
let run = 0;

beforeAll(async () => {
  area = await startImportsApi();
});

afterAll(() => area.close());

beforeEach(async () => {
  user = await area.api.createUser();
  run += 1;
});

const host = (name: string) => `${name}-${run}.example.com`;
const csv = (...rows: readonly string[]) => ['fromDomain,toDomain', ...rows].join('\n');
const REDIRECTS = 'kind=redirects&redirectId=&format=csv&mode=&dryRun=';

async function importCount(): Promise<number> {
  return (await area.get(user, '/imports')).data.length;
}

describe('an import of redirects', () => {
  it('is queued, applied in the background, and reports every row', async () => {
    const file = csv(
      `${host('a')},https://new.example`,
      `${host('b')},ftp://x`,
      `${host('a')},https://n.example`,
    );
    const sent = await area.send(user, REDIRECTS, file);
    expect(sent.status, sent.body).toBe(202);
    expect(sent.json).toMatchObject({
      kind: 'redirects',
      format: 'csv',
      dryRun: false,
      state: 'queued',
      rows: { total: 3, done: 0, created: 0, updated: 0, unchanged: 0, failed: 0, skipped: 0 },
      error: null,
      startedAt: null,
      finishedAt: null,
    });
    expect(await area.domains(user)).toEqual([]);
    await area.runner.runRound();
    const { id } = sent.json;
    const done = await area.get(user, `/imports/${id}`);
    expect(done).toMatchObject({
      state: 'finished',
      rows: { total: 3, done: 3, created: 1, failed: 2 },
      secondsLeft: 0,
    });
    expect(done.rowsPerSecond).toBeGreaterThan(0);
    expect(await area.domains(user)).toEqual([host('a')]);
    const { data } = await area.get(user, `/imports/${id}/rows`);
    expect(data).toMatchObject([
      { row: 1, status: 'created', source: `${host('a')},https://new.example`, message: null },
      { row: 2, status: 'failed', source: `${host('b')},ftp://x`, field: 'toDomain' },
      { row: 3, status: 'failed', field: 'fromDomain', message: expect.stringContaining('already') },
    ]);
    expect((await area.get(user, '/imports')).data.map((one: { id: string }) => one.id)).toEqual([id]);
  });

  it('lists its failed rows page by page, and as CSV', async () => {
    const rows = Array.from({ length: 1_010 }, (_, at) =>
      at % 1_000 === 7 ? `x${at},bad` : `h${at}.${host('z')},https://n.example`,
    );
    const { id, rows: counts } = await area.run(user, REDIRECTS, csv(...rows));
    expect(counts).toMatchObject({ total: 1_010, done: 1_010, created: 1_008, failed: 2 });
    const first = await area.get(user, `/imports/${id}/rows?status=failed&limit=1`);
    expect(first.data.map(({ row }: { row: number }) => row)).toEqual([8]);
    const next = await area.get(
      user,
      `/imports/${id}/rows?status=failed&limit=1&cursor=${first.page.nextCursor}`,
    );
    expect(next.data.map(({ row }: { row: number }) => row)).toEqual([1_008]);
    expect(next.page.nextCursor).toBeNull();
    const file = await area.api.call('GET', `/imports/${id}/rows?status=failed&format=csv`, {
      token: user.token,
    });
    const lines = file.body.trim().split('\r\n');
    expect(lines[0]).toBe('row,status,source,message,field');
    expect(lines).toHaveLength(3);
    expect(lines[2]).toMatch(/^1008,failed,"x1007,bad",/);
    const all = await area.api.call('GET', `/imports/${id}/rows?format=csv`, { token: user.token });
    expect(all.body.trim().split('\r\n')).toHaveLength(1_011);
  });

  it('takes operations as NDJSON, and reports lines that are not JSON', async () => {
    await area.run(
      user,
      REDIRECTS,
      csv(`${host('a')},https://new.example`, `${host('b')},https://new.example`),
    );
    const lines = [
      { op: 'update', fromDomain: host('a'), note: 'changed' },
      { op: 'update', fromDomain: host('a'), note: 'changed' },
      { op: 'delete', fromDomain: host('b') },
    ].map((line) => JSON.stringify(line));
    const { id, rows } = await area.run(user, 'kind=redirects&format=ndjson', [...lines, '{', ''].join('\n'));
    expect(rows).toMatchObject({ total: 4, created: 0, updated: 2, unchanged: 1, failed: 1 });
    const { data } = await area.get(user, `/imports/${id}/rows`);
    expect(data.map(({ status }: { status: string }) => status)).toEqual([
      'updated',
      'unchanged',
      'deleted',
      'failed',
    ]);
    expect(await area.domains(user)).toEqual([host('a')]);
  });

  it('changes nothing with dryRun=true, and says what would be', async () => {
    const file = csv(`${host('a')},https://new.example`, `${host('a')},https://new.example`);
    for (const mode of ['best_effort', 'all_or_nothing']) {
      const { id, state, dryRun, rows } = await area.run(user, `format=csv&dryRun=true&mode=${mode}`, file);
      expect({ state, dryRun, rows }).toMatchObject({
        state: 'finished',
        dryRun: true,
        rows: { created: 1, failed: 1 },
      });
      const { data } = await area.get(user, `/imports/${id}/rows`);
      expect(data.map(({ status }: { status: string }) => status)).toEqual(['created', 'failed']);
    }
    expect(await area.domains(user)).toEqual([]);
  });

  it('changes nothing with mode=all_or_nothing when a row fails', async () => {
    const bad = csv(`${host('a')},https://new.example`, `${host('b')},nowhere`);
    const failed = await area.run(user, 'format=csv&mode=all_or_nothing', bad);
    expect(failed).toMatchObject({
      state: 'failed',
      error: { code: 'BULK_REJECTED' },
      rows: { created: 0, failed: 1, skipped: 1 },
    });
    expect(await area.domains(user)).toEqual([]);
    const good = csv(`${host('a')},https://new.example`, `${host('b')},https://new.example`);
    expect(await area.run(user, 'format=csv&mode=all_or_nothing', good)).toMatchObject({
      state: 'finished',
      rows: { created: 2 },
    });
    expect(await area.domains(user)).toEqual([host('a'), host('b')]);
  });

  it('finds a loop among its rows', async () => {
    const file = csv(
      `${host('a')},https://${host('b')}`,
      `${host('b')},https://${host('c')}`,
      `${host('c')},https://${host('a')}`,
      `${host('d')},https://${host('a')}`,
    );
    const { id, rows } = await area.run(user, REDIRECTS, file);
    expect(rows).toMatchObject({ created: 3, failed: 1 });
    const { data } = await area.get(user, `/imports/${id}/rows?status=failed`);
    expect(data).toMatchObject([
      { row: 3, field: 'toDomain', message: expect.stringContaining('leads back') },
    ]);
  });

  it('fails, skips or changes rows for domains with a redirect, as onExisting says', async () => {
    const rows = (note: string) => {
      const all = ['a', 'b', 'c'].map((name) => `${host(name)},https://new.example,${note}`);
      return ['fromDomain,toDomain,note', ...all].join('\n');
    };
    await area.run(user, REDIRECTS, rows('old').split('\n').slice(0, 3).join('\n'));
    const done = async (query: string, note: string) => {
      const { rows: counts } = await area.run(user, `${REDIRECTS}${query}`, rows(note));
      const { data } = await area.get(user, '/redirects?sort=fromDomain');
      return [counts, data.map((one: { note: string }) => one.note)];
    };
    expect(await done('', 'new')).toMatchObject([{ failed: 2, created: 1 }, ['old', 'old', 'new']]);
    expect(await done('&onExisting=skip', 'newer')).toMatchObject([
      { skipped: 3, failed: 0 },
      ['old', 'old', 'new'],
    ]);
    expect(await done('&onExisting=update', 'new')).toMatchObject([
      { updated: 2, unchanged: 1, failed: 0 },
      ['new', 'new', 'new'],
    ]);
    const refused = await area.send(user, 'kind=paths&redirectId=x&format=csv&onExisting=skip', 'source\n/a');
    expect(refused.status).toBeGreaterThanOrEqual(400);
  });

  it.each([
    ['{"fromDomain":"a.example"}', 'It must be one array.'],
    ['[{"fromDomain":"a.example"}', 'The array does not end.'],
    ['[] []', 'It must be one array.'],
  ])('is refused as a whole when it is JSON like %s', async (file, message) => {
    const { status, json } = await area.send(user, 'format=json', file);
    expect([status, json.error.message]).toEqual([400, `The file is not valid JSON. ${message}`]);
  });

  it('sends the webhook import.finished', async () => {
    await area.api.call('POST', '/webhook-endpoints', {
      token: user.token,
      body: { url: 'https://hooks.example/import', events: ['import.finished'] },
    });
    const { id } = await area.run(user, REDIRECTS, csv(`${host('a')},https://new.example`));
    const events = await area.api.database.query<{ payload: string }>(
      'SELECT payload FROM webhook_events WHERE user_id = $1',
      [user.id],
    );
    expect(events.map(({ payload }) => JSON.parse(payload))).toMatchObject([
      { type: 'import.finished', data: { id, state: 'finished', rows: { created: 1 } } },
    ]);
  });
});

describe('a file', () => {
  it('may be compressed and begin with a byte order mark', async () => {
    const file = gzipSync(`\uFEFF${csv(`${host('a')},https://new.example`)}`);
    const { status, json } = await area.send(user, REDIRECTS, file, { 'content-encoding': 'gzip' });
    expect([status, json.rows?.total]).toEqual([202, 1]);
  });

  it.each([
    [
      'is not UTF-8',
      REDIRECTS,
      Buffer.from('fromDomain,toDomain\nm\xfcller.example,https://n.example', 'latin1'),
      400,
      'not valid UTF-8',
    ],
    ['is UTF-16', REDIRECTS, Buffer.from('\uFEFFfromDomain,toDomain\n', 'utf16le'), 400, 'not valid UTF-8'],
    [
      'has a quote that is never closed',
      REDIRECTS,
      `fromDomain,toDomain\n"a.example,https://n.example\n${'b.example,c\n'.repeat(9_000)}`,
      400,
      'quote is never closed',
    ],
    [
      'ends within a quote',
      REDIRECTS,
      'fromDomain,toDomain\n"a.example,https://n.example\n',
      400,
      'quote is never closed',
    ],
    ['has a column that is not known', REDIRECTS, 'fromDomain,colour\na,b', 400, 'got "colour"'],
    ['has no rows', REDIRECTS, 'fromDomain,toDomain\n', 422, 'at least one row'],
    ['has a line without end', 'format=ndjson', 'x'.repeat(100_000), 400, 'longer than'],
    ['is not gzip, though it says so', REDIRECTS, 'fromDomain', 400, 'not valid gzip'],
  ])('that %s is refused with one error and changes nothing', async (name, query, file, status, message) => {
    const headers = name.includes('gzip') ? { 'content-encoding': 'gzip' } : {};
    const answer = await area.send(user, query, file, headers);
    expect([answer.status, answer.json.error.message]).toEqual([status, expect.stringContaining(message)]);
    await area.runner.runRound();
    expect(await importCount()).toBe(0);
    expect(await area.domains(user)).toEqual([]);
    const left = await area.api.database.query('SELECT FROM imports WHERE user_id = $1', [user.id]);
    expect(left).toHaveLength(0);
  });

  it('that expands beyond 200 MiB is refused while it is read', async () => {
    const line = `${' '.repeat(60_000)}\n`;
    const bomb = gzipSync(line.repeat(3_600), { level: 9 });
    expect(bomb.length).toBeLessThan(1_000_000);
    const { status, json } = await area.send(user, 'format=ndjson', bomb, { 'content-encoding': 'gzip' });
    expect([status, json.error.code, json.error.message]).toEqual([
      413,
      'BODY_TOO_LARGE',
      expect.stringContaining('200 MiB'),
    ]);
    expect(await importCount()).toBe(0);
  });

  it('gets the first answer again although five imports wait', async () => {
    const file = csv(`${host('a')},https://new.example`);
    const send = (key: string) => area.send(user, 'format=csv', file, { 'idempotency-key': key });
    const answers = [];
    for (let number = 1; number <= 6; number += 1) answers.push(await send(`open-${number}`));
    expect(answers.map(({ status }) => status)).toEqual([202, 202, 202, 202, 202, 429]);
    const again = await send('open-1');
    expect([again.status, again.body]).toEqual([202, answers[0]?.body]);
    expect(await importCount()).toBe(5);
    // Refused files are deleted after the answer.
    const receiving = () => area.api.database.query("SELECT FROM imports WHERE state = 'receiving'");
    await expect.poll(receiving).toEqual([]);
  });

  it('counts as the same body for an Idempotency-Key', async () => {
    const file = csv(`${host('a')},https://new.example`);
    const headers = { 'idempotency-key': 'key-1' };
    const first = await area.send(user, REDIRECTS, file, headers);
    const second = await area.send(user, REDIRECTS, file, headers);
    expect([second.status, second.json.id]).toEqual([202, first.json.id]);
    const other = await area.send(user, REDIRECTS, `${file}\n`, headers);
    expect([other.status, other.json.error.field]).toEqual([422, 'Idempotency-Key']);
    expect(await importCount()).toBe(1);
    const stored = await area.api.database.query('SELECT FROM imports WHERE user_id = $1', [user.id]);
    expect(stored).toHaveLength(1);
  });
});

describe('a request for an import', () => {
  it.each([
    ['kind=cats&format=csv', 400, 'kind'],
    ['kind=redirects', 400, 'format'],
    ['kind=paths&format=csv', 400, 'redirectId'],
    ['kind=redirects&redirectId=x&format=csv', 400, 'redirectId'],
    ['format=csv&mode=maybe', 400, 'mode'],
    ['format=csv&dryRun=maybe', 400, 'dryRun'],
    ['format=csv&color=red', 400, 'color'],
    ['kind=paths&format=csv&redirectId=none', 404, undefined],
  ])('with %s is refused before the file is read', async (query, status, field) => {
    const { status: answered, json } = await area.send(user, query, csv('a,b'));
    expect([answered, json.error.field]).toEqual([status, field]);
  });

  it('needs a file', async () => {
    const { status, json } = await area.send(user, REDIRECTS, '');
    expect([status, json.error.message]).toEqual([400, 'The request body must be a file.']);
  });

  it('is refused while five imports of the user wait', async () => {
    for (let at = 0; at < 5; at += 1) {
      expect((await area.send(user, REDIRECTS, csv(`${host(`n${at}`)},https://n.example`))).status).toBe(202);
    }
    const { status, json, headers } = await area.send(user, REDIRECTS, csv(`${host('x')},https://n.example`));
    expect([status, json.error.code]).toEqual([429, 'RATE_LIMIT_EXCEEDED']);
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    await area.runner.runRound();
    expect(await area.domains(user)).toHaveLength(5);
  });

  it('and its import belong to one user', async () => {
    const other = await area.api.createUser();
    const { id } = await area.run(user, REDIRECTS, csv(`${host('a')},https://new.example`));
    for (const [method, path] of [
      ['GET', `/imports/${id}`],
      ['GET', `/imports/${id}/rows`],
      ['POST', `/imports/${id}/cancel`],
    ] as const) {
      const { status } = await area.api.call(method, path, { token: other.token });
      expect(status).toBe(403);
    }
    expect((await area.get(other, '/imports')).data).toEqual([]);
    expect((await area.api.call('GET', '/imports/none', { token: user.token })).status).toBe(404);
  });
});
