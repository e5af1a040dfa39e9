import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deriveKey } from '../../../shared/config/secret-key.js';
import { visitor } from '../../ingest/hit-batch.fixture.js';
import { type AnalyticsApp, createAnalyticsApp, NOW, shownVisitor } from './analytics-app.fixture.js';
import { createAnalyticsService } from './analytics-service.js';
import type { Hit } from './questions/hit-record.js';
import { hitPage } from './questions/hits.js';
import { createShownVisitor } from './shown-visitor.js';

const SECRET = Buffer.from('a secret of an installation');
const JANUARY = Date.UTC(2026, 0, 31, 23, 59, 59, 999);
const FEBRUARY = Date.UTC(2026, 1, 1);

describe('the visitor id that is shown', () => {
  it('is an HMAC of owner, month and stored hash under a key for this purpose', () => {
    const shown = createShownVisitor(SECRET);
    const key = deriveKey(SECRET, 'waymark shown visitor v1');
    const expected = createHmac('sha256', key)
      .update('owner\u00002026-01\u00000123456789abcdef')
      .digest('hex');
    expect(shown('owner', JANUARY, '0123456789abcdef')).toBe(expected.slice(0, 16));
  });

  it('is the same within a month, in whatever order hits come and however many visitors there are', () => {
    const times = [FEBRUARY, JANUARY, Date.UTC(2026, 0, 1), Date.UTC(2025, 0, 15), FEBRUARY + 1];
    const visitors = Array.from({ length: 15_000 }, (_, n) => visitor(n));
    const shown = createShownVisitor(SECRET);
    const months = new Map<string, string>();
    for (const timeMs of times) {
      const month = new Date(timeMs).toISOString().slice(0, 7);
      const ids = visitors.map((hash) => shown('owner', timeMs, hash)).join();
      expect(months.get(month) ?? ids).toBe(ids);
      months.set(month, ids);
    }
    expect(new Set(months.values()).size).toBe(3);
  });

  it('differs by owner, by month, by visitor and by secret, and is never what is stored', () => {
    const hash = visitor(1);
    const ids = [
      hash,
      shownVisitor('owner', JANUARY, hash),
      shownVisitor('other', JANUARY, hash),
      shownVisitor('owner', FEBRUARY, hash),
      shownVisitor('owner', Date.UTC(2025, 0, 31), hash),
      shownVisitor('owner', JANUARY, visitor(2)),
      createShownVisitor(SECRET)('owner', JANUARY, hash),
    ];
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{16}$/);
  });
});

describe('of a visitor who comes in two months', () => {
  let app: AnalyticsApp;
  beforeAll(async () => {
    app = await createAnalyticsApp();
    const times = ['2026-01-31 23:59:59.999', '2026-02-01 00:00:00.000', '2026-02-27 12:00:00.000'];
    const hits = times.map((timestamp) => ({ redirect_id: 'rd_two', timestamp, visitor_id: visitor(77) }));
    await app.record([...hits, { ...hits[0], redirect_id: 'rd_other' }]);
  });
  afterAll(() => app.close());

  const period = 'start=2026-01-01&end=2026-02-28';

  async function idsOf(redirectId: string, userId: string): Promise<string[]> {
    const analytics = createAnalyticsService({
      store: app.test.store,
      redirects: { requireOwned: async (id) => ({ id, samplingRate: 1 }) },
      shownVisitor,
      clock: () => NOW,
    });
    const asked = { start: '2026-01-01', includeBots: true, page: 1, limit: 20 };
    const { data } = await analytics.answer(hitPage, { redirectId, userId }, asked);
    return (data as { hits: Hit[] }).hits.map(({ visitorId }) => visitorId);
  }

  it('pages and both files show another id in each month', async () => {
    const { body } = await app.get(`rd_two/hits?${period}`);
    const paged = (body as { data: Hit[] }).data.map(({ visitorId }) => visitorId);
    expect(paged).toHaveLength(3);
    expect(paged[0]).toBe(paged[1]);
    expect(paged[2]).not.toBe(paged[1]);
    const lines = (await app.download(`rd_two/hits/export?format=ndjson&${period}`)).trimEnd().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as Hit).visitorId)).toEqual(paged);
    const csv = (await app.download(`rd_two/hits/export?format=csv&${period}`)).trimEnd().split('\r\n');
    const [header = '', ...rows] = csv.map((row) => row.split(','));
    expect(rows.map((row) => row[header.indexOf('visitorId')])).toEqual(paged);
  });

  it('no answer shows the stored hash', async () => {
    for (const path of ['hits', 'hits/export?format=ndjson', 'hits/export?format=csv']) {
      const text = await app.download(`rd_two/${path}${path.includes('?') ? '&' : '?'}${period}`);
      expect(text).toContain('2026-01-31T23:59:59.999Z');
      expect(text).not.toContain(visitor(77));
    }
  });

  it('two owners are shown different ids, and one owner the same one for all redirects', async () => {
    const [, , january] = await idsOf('rd_two', 'owner');
    expect(await idsOf('rd_other', 'owner')).toEqual([january]);
    const [ofOther] = await idsOf('rd_other', 'another owner');
    expect(ofOther).not.toBe(january);
  });

  it('unique visitors are one, in each month and in both together', async () => {
    for (const range of ['start=2026-01-01&end=2026-01-31', 'start=2026-02-01&end=2026-02-28', period]) {
      const { body } = await app.get(`rd_two/stats/basic?${range}`);
      expect(body, range).toMatchObject({ data: { uniqueVisitors: 1 } });
    }
  });
});
