import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { visitor } from '../../../ingest/hit-batch.fixture.js';
import { type AnalyticsApp, createAnalyticsApp } from '../analytics-app.fixture.js';
import { describeQuestionRules } from './question-rules.fixture.js';

let app: AnalyticsApp;

beforeAll(async () => {
  app = await createAnalyticsApp();
});
afterAll(() => app.close());

interface LanguagesAnswer {
  languages: { hits: number }[];
}

describeQuestionRules({
  app: () => app,
  path: 'stats/languages',
  query: 'limit=1000',
  noHits: { languages: [], summary: { totalLanguages: 0, topLanguage: null, coverage: 0 } },
  hitsIn: ({ languages }: LanguagesAnswer) => languages.reduce((sum, { hits }) => sum + hits, 0),
});

const ask = async (redirectId: string, query = '') =>
  (await app.get(`${redirectId}/stats/languages?start=2026-01-01&${query}`)).body;

describe('languages', () => {
  it('come by hits and then by tag, with their names, of the hits that have one', async () => {
    const redirect_id = 'rd_languages';
    const speaking = (language: string, n: number) => ({ redirect_id, language, visitor_id: visitor(n) });
    await app.record([
      speaking('en-US', 1),
      speaking('en-US', 1),
      speaking('en-US', 2),
      speaking('de', 1),
      speaking('a', 1),
      speaking('', 3),
      speaking('', 3),
      speaking('', 3),
      { ...speaking('de', 4), is_bot: 1 },
    ]);
    expect(await ask(redirect_id)).toMatchObject({
      data: {
        languages: [
          { language: 'en-US', name: 'American English', hits: 3, uniqueVisitors: 2, percentage: 60 },
          { language: 'a', name: 'a', hits: 1, uniqueVisitors: 1, percentage: 20 },
          { language: 'de', name: 'German', hits: 1, uniqueVisitors: 1, percentage: 20 },
        ],
        summary: { totalLanguages: 3, topLanguage: 'en-US', coverage: 62.5 },
      },
      meta: { limit: 100 },
    });
    expect(await ask(redirect_id, 'limit=1&includeBots=true')).toMatchObject({
      data: {
        languages: [{ language: 'en-US', percentage: 50 }],
        summary: { totalLanguages: 3, coverage: 66.67 },
      },
      meta: { limit: 1 },
    });
  });

  it('that are private or undetermined go by their tags', async () => {
    const redirect_id = 'rd_nameless';
    const tags = ['und-US', 'x-klingon'];
    await app.record(tags.map((language) => ({ redirect_id, language })));
    expect(await ask(redirect_id)).toMatchObject({
      data: { languages: tags.map((tag) => ({ language: tag, name: tag })) },
    });
  });
});
