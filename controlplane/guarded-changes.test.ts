import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operationsWithForce } from './guarded-operations.fixture.js';
import { type RunningControlplane, startControlplane } from './running-controlplane.fixture.js';

interface Answer {
  readonly status: number;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: each answer has another type
  readonly json: any;
}

/** A redirect with two rules for `/rule`, two paths, a staged table, and an example of each. */
interface Subject {
  readonly id: string;
  readonly host: string;
  readonly ruleIds: readonly number[];
  readonly entryId: number;
}

let controlplane: RunningControlplane;
let token: string;
let guarded: readonly string[];
let count = 0;
/** `If-Match` of all changes but of drafts. */
let requiredTag: string | undefined;

async function call(
  method: string,
  path: string,
  body?: unknown,
  type = 'application/json',
): Promise<Answer> {
  const response = await fetch(`${controlplane.url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body !== undefined && { 'content-type': type }),
      ...(requiredTag !== undefined && !path.endsWith('/draft') && { 'if-match': requiredTag }),
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, text, json: text.startsWith('{') ? JSON.parse(text) : undefined };
}

const made = async (method: string, path: string, body?: unknown): Promise<Answer['json']> => {
  const { status, text, json } = await call(method, path, body);
  expect(status, `${method} ${path}: ${text}`).toBeLessThan(300);
  return json;
};

beforeAll(async () => {
  controlplane = await startControlplane({ RATE_LIMIT_MULTIPLIER: '100', DEFAULT_PLAN: 'business' });
  const account = { email: 'ada@example.com', password: 'correct horse battery' };
  token = (await call('POST', '/auth/signup', account)).json.token;
  const { paths } = (await call('GET', '/openapi.json')).json;
  guarded = [...operationsWithForce(paths)];
});
afterAll(() => controlplane.stop());

const rule = (name: string, more: object = {}) => ({
  name,
  type: 'force',
  conditions: [{ attribute: 'url_path', operator: 'equals', value: '/rule' }],
  action: { type: 'redirect', url: `https://rule.example/${name}` },
  status: 'active',
  ...more,
});
const entry = (name: string) => ({ source: `/${name}`, destination: `https://entry.example/${name}` });

async function createSubject(): Promise<Subject> {
  count += 1;
  const host = `subject-${count}.localhost`;
  const { id } = await made('POST', '/redirects', { fromDomain: host, toDomain: 'https://start.example' });
  const { rule: first } = await made('POST', `/redirects/${id}/rules`, rule('first'));
  const { rule: second } = await made('POST', `/redirects/${id}/rules`, rule('second'));
  await made('PUT', `/redirects/${id}/paths`, { entries: [entry('a')] });
  await made('PUT', `/redirects/${id}/paths`, { entries: [entry('a'), entry('b')] });
  await made('PUT', `/redirects/${id}/paths/staged`, { entries: [entry('a')] });
  const { data } = await made('GET', `/redirects/${id}/paths`);
  const example = (name: string, location: string) => ({
    name,
    request: { url: `https://${host}/${name}` },
    expect: { location },
  });
  const examples = [
    example('other', 'https://start.example'),
    example('rule', 'https://rule.example/first'),
    example('a', 'https://entry.example/a'),
    example('b', 'https://entry.example/b'),
    // It fails before and after each change.
    example('failing', 'https://nowhere.example'),
  ];
  await made('PUT', `/redirects/${id}/examples`, { examples });
  return { id, host, ruleIds: [first.id, second.id], entryId: data[0].id };
}

/** Everything of a redirect that changes could change. */
async function stateOf({ id }: Subject): Promise<string> {
  const [redirect, rules, paths, examples, versions] = await Promise.all(
    [
      `/redirects/${id}`,
      `/rules/redirect/${id}`,
      `/redirects/${id}/paths`,
      `/redirects/${id}/examples`,
      `/redirects/${id}/versions`,
    ].map((path) => call('GET', path)),
  );
  return [redirect, rules, paths, examples, versions].map((answer) => answer?.text).join('\n');
}

/** Makes a change, with `?force=true` in the query if it is forced. */
type Change = (subject: Subject, query: string) => Promise<Answer>;

