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

/** Explains a hit that the ruleset of now has answered, unless another one is given. */
async function explain(hit: object, user = ann) {
  ordinal += 1;
  const visit = {
    redirect_id: redirectId,
    timestamp: LATER,
    ruleset_version: await app.servedRuleset(),
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
      rulesetVersion: await app.servedRuleset(),
      version: 3,
      explainedVersion: 3,
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
      ruleset_version: '1.1',
      ip_address: '198.51.100.0',
    });
    expect(explained).toMatchObject({
      version: null,
      definitionChanged: true,
      outcome: 'differs',
      answer: { destination: 'https://rule.example/' },
      rules: [{ decided: false }, { decided: true, ruleName: 'German' }],
    });
  });

  it('says when the rule that decided is gone', async () => {
    const gone = { rule_id: 4_711, destination_url: 'https://gone.example' };
    expect(await explain({ ...gone, ruleset_version: '' })).toMatchObject({
      definitionChanged: true,
      outcome: 'differs',
    });
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
      choice: { sticky: 'cookie', draw: 0.75, bucket: [0.5, 1], remembered: false, variant: 'two' },
    });
    expect(await explain(hit)).toMatchObject({
      outcome: 'reproduced',
      choice: { sticky: 'cookie', draw: null, remembered: true, variant: 'two' },
    });
    expect(await explain({ ...hit, query_recording: '' })).toMatchObject({
      choice: { draw: null, remembered: null },
    });
  });

  it('computes the draw of a percentage by visitor, and has none for an A/B test by visitor', async () => {
    const other = await app.createRedirect(ann);
    redirectId = other.id;
    const url = 'https://inside.example';
    const action = { type: 'percentage_redirect', url, percentage: 99, sticky: 'visitor' };
    const { id } = await app.createRule(ann, redirectId, { type: 'percentage', action });
    const inside = await explain({ rule_id: id, destination_url: url, status_code: 302 });
    expect(inside).toMatchObject({
      outcome: 'reproduced',
      choice: { sticky: 'visitor', bucket: [0, 0.99], remembered: false },
    });
    expect(inside.choice.draw).toBeGreaterThan(0);
    expect(inside.choice.draw).toBeLessThan(0.99);

    const variants = ['one', 'two'].map((name) => ({ name, percentage: 50, url: `https://${name}.example` }));
    const split = await app.createRule(ann, redirectId, {
      type: 'ab_experiment',
      action: { type: 'ab_test', sticky: 'visitor', variants },
    });
    const hit = {
      rule_id: split.id,
      variant: 'one',
      destination_url: 'https://one.example',
      status_code: 302,
    };
    expect((await explain(hit)).choice).toMatchObject({ sticky: 'visitor', draw: null, bucket: null });
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

describe('the version that answered a hit', () => {
  const answer = (destination_url: string) => ({ destination_url, timestamp: now() });
  const now = () => new Date().toISOString().replace('T', ' ').replace('Z', '');
  const ask = (method: string, path: string, body: unknown) =>
    app.api.call(method, path, { token: ann.token, body });
  it('is found by the ruleset that answered, however soon the redirect changed again', async () => {
    ({ id: redirectId } = await app.createRedirect(ann));
    const path = `/redirects/${redirectId}`;
    const at: { version: number; ruleset: string; received: object }[] = [];
    const note = async (received: object) => {
      const { version } = await app.redirects.requireOwned(redirectId, ann.id);
      at.push({ version, ruleset: await app.servedRuleset(), received });
    };
    await note(answer('https://default.example'));
    await ask('PUT', `${path}/paths`, {
      entries: [{ source: '/a/*', destination: 'https://entry.example/*' }],
    });
    const { json: listed } = await ask('GET', `${path}/paths`, undefined);
    const entry = 2 ** 40 + listed.data[0].id;
    await note({ ...answer('https://entry.example/b'), path: '/a/b', rule_id: entry });
    const { id: ruleId } = await app.createRule(ann, redirectId, {
      ...RULE,
      name: 'for Germans',
      conditions: [isGerman],
    });
    await note({ ...answer('https://rule.example/'), country: 'DE', rule_id: ruleId });
    await ask('DELETE', `/rules/${ruleId}`, undefined);
    await ask('PUT', `${path}/paths`, { entries: [] });
    await note({ ...answer('https://default.example'), country: 'DE' });

    expect(at.map(({ version }) => version)).toEqual([1, 2, 3, 5].map((step) => step + at[0]!.version - 1));
    for (const { version, ruleset, received } of at) {
      expect(await explain({ ...received, ruleset_version: ruleset }), `version ${version}`).toMatchObject({
        version,
        explainedVersion: version,
        outcome: 'reproduced',
        definitionChanged: version !== at.at(-1)!.version,
      });
    }
    const [, byEntry, byRule] = at;
    expect(await explain({ ...byEntry!.received, ruleset_version: byEntry!.ruleset })).toMatchObject({
      entry: { source: '/a/*' },
    });
    const values = { operator: 'equals', value: 'DE', actual: 'DE', matched: true };
    expect(await explain({ ...byRule!.received, ruleset_version: byRule!.ruleset })).toMatchObject({
      rules: [{ ruleId, ruleName: 'for Germans', decided: true, conditions: [values] }],
    });
  });

  it('is null where neither the ruleset nor the time tells it', async () => {
    ({ id: redirectId } = await app.createRedirect(ann));
    await app.createRule(ann, redirectId, RULE);
    await app.api.database.query('DELETE FROM served_versions WHERE redirect_id = $1', [redirectId]);
    const { version } = await app.redirects.requireOwned(redirectId, ann.id);
    expect(await explain({ ...answer('https://default.example'), ruleset_version: '' })).toMatchObject({
      version: null,
      explainedVersion: version,
    });
  });

  it('is found by the time of hits long after the changes', async () => {
    expect(await explain({ rule_id: 0, ruleset_version: '' })).toMatchObject({
      version: (await app.redirects.requireOwned(redirectId, ann.id)).version,
      definitionChanged: false,
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
