import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openPlaces } from '../../../shared/visitor/place.js';
import type { ApiAnswer, TestUser } from '../../http/api.fixture.js';
import { type DraftsApi, startDraftsApi } from '../drafts/drafts-api.fixture.js';
import { type Redirect, redirectRepository } from '../redirects/public.js';
import { createVisitorInsight, type VisitorInsight } from '../rules/public.js';
import { describeAll, judgeAll } from './check-examples.js';
import { createExampleGuard } from './example-guard.js';
import { storedState } from './served-state.js';

let area: DraftsApi;
let ada: TestUser;
/** The redirect of each test. */
let id: string;
let host: string;

let insight: VisitorInsight;

beforeAll(async () => {
  insight = createVisitorInsight(await openPlaces({ geoipDb: undefined }), Buffer.from('a secret'));
  area = await startDraftsApi();
  ada = await area.api.createUser();
});
beforeEach(async () => {
  ({ id, host } = await area.createRedirect(ada));
});
afterAll(() => area.close());

const current = async (): Promise<Redirect> => {
  const found = await redirectRepository.findById(area.api.database, id);
  if (found === undefined) throw new Error('the redirect is gone');
  return found;
};
const call = (method: string, path: string, body?: unknown): Promise<ApiAnswer> =>
  area.api.call(method, path, { token: ada.token, ...(body !== undefined && { body }) });
const ask = (method: string, path: string, body?: unknown) => area.ask(ada, method, path, body);
const example = (name: string, expected: object, request: object = {}) => ({
  name,
  request: { url: `https://${host}/${name}`, ...request },
  expect: expected,
});
const put = (...examples: object[]) => ask('PUT', `/redirects/${id}/examples`, { examples });
const run = (body?: unknown) => ask('POST', `/redirects/${id}/examples/run`, body);
const rule = (name: string, more: object = {}) => ({
  name,
  type: 'force',
  conditions: [{ attribute: 'url_path', operator: 'starts_with', value: `/${name}` }],
  action: { type: 'redirect', url: `https://${name}.example` },
  status: 'active',
  ...more,
});
const names = (list: readonly { name: string }[]) => list.map(({ name }) => name);

describe('a failed example says why', () => {
  const german = { attribute: 'country', operator: 'equals', value: 'DE' };
  const rules = [
    rule('gone', { endDate: '2026-01-01' }),
    rule('soon', { startDate: '2027-01-01' }),
    rule('off', { status: 'inactive' }),
    rule('draft', { status: 'draft' }),
    rule('both', { conditions: [german, { attribute: 'query_param', param: 'q', operator: 'exists' }] }),
    rule('either', { conditions: [german, { ...german, value: 'AT' }], conditionLogic: 'OR' }),
    rule('first', { conditions: [{ attribute: 'url_path', operator: 'equals', value: '/last' }] }),
    rule('last'),
    {
      name: 'some',
      type: 'percentage',
      conditions: [{ attribute: 'url_path', operator: 'equals', value: '/some' }],
      action: { type: 'percentage_redirect', url: 'https://some.example', percentage: 10 },
      status: 'active',
    },
  ];

  it.each<[name: string, expected: object, request: object, message: string]>([
    ['x', { ruleName: 'none' }, {}, 'There is no rule "none".'],
    ['gone', { ruleName: 'gone' }, {}, 'The rule "gone" has ended at that time.'],
    ['soon', { ruleName: 'soon' }, {}, 'The rule "soon" has not started at that time.'],
    ['off', { ruleName: 'off' }, {}, 'The rule "off" is inactive.'],
    ['draft', { ruleName: 'draft' }, {}, 'The rule "draft" is a draft.'],
    [
      'both',
      { location: 'https://both.example' },
      { userAttributes: { country: 'DE' } },
      'The rule "both" does not match: its condition 1 does not hold (query_param q exists).',
    ],
    [
      'both',
      { location: 'https://both.example' },
      {},
      'The rule "both" does not match: its condition 0 does not hold (country equals "DE").',
    ],
    ['either', { ruleName: 'either' }, {}, 'The rule "either" does not match: none of its conditions holds.'],
    [
      'last',
      { ruleName: 'last' },
      {},
      'received 301 https://first.example (the rule "first"). The rule "last" matches, and something before it decides.',
    ],
    [
      'some',
      { location: 'https://other.example' },
      {},
      'received 302 https://some.example (the rule "some"), or 301 https://default.example (outside the percentage of the rule "some": the destination of the redirect).',
    ],
    [
      'x',
      { statusCode: 302, noMatch: true },
      {},
      'Expected 302 with no rule and no path, received 301 https://default.example (the destination of the redirect).',
    ],
    [
      'x',
      { statusCode: 301 },
      { method: 'TRACE' },
      'Expected 301, received 405 (the method is not allowed).',
    ],
  ])('for %s and %o', async (name, expected, request, message) => {
    for (const one of rules) await ask('POST', `/redirects/${id}/rules`, one);
    await put(example(name, expected, { at: '2026-06-01', ...request }));
    const { results } = await run();
    expect(results[0].status).toBe('failed');
    expect(results[0].message).toContain(message);
  });
});

