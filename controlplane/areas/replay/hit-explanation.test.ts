import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestUser } from '../../http/api.fixture.js';
import { type ReplayApi, startReplayApi } from './replay-api.fixture.js';

let app: ReplayApi;
let ann: TestUser;
let redirectId: string;
let ordinal = 0;

beforeAll(async () => {
  app = await startReplayApi();
  ann = await app.api.createUser();
});
afterAll(() => app.close());

/** Later than every change of the test. */
const LATER = '2199-01-01 10:00:00.000';
const RULE = { type: 'force', action: { type: 'redirect', url: 'https://rule.example/' } };
const isGerman = { attribute: 'country', operator: 'equals', value: 'DE' };
const isNear = { attribute: 'ip_address', operator: 'equals', value: '203.0.113.9' };

async function explain(hit: object, user = ann) {
  ordinal += 1;
  const visit = {
    redirect_id: redirectId,
    timestamp: LATER,
    query: '',
    destination_url: 'https://default.example',
  };
  await app.record([{ ...visit, ...hit }]);
  const answer = await app.api.call('POST', `/redirects/${redirectId}/explain`, {
    token: user.token,
    body: { hitId: `run1-${ordinal}` },
  });
  expect(answer.status, answer.body).toBe(200);
  return answer.json;
}

describe('the explanation of a hit', () => {
  beforeAll(async () => {
    ({ id: redirectId } = await app.createRedirect(ann));
  });

  it('says which condition of which rule decided', async () => {
    const near = await app.createRule(ann, redirectId, {
      ...RULE,
      name: 'near',
      conditions: [isGerman, isNear],
    });
    const german = await app.createRule(ann, redirectId, { ...RULE, name: 'German', conditions: [isGerman] });
    const hit = { country: 'AT', rule_id: 0 };
    expect(await explain(hit)).toMatchObject({
      hitId: 'run1-1',
      timestamp: '2199-01-01T10:00:00.000Z',
      rulesetVersion: '1.1',
      received: { ruleId: null, destination: 'https://default.example', statusCode: 301 },
      definitionChanged: false,
      outcome: 'reproduced',
      rules: [
        { ruleId: near.id, ruleName: 'near', matched: false, decided: false, isLive: true },
        {
          ruleId: german.id,
          matched: false,
          conditions: [{ index: 0, attribute: 'country', matched: false }],
        },
      ],
      choice: null,
      entry: null,
    });
  });

  it('says that an address which is not stored in full decides', async () => {
    const explained = await explain({ country: 'DE' });
    // Both rules that may decide lead to the same destination, but they are different rules.
    expect(explained).toMatchObject({ outcome: 'unknown', answer: null });
    expect(explained.rules[0]).toMatchObject({
      matched: null,
      conditions: [{ matched: true }, { attribute: 'ip_address', matched: null }],
    });
    expect(explained.notRecorded).toContainEqual({ attribute: 'ip_address', reason: 'shortened' });
  });

  it('says when the definition has changed since, and what it would answer now', async () => {
    const explained = await explain({
      country: 'DE',
      timestamp: '2026-02-01 10:00:00.000',
      ip_address: '198.51.100.0',
    });
    expect(explained).toMatchObject({
      definitionChanged: true,
      outcome: 'differs',
      answer: { destination: 'https://rule.example/' },
      rules: [{ decided: false }, { decided: true, ruleName: 'German' }],
    });
  });

  it('says when the rule that decided is gone', async () => {
    const gone = { rule_id: 4_711, destination_url: 'https://gone.example' };
    expect(await explain(gone)).toMatchObject({ definitionChanged: true, outcome: 'differs' });
  });

  it('tells the draw, and whether a cookie decided', async () => {
    const action = {
      type: 'ab_test',
      variants: [
        { name: 'one', percentage: 50, url: 'https://one.example' },
        { name: 'two', percentage: 50, url: 'https://two.example' },
      ],
    };
    const other = await app.createRedirect(ann);
    redirectId = other.id;
    const { id } = await app.createRule(ann, redirectId, { type: 'ab_experiment', action });
    const hit = { rule_id: id, variant: 'two', destination_url: 'https://two.example', status_code: 302 };
    expect(await explain({ ...hit, draw: 0.75 })).toMatchObject({
      outcome: 'reproduced',
      choice: { sticky: 'cookie', draw: 0.75, remembered: false, variant: 'two' },
    });
    expect(await explain(hit)).toMatchObject({
      outcome: 'reproduced',
      choice: { sticky: 'cookie', draw: null, remembered: true, variant: 'two' },
    });
    expect(await explain({ ...hit, query_recording: '' })).toMatchObject({
      choice: { draw: null, remembered: null },
    });
  });

  it('names the entry of the table of paths', async () => {
    const { id } = await app.createRedirect(ann);
    redirectId = id;
    const path = `/redirects/${id}/paths`;
    const body = { source: '/old/*', destination: 'https://shop.example/*' };
    const { json } = await app.api.call('POST', path, { token: ann.token, body });
    const hit = { path: '/old/7', rule_id: 2 ** 40 + json.id, destination_url: 'https://shop.example/7' };
    expect(await explain(hit)).toMatchObject({
      outcome: 'reproduced',
      received: { ruleId: null },
      entry: { id: json.id, source: '/old/*' },
    });
  });
});

describe('the request for an explanation', () => {
  it.each(['run1-999999', 'nonsense', 'other-1'])(
    'of a hit that is not there gets 404: %s',
    async (hitId) => {
      const { id } = await app.createRedirect(ann);
      const answer = await app.api.call('POST', `/redirects/${id}/explain`, {
        token: ann.token,
        body: { hitId },
      });
      expect(answer).toMatchObject({ status: 404, json: { error: { code: 'NOT_FOUND' } } });
    },
  );

  it('about a hit of another redirect gets 404, about a redirect of another user 403', async () => {
    const bob = await app.api.createUser();
    const { id } = await app.createRedirect(ann);
    const ask = (user: TestUser) =>
      app.api.call('POST', `/redirects/${id}/explain`, { token: user.token, body: { hitId: 'run1-1' } });
    expect((await ask(ann)).status).toBe(404);
    expect((await ask(bob)).status).toBe(403);
  });
});
