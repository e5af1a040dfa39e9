import { once } from 'node:events';
import {
  type ClientRequest,
  get,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { json, text } from 'node:stream/consumers';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type HitOptions, visitor } from '../../../ingest/hit-batch.fixture.js';
import { NOW, shownToOwner } from '../analytics-app.fixture.js';
import type { Hit } from './hit-record.js';
import { createHitsApp, type HitsApp } from './hits-app.fixture.js';

let app: HitsApp;

beforeAll(async () => {
  app = await createHitsApp();
});
afterAll(() => app.close());

const urlOf = (redirectId: string, query: string) =>
  `/analytics/redirect/${redirectId}/hits/export?start=2026-01-01&${query}`;
const fetchFile = (redirectId: string, query = '') => app.app.inject({ url: urlOf(redirectId, query) });

/** Many hits per millisecond: chunks then end within a millisecond. */
async function fill(redirectId: string, hits: number): Promise<void> {
  await app.test.store.command(
    `INSERT INTO hits (producer_id, ordinal, redirect_id, timestamp, visitor, sampling_rate, path, user_agent,
       country)
     SELECT {redirect:String}, number, {redirect:String},
       toDateTime64('2026-02-03 04:05:06.000', 3, 'UTC') + toIntervalMillisecond(intDiv(number, 700)),
       sipHash64(number), 1, concat('/', toString(number)), repeat('agent ', 40), if(number % 10 = 0, 'DE', 'AT')
     FROM numbers({hits:UInt64})`,
    { redirect: redirectId, hits },
  );
}