/** Changes, and the examples that each would break. */
const CHANGES: Readonly<Record<string, readonly [change: Change, broken: readonly string[]]>> = {
  'PATCH /redirects/{id}': [
    ({ id }, query) => call('PATCH', `/redirects/${id}${query}`, { enabled: false }),
    ['other', 'rule', 'a', 'b'],
  ],
  'PUT /update/{id}': [
    ({ id }, query) => call('PUT', `/update/${id}${query}`, { toDomain: 'https://else.example' }),
    ['other'],
  ],
  'POST /redirects/{id}/rules': [
    ({ id }, query) =>
      call('POST', `/redirects/${id}/rules${query}`, rule('third', { conditions: [], priority: 1 })),
    ['other', 'rule', 'a', 'b'],
  ],
  'POST /rules/redirect/{redirectId}': [
    ({ id }, query) => call('POST', `/rules/redirect/${id}${query}`, rule('third', { priority: 1 })),
    ['rule'],
  ],
  'PATCH /rules/{ruleId}': [
    ({ ruleIds }, query) => call('PATCH', `/rules/${ruleIds[0]}${query}`, { endDate: '2020-01-01' }),
    ['rule'],
  ],
  'PUT /rules/{ruleId}': [
    ({ ruleIds }, query) => call('PUT', `/rules/${ruleIds[1]}${query}`, { priority: 1 }),
    ['rule'],
  ],
  'PUT /rules/{ruleId}/status': [
    ({ ruleIds }, query) => call('PUT', `/rules/${ruleIds[0]}/status${query}`, { status: 'draft' }),
    ['rule'],
  ],
  'DELETE /rules/{ruleId}': [
    ({ ruleIds }, query) => call('DELETE', `/rules/${ruleIds[0]}${query}`),
    ['rule'],
  ],
  'PUT /rules/redirect/{redirectId}/reorder': [
    ({ id, ruleIds }, query) =>
      call('PUT', `/rules/redirect/${id}/reorder${query}`, { ruleIds: [...ruleIds].reverse() }),
    ['rule'],
  ],
  'POST /redirects/{id}/paths': [
    ({ id }, query) => call('POST', `/redirects/${id}/paths${query}`, entry('other')),
    ['other'],
  ],
  'PUT /redirects/{id}/paths': [
    ({ id }, query) => call('PUT', `/redirects/${id}/paths${query}`, { entries: [entry('b')] }),
    ['a'],
  ],
  'PATCH /redirects/{id}/paths': [
    ({ id }, query) => call('PATCH', `/redirects/${id}/paths${query}`, { options: { unmatched: 'gone' } }),
    ['other'],
  ],
  'PATCH /redirects/{id}/paths/{entryId}': [
    ({ id, entryId }, query) =>
      call('PATCH', `/redirects/${id}/paths/${entryId}${query}`, { enabled: false }),
    ['a'],
  ],
  'DELETE /redirects/{id}/paths/{entryId}': [
    ({ id, entryId }, query) => call('DELETE', `/redirects/${id}/paths/${entryId}${query}`),
    ['a'],
  ],
  'POST /redirects/{id}/paths/staged/publish': [
    ({ id }, query) => call('POST', `/redirects/${id}/paths/staged/publish${query}`),
    ['b'],
  ],
  'POST /redirects/{id}/paths/restore': [
    ({ id }, query) => call('POST', `/redirects/${id}/paths/restore${query}`),
    ['b'],
  ],
  'POST /redirects/{id}/draft/publish': [
    async ({ id }, query) => {
      const draft = {
        redirect: { toDomain: 'https://else.example' },
        rules: [rule('new')],
        paths: { entries: [entry('a')] },
      };
      await made('PUT', `/redirects/${id}/draft`, draft);
      return call('POST', `/redirects/${id}/draft/publish${query}`);
    },
    ['other', 'rule', 'b'],
  ],
  'POST /redirects/{id}/versions/{n}/rollback': [
    ({ id }, query) => call('POST', `/redirects/${id}/versions/1/rollback${query}`),
    ['rule', 'a', 'b'],
  ],
};

describe('a change that breaks examples', () => {
  it('is known here for each operation that takes `force`', () => {
    expect(guarded.filter((name) => !Object.hasOwn(CHANGES, name))).toEqual([
      'POST /redirects/bulk',
      'POST /imports',
    ]);
    expect(Object.keys(CHANGES).filter((name) => !guarded.includes(name))).toEqual([]);
  });

  it.each(Object.entries(CHANGES))(
    'is refused by %s, unless it is forced',
    async (_name, [change, broken]) => {
      const subject = await createSubject();
      const before = await stateOf(subject);
      const refused = await change(subject, '');
      expect(refused.status, refused.text).toBe(409);
      expect(refused.json.error.code).toBe('EXAMPLES_BROKEN');
      expect(refused.json.brokenExamples.map(({ name }: { name: string }) => name)).toEqual(broken);
      expect(refused.json.brokenExamples[0].message).toMatch(/^Expected https:\/\/\S+, received \d{3}/);
      expect(await stateOf(subject)).toBe(before);
      expect((await change(subject, '?force=false')).status).toBe(409);

      const forced = await change(subject, '?force=true');
      expect(forced.status, forced.text).toBeLessThan(300);
      expect(await stateOf(subject)).not.toBe(before);
      const { results } = await made('POST', `/redirects/${subject.id}/examples/run`);
      const failed = results.filter(({ status }: { status: string }) => status === 'failed');
      expect(failed.map(({ name }: { name: string }) => name)).toEqual([...broken, 'failing']);
      await made('DELETE', `/redirects/${subject.id}`);
    },
  );
});

