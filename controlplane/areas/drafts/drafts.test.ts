import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestUser } from '../../http/api.fixture.js';
import { PLANS } from '../plans/default-plans.js';
import { type DraftsApi, startDraftsApi } from './drafts-api.fixture.js';

let drafts: DraftsApi;
let user: TestUser;

beforeAll(async () => {
  drafts = await startDraftsApi();
  user = await drafts.api.createUser();
});
afterAll(() => drafts.close());

const call = (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
  drafts.api.call(method, path, { token: user.token, body, ...(headers && { headers }) });
const ask = (method: string, path: string, body?: unknown) => drafts.ask(user, method, path, body);
const put = (id: string, body: object) => ask('PUT', `/redirects/${id}/draft`, body);
const publish = (id: string, headers?: Record<string, string>, body?: object) =>
  call('POST', `/redirects/${id}/draft/publish`, body, headers);
const create = (settings?: object) => drafts.createRedirect(user, settings);
const rulesOf = async (id: string) => (await ask('GET', `/rules/redirect/${id}`)).rules;

const force = (name: string, url = 'https://rule.example/', more: object = {}) => ({
  name,
  type: 'force',
  action: { type: 'redirect', url },
  status: 'active',
  ...more,
});

describe('a draft', () => {
  it('is written, read and discarded, and changes nothing', async () => {
    const { id, host } = await create();
    expect(await call('GET', `/redirects/${id}/draft`)).toMatchObject({ status: 404 });
    const definition = {
      redirect: { toDomain: 'https://new.example', tags: ['spring'] },
      rules: [force('a')],
      paths: { entries: [{ source: '/a', destination: '/b' }] },
    };
    const written = await call('PUT', `/redirects/${id}/draft`, definition);
    expect(written, written.body).toMatchObject({
      status: 200,
      json: {
        ...definition,
        redirectId: id,
        baseVersion: 1,
        currentVersion: 1,
        publishAt: null,
        lastError: null,
        errors: [],
        diagnostics: [],
        updatedBy: { userId: user.id },
      },
    });
    const read = await call('GET', `/redirects/${id}/draft`);
    expect(read).toMatchObject({ status: 200, json: written.json });
    expect(await drafts.served(host)).toMatchObject({ destination: 'https://default.example' });
    expect(await rulesOf(id)).toEqual([]);
    expect(await ask('GET', `/redirects/${id}`)).toMatchObject({ version: 1 });
    expect((await ask('DELETE', `/redirects/${id}/draft`)).message).toContain(host);
    expect(await call('GET', `/redirects/${id}/draft`)).toMatchObject({ status: 404 });
    expect(await publish(id)).toMatchObject({ status: 404 });
  });

  it('can be sent back as it was read', async () => {
    const { id } = await create();
    await ask('POST', `/redirects/${id}/rules`, force('a'));
    const record = await put(id, { rules: await rulesOf(id) });
    expect(await put(id, record)).toMatchObject({ rules: record.rules, baseVersion: record.baseVersion });
  });

  it('has an ETag that no redirect has, for If-Match and If-None-Match', async () => {
    const { id } = await create();
    const path = `/redirects/${id}/draft`;
    const { headers } = await call('PUT', path, {});
    const etag = String(headers.etag);
    expect(etag).toMatch(/^"d\d+-/);
    expect(await call('GET', path, undefined, { 'if-none-match': etag })).toMatchObject({ status: 304 });
    const other = await call('PUT', path, { redirect: { note: 'x' } }, { 'if-match': etag });
    expect(other.status).toBe(200);
    for (const method of ['PUT', 'DELETE']) {
      const refused = await call(method, path, method === 'PUT' ? {} : undefined, { 'if-match': etag });
      expect(refused).toMatchObject({ status: 412, json: { error: { field: 'If-Match' } } });
    }
    expect(await publish(id, { 'if-match': etag })).toMatchObject({ status: 412 });
    expect(await publish(id, { 'if-match': String(other.headers.etag) })).toMatchObject({ status: 200 });
  });

  it.each([
    ['a member that does not exist', { redirects: {} }, 'redirects'],
    ['a setting of another kind', { redirect: { enabled: 'yes' } }, 'redirect.enabled'],
    ['a rule without an action', { rules: [{ name: 'a', type: 'force' }] }, 'rules.0.action'],
    ['an entry without a source', { paths: { entries: [{}] } }, 'paths.entries.0.source'],
    ['a version that does not exist', { baseVersion: 7 }, 'baseVersion'],
    [
      'too many bytes of rules',
      {
        rules: Array.from({ length: 2_100 }, () =>
          force('a', 'https://a.example', { description: 'x'.repeat(2_000) }),
        ),
      },
      'rules',
    ],
  ])('is refused with %s', async (_what, body, field) => {
    const { id } = await create();
    const answer = await call('PUT', `/redirects/${id}/draft`, body);
    expect(answer, answer.body).toMatchObject({ status: 422, json: { error: { field } } });
  });
});

describe('a draft that cannot be published', () => {
  it.each<[string, object, string, string]>([
    [
      'a destination that is none',
      { redirect: { toDomain: 'ftp://a' } },
      'VALIDATION_ERROR',
      'redirect.toDomain',
    ],
    [
      'another domain',
      { redirect: { fromDomain: 'other.example' } },
      'VALIDATION_ERROR',
      'redirect.fromDomain',
    ],
    [
      'a regex that does not compile',
      {
        rules: [
          force('a'),
          force('b', undefined, { conditions: [{ attribute: 'city', operator: 'regex', value: '(' }] }),
        ],
      },
      'VALIDATION_ERROR',
      'rules.1.conditions.0.value',
    ],
    ['a rule that does not exist', { rules: [{ ...force('a'), id: 5 }] }, 'VALIDATION_ERROR', 'rules.0.id'],
    [
      'two entries for one path',
      { paths: { entries: ['/a', '/a'].map((source) => ({ source, destination: '/b' })) } },
      'VALIDATION_ERROR',
      'paths.entries.1.source',
    ],
    [
      'an entry that leads to itself',
      {
        redirect: { toDomain: 'https://x.localhost' },
        paths: { entries: [{ source: '/a', destination: 'http://HOST/a' }] },
      },
      'REDIRECT_LOOP',
      'paths.entries.0.source',
    ],
  ])('says why: %s', async (_what, definition, code, field) => {
    const { id, host } = await create();
    const { version } = await ask('GET', `/redirects/${id}`);
    const body = JSON.parse(JSON.stringify(definition).replace('HOST', host));
    const written = await put(id, body);
    expect(written.errors).toMatchObject([{ code, field }]);
    expect((await ask('GET', `/redirects/${id}/draft`)).errors).toEqual(written.errors);
    const refused = await publish(id);
    expect(refused, refused.body).toMatchObject({ status: 422, json: { error: { code, field } } });
    expect(await publish(id, undefined, { at: '2099-01-01' })).toMatchObject({ status: 422 });
    const test = await call('POST', `/redirects/${id}/draft/test`, { urls: ['/a'] });
    expect(test).toMatchObject({ status: 422, json: { error: { code, field } } });
    expect(await ask('GET', `/redirects/${id}`)).toMatchObject({
      version,
      toDomain: 'https://default.example',
    });
    expect(await rulesOf(id)).toEqual([]);
  });

  it('names the rule that closes a loop', async () => {
    const { id, host } = await create();
    const back = await create({ toDomain: `https://${host}` });
    const { errors } = await put(id, { rules: [force('a'), force('b', `https://${back.host}`)] });
    // The first rule matches everybody, so the second one closes no loop.
    expect(errors).toEqual([]);
    const reversed = await put(id, { rules: [force('b', `https://${back.host}`), force('a')] });
    expect(reversed.errors).toMatchObject([{ code: 'REDIRECT_LOOP', field: 'rules.0.action.url' }]);
    expect(await publish(id)).toMatchObject({
      status: 422,
      json: { error: { field: 'rules.0.action.url' } },
    });
  });

  it('is searched for loops as a whole', async () => {
    const { id, host } = await create();
    const back = await create({ toDomain: `https://${host}` });
    const redirect = { toDomain: `https://${back.host}/x` };
    expect(await call('PATCH', `/redirects/${id}`, redirect)).toMatchObject({ status: 422 });
    await ask('PATCH', `/redirects/${back.id}`, { toDomain: 'https://elsewhere.example' });
    await ask('POST', `/redirects/${back.id}/rules`, force('back', `https://${host}`));
    expect(await call('PATCH', `/redirects/${id}`, redirect)).toMatchObject({
      status: 422,
      json: { error: { code: 'REDIRECT_LOOP' } },
    });
    const loop = { redirect, rules: [force('x', `https://${back.host}`)] };
    expect((await put(id, loop)).errors).toMatchObject([{ code: 'REDIRECT_LOOP' }]);
    // The rule keeps all visitors from the destination. Without the rule, the destination would be refused.
    const safe = { redirect, rules: [force('away', 'https://a.example')] };
    expect((await put(id, safe)).errors).toEqual([]);
    expect(await publish(id)).toMatchObject({ status: 200, json: redirect });
  });

  it('says what the plan does not allow', async () => {
    const { id } = await create();
    const rules = Array.from({ length: 11 }, (_, index) => force(`rule ${index}`));
    await put(id, { rules });
    await publish(id);
    const list = await rulesOf(id);
    drafts.setPlan(PLANS.free);
    try {
      // After a downgrade, a list that is too long may stay but not grow.
      expect((await put(id, { rules: list.slice(1).concat(force('new')) })).errors).toEqual([]);
      const { errors } = await put(id, { rules: [...list, force('new')] });
      expect(errors).toMatchObject([{ code: 'PLAN_LIMIT_REACHED' }]);
      expect(await publish(id)).toMatchObject({
        status: 403,
        json: { error: { code: 'PLAN_LIMIT_REACHED' } },
      });
      const { maxPathsPerRedirect } = PLANS.free.perRedirect;
      const entries = Array.from({ length: maxPathsPerRedirect + 1 }, (_, at) => ({
        source: `/${at}`,
        destination: '/x',
      }));
      expect((await put(id, { paths: { entries } })).errors).toMatchObject([{ code: 'PLAN_LIMIT_REACHED' }]);
      expect(await publish(id)).toMatchObject({ status: 403 });
    } finally {
      drafts.setPlan(PLANS.business);
    }
  });
});

describe('publishing', () => {
  it('takes effect at once, as one version and one commit', async () => {
    const { id, host } = await create();
    const { rule } = await ask('POST', `/redirects/${id}/rules`, force('kept'));
    await ask('POST', `/redirects/${id}/rules`, force('goes'));
    const { version } = await ask('GET', `/redirects/${id}`);
    const head = () =>
      drafts.api.database.query<{ host: string; commit_id: number }>(
        'SELECT host, commit_id FROM ruleset_changes ORDER BY epoch, seq',
      );
    const before = (await head()).length;
    await put(id, {
      redirect: { toDomain: 'https://new.example' },
      rules: [force('first'), { ...force('kept', 'https://kept.example'), id: rule.id }],
      paths: { entries: [{ source: '/a', destination: '/b' }] },
    });
    const answer = await publish(id);
    expect(answer, answer.body).toMatchObject({
      status: 200,
      json: { id, toDomain: 'https://new.example', version: version + 1, pathCount: 1 },
    });
    expect(answer.headers.etag).toMatch(new RegExp(`^"${version + 1}-`));
    expect(await rulesOf(id)).toMatchObject([
      { name: 'first', priority: 1 },
      { id: rule.id, name: 'kept', priority: 2, createdAt: rule.createdAt },
    ]);
    const changes = (await head()).slice(before);
    expect(changes.map((change) => change.host)).toContain(host);
    expect(changes.length).toBe(2);
    expect(new Set(changes.map((change) => change.commit_id)).size).toBe(1);
    const recorded = await drafts.api.database.query(
      `SELECT version, action, summary, by_user_id FROM redirect_versions JOIN audit_log ON audit_log.id = audit_id
       WHERE redirect_id = $1 AND version > $2`,
      [id, version],
    );
    const summary = 'Published the draft: settings, rules, paths';
    expect(recorded).toEqual([
      { version: version + 1, action: 'draft.published', summary, by_user_id: user.id },
    ]);
    expect(await publish(id)).toMatchObject({ status: 404 });
  });

  it('never shows a mixture of old and new', async () => {
    const { id, host } = await create();
    const state = (name: string) => ({
      redirect: { toDomain: `https://${name}.example` },
      rules: [force(name, `https://${name}.example/rule`)],
      paths: { options: { ignoreCase: name === 'b' }, entries: [{ source: `/${name}`, destination: '/x' }] },
    });
    await put(id, state('a'));
    await publish(id);
    const seen = new Set<string>();
    let isDone = false;
    const watch = async () => {
      while (!isDone) {
        await nextTurn();
        const served = await drafts.served(host);
        const action = served?.rules?.[0]?.action;
        const url = action?.type === 'redirect' ? action.url : '';
        seen.add(`${served?.destination} ${url} ${served?.paths?.ignoreCase === true}`);
      }
    };
    const watching = watch();
    for (const name of ['b', 'a', 'b', 'a', 'b']) {
      await put(id, state(name));
      expect(await publish(id)).toMatchObject({ status: 200 });
    }
    isDone = true;
    await watching;
    expect([...seen].sort()).toEqual([
      'https://a.example https://a.example/rule false',
      'https://b.example https://b.example/rule true',
    ]);
  });

  it('is refused when the redirect has changed, and says what changed', async () => {
    const { id } = await create();
    await put(id, { redirect: { note: 'mine' } });
    const { rule } = await ask('POST', `/redirects/${id}/rules`, force('theirs'));
    await ask('PATCH', `/redirects/${id}`, { toDomain: 'https://theirs.example' });
    const changed = await call('GET', `/redirects/${id}`);
    expect(await ask('GET', `/redirects/${id}/draft`)).toMatchObject({ baseVersion: 1, currentVersion: 3 });
    const refused = await publish(id);
    expect(refused, refused.body).toMatchObject({
      status: 412,
      json: {
        error: { code: 'PRECONDITION_FAILED', field: 'If-Match' },
        baseVersion: 1,
        currentVersion: 3,
        changes: [
          { path: 'redirect.toDomain', before: 'https://default.example', after: 'https://theirs.example' },
          { path: `rules.${rule.id}`, before: null, after: { name: 'theirs' } },
        ],
      },
    });
    expect(await publish(id, undefined, { at: '2099-01-01' })).toMatchObject({ status: 422 });
    const soon = new Date(Date.now() + 60_000).toISOString();
    expect(await publish(id, undefined, { at: soon })).toMatchObject({
      status: 412,
      json: { currentVersion: 3 },
    });
    expect(await publish(id, { 'if-match': '"2-abc"' })).toMatchObject({ status: 412 });
    const seen = await publish(id, { 'if-match': String(changed.headers.etag) });
    expect(seen).toMatchObject({ status: 200, json: { note: 'mine', toDomain: 'https://theirs.example' } });
  });

  it('is refused without a list of changes if the version that it was made from is no longer kept', async () => {
    const { id } = await create();
    await put(id, { redirect: { note: 'mine' } });
    await ask('PATCH', `/redirects/${id}`, { note: 'theirs' });
    await ask('PATCH', `/redirects/${id}`, { note: 'theirs again' });
    await drafts.api.database.query('DELETE FROM redirect_versions WHERE redirect_id = $1 AND version < 3', [
      id,
    ]);
    expect(await publish(id)).toMatchObject({
      status: 412,
      json: { baseVersion: 1, currentVersion: 3, changes: null },
    });
    const { headers } = await call('GET', `/redirects/${id}`);
    expect(await publish(id, { 'if-match': String(headers.etag) })).toMatchObject({ status: 200 });
  });

  it('is refused under the tag of a redirect that is not the current one', async () => {
    const { id } = await create();
    await ask('PATCH', `/redirects/${id}`, { note: 'x' });
    await put(id, {});
    const refused = await publish(id, { 'if-match': '"1-abc"' });
    expect(refused).toMatchObject({ status: 412, json: { error: { code: 'PRECONDITION_FAILED' } } });
    expect(refused.json.changes).toBeUndefined();
  });

  it('is possible after the draft was made from the current version', async () => {
    const { id } = await create();
    await put(id, { redirect: { note: 'mine' } });
    await ask('PATCH', `/redirects/${id}`, { note: 'theirs' });
    expect(await put(id, { redirect: { note: 'mine again' } })).toMatchObject({ baseVersion: 1 });
    expect(await put(id, { redirect: { note: 'both' }, baseVersion: 2 })).toMatchObject({ baseVersion: 2 });
    expect(await publish(id)).toMatchObject({ status: 200, json: { note: 'both', version: 3 } });
  });

  it('by two requests at once happens once', async () => {
    const { id } = await create();
    await put(id, { redirect: { note: 'x' } });
    const answers = await Promise.all([publish(id), publish(id)]);
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses[0]).toBe(200);
    expect([404, 412]).toContain(statuses[1]);
    expect(await ask('GET', `/redirects/${id}`)).toMatchObject({ version: 2 });
  });
});

describe('the priorities of rules in a draft', () => {
  it.each<[string, (number | undefined)[], [index: number, priority: number][]]>([
    [
      'follow the list',
      [undefined, undefined, undefined],
      [
        [0, 1],
        [1, 2],
        [2, 3],
      ],
    ],
    [
      'are those given',
      [7, 3, 5],
      [
        [1, 3],
        [2, 5],
        [0, 7],
      ],
    ],
    [
      'put a rule without one after the one before it',
      [undefined, 4, undefined, 2],
      [
        [0, 1],
        [3, 2],
        [1, 4],
        [2, 5],
      ],
    ],
    [
      'give way to new rules',
      [undefined, 1, undefined, 2],
      [
        [0, 1],
        [1, 2],
        [2, 3],
        [3, 4],
      ],
    ],
    [
      'are taken once',
      [3, 3, 4, 3],
      [
        [0, 3],
        [1, 4],
        [3, 5],
        [2, 6],
      ],
    ],
    [
      'have a greatest number',
      [0, 1_000_000, undefined],
      [
        [0, 1],
        [1, 2],
        [2, 3],
      ],
    ],
  ])('%s', async (_what, priorities, expected) => {
    const { id } = await create();
    const rules = priorities.map((priority, index) => force(String(index), undefined, { priority }));
    await put(id, { rules });
    expect(await publish(id)).toMatchObject({ status: 200 });
    const list: { name: string; priority: number }[] = await rulesOf(id);
    expect(list.map(({ name, priority }) => [Number(name), priority])).toEqual(expected);
  });
});

describe('the test of a draft', () => {
  it('answers for visitors and URLs, and counts nothing', async () => {
    const { id, host } = await create();
    const { rule } = await ask('POST', `/redirects/${id}/rules`, force('live', 'https://live.example'));
    await put(id, {
      redirect: { toDomain: 'https://drafted.example' },
      rules: [
        force('new', 'https://germany.example', {
          conditions: [{ attribute: 'country', operator: 'equals', value: 'DE' }],
        }),
        { ...rule, status: 'inactive' },
      ],
      paths: { entries: [{ source: '/a/*', destination: '/b/*' }] },
    });
    const test = (body: object) => ask('POST', `/redirects/${id}/draft/test`, body);
    const both = await test({
      userAttributes: { country: 'DE' },
      explain: true,
      urls: [`http://${host}/a/1`, '/other'],
    });
    expect(both).toMatchObject({
      result: { url: 'https://germany.example', ruleId: null, ruleName: 'new' },
      explanation: [
        { ruleId: null, outcome: 'matched' },
        { ruleId: rule.id, outcome: 'inactive' },
      ],
      results: [
        { location: 'https://drafted.example/b/1', entryId: null, source: '/a/*', reason: 'pattern' },
        { location: 'https://drafted.example', reason: 'destination' },
      ],
    });
    const visitor = await test({ userAttributes: { country: 'FR' } });
    expect(visitor).toMatchObject({ result: null });
    expect(visitor.results).toBeUndefined();
    expect(visitor.message).toContain('https://drafted.example');
    expect(await rulesOf(id)).toMatchObject([{ id: rule.id, status: 'active' }]);
    const missing = await call('POST', `/redirects/${id}/draft/test`, {});
    expect(missing).toMatchObject({ status: 422, json: { error: { field: 'userAttributes' } } });
  });

  it('uses what is live for the parts that the draft does not have', async () => {
    const { id } = await create();
    await ask(
      'POST',
      `/redirects/${id}/rules`,
      force('live', 'https://live.example', {
        conditions: [{ attribute: 'country', operator: 'equals', value: 'DE' }],
      }),
    );
    const entry = await ask('POST', `/redirects/${id}/paths`, { source: '/a', destination: '/b' });
    await put(id, { redirect: { toDomain: 'https://drafted.example' } });
    const answer = await ask('POST', `/redirects/${id}/draft/test`, {
      userAttributes: { country: 'DE' },
      urls: ['/a'],
    });
    expect(answer).toMatchObject({
      result: { ruleName: 'live', url: 'https://live.example' },
      results: [{ entryId: entry.id, source: '/a', location: 'https://drafted.example/b' }],
    });
  });

  it('gives a described visitor the same of new rules each time', async () => {
    const { id } = await create();
    const variants = ['a', 'b'].map((name) => ({ name, percentage: 50, url: `https://${name}.example` }));
    const rule = {
      name: 'ab',
      type: 'ab_experiment',
      action: { type: 'ab_test', variants },
      status: 'active',
    };
    await put(id, { rules: [rule] });
    const request = { userAttributes: {}, visitorId: 'ada' };
    const answers = [1, 2, 3].map(() => ask('POST', `/redirects/${id}/draft/test`, request));
    const urls = (await Promise.all(answers)).map(({ result }) => result.url);
    expect(new Set(urls).size).toBe(1);
  });
});