describe('an export of hits', () => {
  it('as NDJSON is what the pages say, line by line', async () => {
    const redirect_id = 'rd_lines';
    const hits: HitOptions[] = [
      { path: '/=1' },
      { user_agent: '=1\n"2"' },
      { is_bot: 1, bot_reason: 'head' },
    ];
    await app.record(hits.map((hit) => ({ ...hit, redirect_id })));
    const { body, headers } = await fetchFile(redirect_id, 'format=ndjson&end=2026-02-28');
    const pages = (await app.get(`${redirect_id}/hits?start=2026-01-01`)).body as { data: Hit[] };
    expect(body.endsWith('\n')).toBe(true);
    expect(
      body
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual(pages.data);
    expect(headers).toMatchObject({
      'content-type': 'application/x-ndjson; charset=utf-8',
      'content-disposition': 'attachment; filename="hits_rd_lines_2026-01-01_2026-02-28.ndjson"',
    });
  });

  it.each(['csv', 'ndjson'])(
    'as %s is announced by HEAD as by GET, without reading a hit',
    async (format) => {
      await app.record([{ redirect_id: 'rd_announced' }]);
      const url = urlOf('rd_announced', `format=${format}`);
      const got = await app.app.inject({ url });
      const reads = app.reads();
      const { statusCode, body, headers } = await app.app.inject({ method: 'HEAD', url });
      expect([statusCode, body]).toEqual([200, '']);
      expect(app.reads()).toBe(reads);
      const { date: _date, 'transfer-encoding': _coding, ...announced } = got.headers;
      expect(headers).toMatchObject(announced);
    },
  );

  it.each([
    ['rd_announced', 'format=xml', 400],
    ['rd_announced', 'end=2025-01-01', 400],
    ['none', '', 404],
    ['other_1', '', 403],
  ])('of %s?%s is refused to HEAD with %i, as to GET', async (redirectId, query, status) => {
    const url = urlOf(redirectId, query);
    for (const method of ['GET', 'HEAD'] as const) {
      expect((await app.app.inject({ method, url })).statusCode, method).toBe(status);
    }
  });

  it('as CSV quotes what needs it, and leaves spreadsheets no formula to run', async () => {
    const redirect_id = 'rd_cells';
    const agents = [
      'plain',
      'a,b',
      'say "hi"',
      'two\r\nlines',
      '=1+1',
      '+1',
      '-1',
      '@x',
      '\tx',
      '＝1',
      'ž 🐎',
    ];
    const at = (n: number) => `2026-02-03 04:05:${String(59 - n)}.000`;
    await app.record(agents.map((user_agent, n) => ({ redirect_id, timestamp: at(n), user_agent })));
    await app.record([{ redirect_id, utm_source: '=SUM(A1,"x")', rule_id: 5, variant: 'blue' }]);
    const { body, headers } = await fetchFile(redirect_id);
    const [header, ...rows] = body.replaceAll('two\r\nlines', 'two lines').trimEnd().split('\r\n');
    expect(header).toBe(
      'id,timestamp,host,path,query,destinationUrl,statusCode,ruleId,entryId,variant,country,region,city,deviceType,' +
        'deviceBrand,deviceModel,browser,browserVersion,os,osVersion,language,referrer,referrerDomain,' +
        'referrerType,isBot,botReason,ipAddress,userAgent,visitorId,utmSource,utmMedium,utmCampaign,utmTerm,' +
        'utmContent,rulesetVersion',
    );
    const cells = [
      'plain',
      '"a,b"',
      '"say ""hi"""',
      '"two lines"',
      "'=1+1",
      "'+1",
      "'-1",
      "'@x",
      "'\tx",
      "'＝1",
    ];
    const visitorId = shownToOwner(at(0), visitor(1));
    const rowWith = (userAgent: string) =>
      expect.stringContaining(
        `Z,old.example,/path,a=1,https://new.example/path,301,,,,,,,,,,,,,,en,,,direct,false,,203.0.113.0,${userAgent},${visitorId},,,,,,1.1`,
      );
    expect(rows.slice(0, -1)).toEqual([...cells, 'ž 🐎'].map(rowWith));
    expect(rows.at(-1)).toContain(',301,5,,blue,,');
    expect(rows.at(-1)).toContain(`,"'=SUM(A1,""x"")",,,,,1.1`);
    expect(headers).toMatchObject({ 'content-type': 'text/csv; charset=utf-8' });
    expect(headers['content-disposition']).toBe(
      `attachment; filename="hits_rd_cells_2026-01-01_${NOW.toISOString().slice(0, 10)}.csv"`,
    );
  });

  it('has every hit once, newest first, however many chunks it takes', async () => {
    await fill('rd_long', 11_000);
    const before = app.reads();
    const { body } = await fetchFile('rd_long', 'format=ndjson');
    const hits = body
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Hit);
    expect(app.reads() - before).toBe(3);
    expect(new Set(hits.map(({ id }) => id)).size).toBe(11_000);
    const times = hits.map(({ timestamp }) => timestamp);
    expect(times).toEqual(times.toSorted().toReversed());
    const german = (await fetchFile('rd_long', 'country=DE&isBot=false')).body.trimEnd().split('\r\n');
    expect(german).toHaveLength(1 + 1_100);
  });

  it('without hits is an empty file, or a header alone', async () => {
    expect(await fetchFile('rd_none', 'format=ndjson')).toMatchObject({ statusCode: 200, body: '' });
    expect((await fetchFile('rd_none', 'format=csv')).body).toMatch(/^id,.*,rulesetVersion\r\n$/);
  });

  it('that is refused says why', async () => {
    const wrong = { status: 400, body: { error: { code: 'INVALID_REQUEST', field: 'format' } } };
    expect(await app.get('rd_1/hits/export?format=xml')).toMatchObject(wrong);
    expect(await app.get('other_1/hits/export')).toMatchObject({ status: 403 });
    expect(await app.get('none/hits/export')).toMatchObject({ status: 404 });
  });
});

