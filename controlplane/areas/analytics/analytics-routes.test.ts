import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AnalyticsApp, createAnalyticsApp } from './analytics-app.fixture.js';
import { QUESTIONS } from './questions/questions.js';

let app: AnalyticsApp;

beforeAll(async () => {
  app = await createAnalyticsApp();
});
afterAll(() => app.close());

describe('a question that cannot be answered', () => {
  it.each([
    ['an interval that is none', 'rd_1/stats/time?interval=year', 400, 'INVALID_REQUEST', 'interval'],
    [
      'too many intervals',
      'rd_1/stats/time?interval=hour&start=2000-01-01',
      400,
      'INVALID_REQUEST',
      'interval',
    ],
    ['an unreadable start', 'rd_1/stats/basic?start=soon', 400, 'INVALID_REQUEST', 'start'],
    ['a day that does not exist', 'rd_1/stats/basic?end=2026-02-30', 400, 'INVALID_REQUEST', 'end'],
    [
      'a start after the end',
      'rd_1/stats/basic?start=2026-02-02&end=2026-02-01',
      400,
      'INVALID_REQUEST',
      'start',
    ],
    [
      'a start given twice',
      'rd_1/stats/basic?start=2026-02-02&start=2026-02-01',
      400,
      'INVALID_REQUEST',
      'start',
    ],
    [
      'a switch that is no boolean',
      'rd_1/stats/basic?includeBots=maybe',
      400,
      'INVALID_REQUEST',
      'includeBots',
    ],
    ['a redirect that does not exist', 'none/stats/basic', 404, 'NOT_FOUND', undefined],
    ['a redirect of somebody else', 'other_1/stats/basic', 403, 'FORBIDDEN', undefined],
    ['a series of somebody else', 'other_1/stats/time', 403, 'FORBIDDEN', undefined],
  ])('for %s says why', async (_, url, status, code, field) => {
    const answer = await app.get(url);
    expect(answer).toMatchObject({ status, body: { error: { code } } });
    expect((answer.body as { error: { field?: string } }).error.field).toBe(field);
  });
});

describe('the parameters of a question', () => {
  const paths = [...QUESTIONS.map(({ path }) => path), 'hits', 'hits/export'];

  it.each(paths)('of %s are those that its document names, and no others', async (path) => {
    const range = 'start=2026-01-01&end=2026-01-31T12:00:00Z';
    const file = path === 'hits/export';
    if (file) await app.download(`rd_1/${path}?${range}`);
    else expect(await app.get(`rd_1/${path}?${range}`)).toMatchObject({ status: 200 });
    expect(await app.get(`rd_1/${path}?startDate=2026-01-01`)).toMatchObject({
      status: 400,
      body: {
        error: {
          code: 'INVALID_REQUEST',
          field: 'startDate',
          message: expect.stringMatching(/^startDate is not known here; .*: start, end/),
        },
      },
    });
  });

  it.each([
    'stats/referrers?limit=1000',
    'stats/time?interval=week',
    'hits?page=2&limit=100&country=DE&isBot=false&statusCode=301&ruleId=1',
    'stats/basic?includeBots=true',
  ])('include those of %s', async (url) => {
    expect(await app.get(`rd_1/${url}`)).toMatchObject({ status: 200 });
  });
});