describe('a run on a draft', () => {
  beforeEach(async () => {
    await ask('POST', `/redirects/${id}/rules`, rule('old'));
    await put(
      example('old', { ruleName: 'old' }),
      example('new', { ruleName: 'new', location: 'https://new.example' }),
      example('path', { location: 'https://path.example' }),
      example('other', { location: 'https://elsewhere.example', noMatch: true }),
    );
  });
  const draft = {
    redirect: { toDomain: 'https://elsewhere.example' },
    rules: [rule('new')],
    paths: { entries: [{ source: '/path', destination: 'https://path.example' }] },
  };

  it('decides by the stored draft, or by the one in the request', async () => {
    expect((await run()).summary).toEqual({ total: 4, passed: 1, failed: 3 });
    const given = await run({ draft });
    expect(given.summary).toEqual({ total: 4, passed: 3, failed: 1 });
    expect(given.results[1].received).toMatchObject([{ ruleId: null, ruleName: 'new' }]);
    expect(given.results[2].received).toMatchObject([{ reason: 'path', source: '/path' }]);
    await ask('PUT', `/redirects/${id}/draft`, draft);
    expect(await run({ draft: true })).toEqual(given);
    // Parts that a draft does not contain are taken from the redirect.
    expect((await run({ draft: { paths: draft.paths } })).summary.passed).toBe(2);
    expect((await run({ draft: {} })).summary.passed).toBe(1);
  });

  it('refuses drafts that would be refused, or are not there', async () => {
    const refused = await call('POST', `/redirects/${id}/examples/run`, {
      draft: { rules: [rule('new', { action: { type: 'redirect', url: 'nonsense' } })] },
    });
    expect([refused.status, refused.json.error.field]).toEqual([422, 'draft.rules.0.action.url']);
    expect((await call('POST', `/redirects/${id}/examples/run`, { draft: true })).status).toBe(404);
    const no = await call('POST', `/redirects/${id}/examples/run`, { draft: false });
    expect([no.status, no.json.error.field]).toEqual([422, 'draft']);
  });

  it('is announced by the draft itself, which cannot be published without force', async () => {
    const written = await ask('PUT', `/redirects/${id}/draft`, draft);
    expect(names(written.brokenExamples)).toEqual(['old']);
    expect(written.errors).toMatchObject([{ code: 'EXAMPLES_BROKEN' }]);
    expect(await ask('GET', `/redirects/${id}/draft`)).toMatchObject({
      brokenExamples: written.brokenExamples,
      errors: written.errors,
      diagnostics: [],
    });
    // It can still be tested.
    const tested = await ask('POST', `/redirects/${id}/draft/test`, { urls: ['/path'] });
    expect(tested.results).toMatchObject([{ location: 'https://path.example' }]);
    expect((await call('POST', `/redirects/${id}/draft/publish`)).json.error.code).toBe('EXAMPLES_BROKEN');
    await ask('POST', `/redirects/${id}/draft/publish?force=true`);
    expect((await run()).summary.passed).toBe(3);
  });

  it('names how many examples it would break, also beyond those that it lists', async () => {
    await put(...Array.from({ length: 120 }, (_, at) => example(`old ${at}`, { ruleName: 'old' })));
    const written = await ask('PUT', `/redirects/${id}/draft`, draft);
    expect(written.brokenExamples).toHaveLength(100);
    expect(written.errors).toMatchObject([{ message: expect.stringContaining('"old 0" and 119 more') }]);
    const at = new Date(Date.now() + 3_600_000).toISOString();
    const refused = await call('POST', `/redirects/${id}/draft/publish`, { at });
    expect(refused.json.error.message).toContain('and 119 more');
  });

  it('is made again when a draft is published at a time', async () => {
    const at = () => new Date(Date.now() + 3_600_000).toISOString();
    const schedule = (query: string) => call('POST', `/redirects/${id}/draft/publish${query}`, { at: at() });
    const due = () =>
      area.api.database.query('UPDATE redirect_drafts SET publish_at = now() WHERE redirect_id = $1', [id]);
    await ask('PUT', `/redirects/${id}/draft`, draft);
    expect((await schedule('')).json.error.code).toBe('EXAMPLES_BROKEN');
    const kept = {
      ...draft,
      rules: [rule('old', { id: (await ask('GET', `/rules/redirect/${id}`)).rules[0].id })],
    };
    await ask('PUT', `/redirects/${id}/draft`, kept);
    expect((await schedule('')).status).toBe(202);
    // An example that is written in between counts too.
    await put(example('kept', { location: 'https://default.example' }));
    await due();
    await area.publisher.runRound();
    const { lastError, publishAt } = await ask('GET', `/redirects/${id}/draft`);
    expect([lastError.code, publishAt]).toEqual(['EXAMPLES_BROKEN', null]);

    expect((await schedule('?force=true')).status).toBe(202);
    await due();
    await area.publisher.runRound();
    expect((await call('GET', `/redirects/${id}/draft`)).status).toBe(404);
    expect((await ask('GET', `/redirects/${id}`)).toDomain).toBe('https://elsewhere.example');
  });
});