describe('the download of an export', () => {
  const HITS = 200_000;
  const CHUNKS = HITS / 5_000;
  const PATIENCE = { timeout: 60_000, interval: 100 };

  beforeAll(async () => {
    await fill('rd_huge', HITS);
    await app.app.listen({ host: '127.0.0.1', port: 0 });
  });

  beforeEach(() => app.failAfter(Number.POSITIVE_INFINITY));

  /** Resolves to an answer before any of it is read. */
  async function download(
    from = app.app,
    redirectId = 'rd_huge',
  ): Promise<{ request: ClientRequest; response: IncomingMessage }> {
    const { port } = from.server.address() as AddressInfo;
    const request = get({ port, path: urlOf(redirectId, 'format=ndjson'), agent: false });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    return { request, response };
  }

  it('that is given up ends the reading', async () => {
    const before = app.reads();
    const [[socket], { request, response }] = await Promise.all([
      once(app.app.server, 'connection'),
      download(),
    ]);
    await once(response, 'readable');
    const closed = new Promise((resolve) => (socket as Socket).once('close', resolve));
    request.destroy();
    await closed;
    // The store answers in order: queries of the download end before this one.
    await app.test.store.query('SELECT 1 AS one');
    const reads = app.reads() - before;
    await app.test.store.query('SELECT 1 AS one');
    expect(app.reads() - before).toBe(reads);
    expect(reads).toBeLessThan(CHUNKS / 2);
  });

  it('that the store fails within breaks off, and does not look complete', async () => {
    app.failAfter(2);
    const { response } = await download();
    const read = async () => {
      for await (const _ of response);
    };
    await expect(read()).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(response.complete).toBe(false);
  });

  it('that the store fails before is an error as any other', async () => {
    app.failAfter(0);
    expect(await app.get('rd_huge/hits/export?start=2026-01-01')).toMatchObject({
      status: 500,
      body: { error: { code: 'INTERNAL_ERROR' } },
    });
  });

  it('is refused while its user has two others, and allowed when one of them has ended', async () => {
    const open = [await download(), await download()];
    const third = await download();
    expect(third.response.statusCode).toBe(429);
    expect(third.response.headers['retry-after']).toBe('10');
    expect(await json(third.response)).toMatchObject({
      error: {
        code: 'RATE_LIMIT_EXCEEDED',
        message: 'You have 2 exports under way, and 2 at a time are the limit. Retry in 10 s.',
      },
    });
    open[0]?.request.destroy();
    await vi.waitFor(async () => {
      const next = await download();
      next.request.destroy();
      expect(next.response.statusCode).toBe(200);
    }, PATIENCE);
    open[1]?.request.destroy();
  });

  /** Replaces the handler of requests. The new one gets the previous one. */
  function intercept({ server }: FastifyInstance, handle: (pass: RequestListener) => RequestListener): void {
    const [pass] = server.listeners('request') as [RequestListener];
    server.removeAllListeners('request').on('request', handle(pass));
  }

  const isAllowed = (from: FastifyInstance) =>
    vi.waitFor(async () => {
      const { request, response } = await download(from, 'rd_none');
      request.destroy();
      expect(response.statusCode).toBe(200);
    }, PATIENCE);

  it('is not under way any more when its client left before it began', async () => {
    const late = await app.withStallOf(60_000);
    await late.listen({ host: '127.0.0.1', port: 0 });
    let leaving = 2;
    const passed = vi.fn();
    intercept(late, (pass) => (request, response) => {
      if (leaving === 0) return pass(request, response);
      leaving -= 1;
      request.socket.destroy();
      response.once('close', () => {
        pass(request, response as ServerResponse<IncomingMessage> & { req: IncomingMessage });
        passed();
      });
    });
    for (const _ of [1, 2]) await expect(download(late)).rejects.toThrow();
    await vi.waitFor(() => expect(passed).toHaveBeenCalledTimes(2));
    await isAllowed(late);
    await late.close();
  });

  it.each([
    ['its client leaves', 60_000],
    ['it is ended', 100],
  ])('is not under way any more when it waits for another answer and %s', async (_end, stallMs) => {
    const held = await app.withStallOf(stallMs);
    await held.listen({ host: '127.0.0.1', port: 0 });
    const asked = vi.fn();
    intercept(held, (pass) => (request, response) => {
      asked(request.url);
      if (request.url !== '/held') pass(request, response);
    });
    const client = connect((held.server.address() as AddressInfo).port, '127.0.0.1').on('error', () => {});
    const paths = ['/held', urlOf('rd_none', ''), urlOf('rd_none', '')];
    client.write(paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`).join(''));
    await vi.waitFor(() => expect(asked).toHaveBeenCalledTimes(3));
    if (stallMs > 1_000) {
      expect((await download(held)).response.statusCode).toBe(429);
      client.destroy();
    }
    await isAllowed(held);
    client.destroy();
    await held.close();
  });

  it('whose client reads nothing is ended, while one that reads gets all of it', async () => {
    const stalling = await app.withStallOf(300);
    await stalling.listen({ host: '127.0.0.1', port: 0 });
    await fill('rd_read', 6_000);
    const read = await download(stalling, 'rd_read');
    expect((await text(read.response)).trimEnd().split('\n')).toHaveLength(6_000);
    const stalled = await download(stalling);
    const ended = new Promise((resolve) => stalled.request.once('close', resolve));
    // No client reads this one, so only the server can end it.
    stalled.response.once('error', () => {});
    await vi.waitFor(() => expect(connectionsOf(stalling)).resolves.toBe(0), PATIENCE);
    stalled.response.resume();
    await ended;
    expect(stalled.response.complete).toBe(false);
    await stalling.close();
  });
});

function connectionsOf({ server }: FastifyInstance): Promise<number> {
  return new Promise((resolve, reject) =>
    server.getConnections((error, count) => (error === null ? resolve(count) : reject(error))),
  );
}
