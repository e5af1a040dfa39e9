import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestUser } from '../../http/api.fixture.js';
import { ruleRepository } from '../rules/public.js';
import { type DraftsApi, startDraftsApi } from './drafts-api.fixture.js';

let drafts: DraftsApi;
let user: TestUser;

beforeAll(async () => {
  drafts = await startDraftsApi();
  user = await drafts.api.createUser();
});
afterAll(() => drafts.close());

const ask = (method: string, path: string, body?: unknown) => drafts.ask(user, method, path, body);
const rollBack = (id: string, version: number, headers: Record<string, string> = {}) =>
  drafts.api.call('POST', `/redirects/${id}/versions/${version}/rollback`, { token: user.token, headers });

const force = (name: string, url = `https://rule.example/${name}`) => ({
  name,
  type: 'force',
  action: { type: 'redirect', url },
  status: 'active',
});

/** Removes members that change with each write, and creation times, because a restored rule gets a new one. */
function lasting({
  updatedAt: _,
  createdAt: __,
  version: ___,
  analyticsUsage: ____,
  ...rest
}: Record<string, unknown>) {
  return rest;
}

/** Resolves to everything of a redirect, with the ids of rules and entries. */
async function stateOf(id: string) {
  const { rules } = await ask('GET', `/rules/redirect/${id}`);
  const { data, options } = await ask('GET', `/redirects/${id}/paths`);
  const redirect = await ask('GET', `/redirects/${id}`);
  return {
    version: redirect.version as number,
    state: { redirect: lasting(redirect), rules: rules.map(lasting), options, entries: data.map(lasting) },
  };
}

type Edit = readonly [
  kind: 'settings' | 'add' | 'change' | 'remove' | 'paths' | 'entry' | 'publish',
  value: number,
];

const edits: fc.Arbitrary<Edit[]> = fc.array(
  fc.tuple(fc.constantFrom('settings', 'add', 'change', 'remove', 'paths', 'entry', 'publish'), fc.nat(3)),
  { minLength: 2, maxLength: 6 },
) as fc.Arbitrary<Edit[]>;

async function edit(id: string, [kind, value]: Edit): Promise<void> {
  const { rules } = await ask('GET', `/rules/redirect/${id}`);
  const rule = rules[value % Math.max(rules.length, 1)];
  const entry = { source: `/${value}`, destination: `https://paths.example/${value}` };
  if (kind === 'settings') {
    const responseHeaders = value < 2 ? { 'X-Robots-Tag': 'noindex' } : {};
    await ask('PUT', `/update/${id}`, {
      toDomain: `https://${value}.example`,
      tags: [String(value)],
      responseHeaders,
    });
  } else if (kind === 'add') await ask('POST', `/redirects/${id}/rules`, force(`rule-${value}`));
  else if (kind === 'change' && rule)
    await ask('PUT', `/rules/${rule.id}`, { name: `changed ${value}`, priority: value });
  else if (kind === 'remove' && rule) await ask('DELETE', `/rules/${rule.id}`);
  else if (kind === 'paths') {
    await ask('PUT', `/redirects/${id}/paths`, { options: { ignoreCase: value > 1 }, entries: [entry] });
  } else if (kind === 'entry') {
    const { data } = await ask('GET', `/redirects/${id}/paths`);
    if (data.length > 0)
      await ask('PATCH', `/redirects/${id}/paths/${data[0].id}`, { source: `/moved-${value}` });
  } else if (kind === 'publish') {
    await ask('PUT', `/redirects/${id}/draft`, {
      redirect: { note: String(value) },
      rules: [force(`draft-${value}`)],
    });
    await ask('POST', `/redirects/${id}/draft/publish`);
  }
}