describe('a change of a version that is no longer there', () => {
  it.each(Object.entries(CHANGES))('is refused by %s', async (_name, [change]) => {
    const subject = await createSubject();
    const before = await stateOf(subject);
    requiredTag = '"99999-stale"';
    const refused = await change(subject, '?force=true').finally(() => {
      requiredTag = undefined;
    });
    expect([refused.status, refused.json.error.code]).toEqual([412, 'PRECONDITION_FAILED']);
    expect(await stateOf(subject)).toBe(before);
    await made('DELETE', `/redirects/${subject.id}`);
  });
});

describe('many changes', () => {
  it('report a change that breaks examples by row', async () => {
    const [subject, other] = [await createSubject(), await createSubject()];
    const operations = [
      { op: 'update', id: subject.id, note: 'kept' },
      { op: 'update', id: subject.id, enabled: false },
      { op: 'update', id: other.id, toDomain: 'https://else.example' },
      { op: 'update', fromDomain: other.host, note: 'kept' },
    ];
    const expected = ['updated', 'failed', 'failed', 'updated'];
    const bulk = (query: string) => call('POST', `/redirects/bulk?${query}`, { operations });
    const statuses = ({ json }: Answer) => json.results.map(({ status }: { status: string }) => status);

    const dry = await bulk('dryRun=true');
    expect(statuses(dry)).toEqual(expected);
    expect(dry.json.results[1].error).toMatchObject({ code: 'EXAMPLES_BROKEN' });
    expect(dry.json.results[1].error.message).toContain('breaks the example "other" and 3 more');
    const all = await bulk('mode=all_or_nothing');
    expect([all.status, all.json.error.code, all.json.applied]).toEqual([422, 'BULK_REJECTED', false]);
    expect(await stateOf(subject)).not.toContain('kept');

    expect(statuses(await bulk('mode=best_effort'))).toEqual(expected);
    expect(await made('GET', `/redirects/${subject.id}`)).toMatchObject({ enabled: true, note: 'kept' });
    const forced = await bulk('mode=all_or_nothing&force=true');
    expect(statuses(forced)).toEqual(['unchanged', 'updated', 'updated', 'unchanged']);
    expect(await made('GET', `/redirects/${subject.id}`)).toMatchObject({ enabled: false });
    for (const { id } of [subject, other]) await made('DELETE', `/redirects/${id}`);
  });

  const imported = async (query: string, file: string) => {
    const { status, text, json } = await call('POST', `/imports?${query}`, file, 'text/csv');
    expect(status, text).toBe(202);
    const read = () => made('GET', `/imports/${json.id}`);
    await expect
      .poll(async () => (await read()).state, { timeout: 60_000, interval: 20 })
      .toMatch(/^(finished|failed)$/);
    return { ...(await read()), failed: (await made('GET', `/imports/${json.id}/rows?status=failed`)).data };
  };

  it('of a file of redirects fail by row, unless the import is forced', async () => {
    const subject = await createSubject();
    const file = `op,fromDomain,enabled\nupdate,${subject.host},false\n`;
    const query = 'kind=redirects&format=csv';
    for (const more of ['', '&dryRun=true', '&mode=all_or_nothing']) {
      const { failed } = await imported(query + more, file);
      expect(failed).toMatchObject([
        { row: 1, message: expect.stringContaining('breaks the example "other"') },
      ]);
    }
    expect(await made('GET', `/redirects/${subject.id}`)).toMatchObject({ enabled: true });
    expect(await imported(`${query}&force=true`, file)).toMatchObject({ state: 'finished', failed: [] });
    expect(await made('GET', `/redirects/${subject.id}`)).toMatchObject({ enabled: false });
    await made('DELETE', `/redirects/${subject.id}`);
  });

  it('of a file of paths fail together, unless the import is forced', async () => {
    const subject = await createSubject();
    const before = await stateOf(subject);
    const file = 'source,destination\n/other,https://new.example\n/more,https://new.example\n';
    const query = `kind=paths&format=csv&redirectId=${subject.id}`;
    for (const more of ['', '&dryRun=true', '&mode=all_or_nothing']) {
      const { state, error } = await imported(query + more, file);
      expect([state, error.code]).toEqual(['failed', 'EXAMPLES_BROKEN']);
    }
    expect(await stateOf(subject)).toBe(before);
    const forced = await imported(`${query}&force=true`, file);
    expect([forced.state, forced.rows.created]).toEqual(['finished', 2]);
    await made('DELETE', `/redirects/${subject.id}`);
  });
});
