import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hitIdOf } from '../../../../shared/paths/entry-ids.js';
import { type AnalyticsApp, createAnalyticsApp } from '../analytics-app.fixture.js';
import { describeQuestionRules } from './question-rules.fixture.js';

let app: AnalyticsApp;

beforeAll(async () => {
  app = await createAnalyticsApp();
});
afterAll(() => app.close());

interface EntriesAnswer {
  entries: { hits: number }[];
}

describeQuestionRules({
  app: () => app,
  path: 'stats/entries',
  query: 'limit=1000',
  hit: { rule_id: hitIdOf(7) },
  noHits: { entries: [], summary: { entriesHit: 0, totalHits: 0, totalEntries: 2, entriesNeverHit: 1 } },
  hitsIn: ({ entries }: EntriesAnswer) => entries.reduce((sum, { hits }) => sum + hits, 0),
});

const ask = async (redirectId: string, query = '') =>
  (await app.get(`${redirectId}/stats/entries?start=2026-01-01&${query}`)).body;

describe('entries', () => {
  it('come by hits, also beside a rule, with what they stand for, those that were never hit apart', async () => {
    const redirect_id = 'rd_entries';
    const decidedBy = (rule_id: number) => ({ redirect_id, rule_id });
    await app.record([
      decidedBy(hitIdOf(7)),
      decidedBy(hitIdOf(7)),
      decidedBy(hitIdOf(7)),
      decidedBy(hitIdOf(9)),
      { ...decidedBy(12), entry_id: 9 },
      decidedBy(12),
      decidedBy(0),
    ]);
    expect(await ask(redirect_id)).toMatchObject({
      data: {
        entries: [
          { entryId: 7, source: '/seven', destination: '/7', hits: 3, percentage: 60 },
          { entryId: 9, source: null, destination: null, hits: 2, percentage: 40, lastHitAt: null },
        ],
        neverHit: [{ entryId: 8, source: '/eight', destination: null }],
        summary: { totalEntries: 2, entriesHit: 2, entriesNeverHit: 1, totalHits: 5 },
      },
    });
    expect(await ask(redirect_id, 'limit=1')).toMatchObject({
      data: { entries: [{ entryId: 7 }], summary: { entriesHit: 2, totalHits: 5 } },
      meta: { limit: 1 },
    });
  });
});