describe('a change', () => {
  it('may repeat a failure and repair one, and is refused with the example that it breaks alone', async () => {
    await put(
      example('fine', { location: 'https://default.example' }),
      example('failing', { location: 'https://repaired.example' }),
    );
    await ask('PATCH', `/redirects/${id}`, { note: 'fails as before' });
    const paths = { source: '/failing', destination: 'https://repaired.example' };
    const { id: entryId } = await ask('POST', `/redirects/${id}/paths`, paths);
    const { json } = await call('DELETE', `/redirects/${id}/paths/${entryId}`);
    expect(names(json.brokenExamples)).toEqual(['failing']);
  });

  it('is not blamed for what time has changed', async () => {
    const { rule: timed } = await ask('POST', `/redirects/${id}/rules`, rule('timed', { conditions: [] }));
    await put(example('timed', { ruleName: 'timed' }));
    await area.api.database.query("UPDATE rules SET end_date = now() - interval '1 hour' WHERE id = $1", [
      timed.id,
    ]);
    expect((await run()).summary.failed).toBe(1);
    expect((await call('PATCH', `/redirects/${id}`, { statusCode: 302 })).status).toBe(200);
  });

  it('of two that break an example only together, one is refused', async () => {
    const created = [];
    for (const name of ['one', 'two']) {
      const body = rule(name, { conditions: [], action: { type: 'redirect', url: 'https://same.example' } });
      created.push((await ask('POST', `/redirects/${id}/rules`, body)).rule.id);
    }
    await put(example('same', { location: 'https://same.example' }));
    const deletions = await Promise.all(created.map((ruleId) => call('DELETE', `/rules/${ruleId}`)));
    expect(deletions.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect((await run()).summary.failed).toBe(0);
  });

  it('of one redirect does not spoil the changes of others that share its transaction', async () => {
    await put(example('fine', { location: 'https://default.example' }));
    const others = [await area.createRedirect(ada), await area.createRedirect(ada)];
    const answers = await Promise.all([
      call('PATCH', `/redirects/${others[0]?.id}`, { note: 'one' }),
      call('PATCH', `/redirects/${id}`, { toDomain: 'https://other.example' }),
      call('PATCH', `/redirects/${id}`, { enabled: false }),
      call('PATCH', `/redirects/${others[1]?.id}`, { toDomain: 'https://other.example' }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 409, 409, 200]);
  });

  it('asks the database nothing where there are no examples, it is forced, or all visits get what they got', async () => {
    const guard = createExampleGuard(insight);
    const noDatabase = { query: () => Promise.reject(new Error('a statement')) };
    const redirect = await current();
    for (const [user, exampleCount] of [
      [{}, 0],
      [{ mayBreakExamples: true }, 3],
    ] as const) {
      const subject = { ...redirect, exampleCount };
      expect(await guard.keep(noDatabase, user, subject, async () => 'changed')).toBe('changed');
      await guard.requireKept(noDatabase, user, subject, subject);
    }
    const examined = { ...redirect, exampleCount: 1 };
    const alike = { ...examined, note: 'x', tags: ['y'], samplingRate: 0, cacheSeconds: 1 };
    await guard.requireKept(noDatabase, {}, examined, alike);
    for (const other of [
      { enabled: false },
      { toDomain: 'https://other.example' },
      { httpsMode: 'off' },
    ] as const) {
      const check = guard.requireKept(noDatabase, {}, examined, { ...examined, ...other });
      await expect(check).rejects.toThrow('a statement');
    }
  });
});

it('many examples on many rules leave others their turns, and are given up at the limit', async () => {
  const contains = (index: number) => ({ attribute: 'url_path', operator: 'contains', value: `a${index}b` });
  const conditions = Array.from({ length: 500 }, (_, index) => contains(index));
  await ask('POST', `/redirects/${id}/rules`, rule('many', { conditions, conditionLogic: 'OR' }));
  const url = `https://${host}/${'a1x'.repeat(200)}`;
  const examples = Array.from({ length: 1_000 }, (_, index) => ({
    name: String(index),
    request: { url },
    expect: { statusCode: 301 },
  }));
  await put(...examples);
  const redirect = await current();
  const described = await describeAll(examples, host, insight, new Date());
  const visits = described.map(({ visit }) => visit);
  const state = await storedState(area.api.database, redirect, visits);
  let turns = 0;
  let isRunning = true;
  const others = (async () => {
    for (; isRunning; turns += 1) await nextTurn();
  })();
  await judgeAll(state, described);
  isRunning = false;
  await others;
  expect(turns).toBeGreaterThan(3);

  const check = createExampleGuard(insight, { maxCheckMs: 0 }).requireKept(area.api.database, {}, redirect, {
    ...redirect,
    appendQuery: { a: 'b' },
  });
  await expect(check).rejects.toMatchObject({
    code: 'EXAMPLES_BROKEN',
    message: expect.stringContaining('could not be checked within 0 ms'),
  });
});

it('a user runs one set of examples at a time', async () => {
  await put(...Array.from({ length: 200 }, (_, index) => example(`n${index}`, { statusCode: 301 })));
  const started = Array.from({ length: 4 }, () => call('POST', `/redirects/${id}/examples/run`));
  await nextTurn();
  const statuses = (await Promise.all(started)).map(({ status }) => status).sort();
  expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(2);
  expect(statuses.every((status) => status === 200 || status === 429)).toBe(true);
});