describe('a rollback', () => {
  it('gives the state of the version, with the ids of rules and entries, and keeps all versions', async () => {
    await fc.assert(
      fc.asyncProperty(edits, fc.nat(), async (list, choice) => {
        const { id } = await drafts.createRedirect(user);
        const states = [await stateOf(id)];
        for (const one of list) {
          await edit(id, one);
          states.push(await stateOf(id));
        }
        const last = states.at(-1)!.version;
        for (const at of [choice % states.length, (choice * 7) % states.length]) {
          const { version, state } = states[at]!;
          const answer = await rollBack(id, version);
          expect(answer, answer.body).toMatchObject({ status: 200 });
          expect((await stateOf(id)).state).toEqual(state);
        }
        expect((await stateOf(id)).version).toBe(last + 2);
      }),
      { numRuns: 10 },
    );
  });

  it('serves the state and is recorded', async () => {
    const { id, host } = await drafts.createRedirect(user);
    await ask('POST', `/redirects/${id}/rules`, force('a'));
    await ask('PATCH', `/redirects/${id}`, { toDomain: 'https://other.example' });
    const answer = await rollBack(id, 1);
    expect(answer).toMatchObject({
      status: 200,
      json: { id, toDomain: 'https://default.example', version: 4 },
    });
    expect(answer.headers.etag).toMatch(/^"4-/);
    const served = await drafts.served(host);
    expect(served).toMatchObject({ destination: 'https://default.example' });
    expect(served?.rules ?? []).toEqual([]);
    const [recorded] = await drafts.api.database.query(
      `SELECT action, summary FROM redirect_versions JOIN audit_log ON audit_log.id = audit_id
       WHERE redirect_id = $1 AND version = 4`,
      [id],
    );
    expect(recorded).toEqual({ action: 'redirect.rolled_back', summary: 'Rolled back to version 1' });
  });

  it('gives a rule another id if its id is taken meanwhile', async () => {
    const { id } = await drafts.createRedirect(user);
    const { rule } = await ask('POST', `/redirects/${id}/rules`, force('a'));
    await ask('DELETE', `/rules/${rule.id}`);
    const other = await drafts.createRedirect(user);
    // Ids are random. Simulate one that is the same by chance.
    const others = {
      ...rule,
      ...{ startDate: null, endDate: null },
      redirectId: other.id,
      name: 'b',
      createdBy: user.id,
    };
    await ruleRepository.insert(drafts.api.database, others);
    expect(await rollBack(id, 2)).toMatchObject({ status: 200 });
    const { rules } = await ask('GET', `/rules/redirect/${id}`);
    expect(rules).toMatchObject([{ name: 'a' }]);
    expect(rules[0].id).not.toBe(rule.id);
    expect((await ask('GET', `/rules/redirect/${other.id}`)).rules).toMatchObject([
      { id: rule.id, name: 'b' },
    ]);
  });

  it('is refused like a change: by If-Match, loops and unknown versions', async () => {
    const { id, host } = await drafts.createRedirect(user);
    await ask('PATCH', `/redirects/${id}`, { toDomain: 'https://loop.localhost' });
    await ask('PATCH', `/redirects/${id}`, { toDomain: 'https://other.example' });
    await ask('POST', '/redirects', { fromDomain: 'loop.localhost', toDomain: `https://${host}` });
    expect(await rollBack(id, 2)).toMatchObject({
      status: 422,
      json: { error: { code: 'REDIRECT_LOOP', field: 'redirect.toDomain' } },
    });
    expect(await rollBack(id, 1, { 'if-match': '"2-abc"' })).toMatchObject({ status: 412 });
    for (const version of [9, 2_147_483_647])
      expect(await rollBack(id, version)).toMatchObject({ status: 404 });
    for (const version of [0, 1.5]) expect(await rollBack(id, version)).toMatchObject({ status: 400 });
    expect(await ask('GET', `/redirects/${id}`)).toMatchObject({
      version: 3,
      toDomain: 'https://other.example',
    });
    expect(await rollBack(id, 1, { 'if-match': '"3-abc"' })).toMatchObject({ status: 200 });
  });
});
