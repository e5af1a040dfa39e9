import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestUser } from '../../http/api.fixture.js';
import { type DraftsApi, startDraftsApi } from './drafts-api.fixture.js';

let drafts: DraftsApi;
let user: TestUser;

beforeAll(async () => {
  drafts = await startDraftsApi();
  user = await drafts.api.createUser({ plan: 'business' });
});
afterAll(() => drafts.close());

async function publish(id: string, draft: object): Promise<void> {
  const written = await drafts.ask(user, 'PUT', `/redirects/${id}/draft`, draft);
  expect(written.errors).toEqual([]);
  await drafts.ask(user, 'POST', `/redirects/${id}/draft/publish`);
}
const rulesOf = async (id: string) => (await drafts.ask(user, 'GET', `/rules/redirect/${id}`)).rules;
const pathsOf = (id: string) => drafts.ask(user, 'GET', `/redirects/${id}/paths`);

/** Resolves to everything of a redirect that a definition sets, without ids, hosts and times. */
async function stateOf(id: string) {
  const redirect = await drafts.ask(user, 'GET', `/redirects/${id}`);
  const { toDomain, statusCode, enabled, tags, note, responseHeaders, appendQuery, pathCount } = redirect;
  const rules = (await rulesOf(id)).map(
    ({ id: _, redirectId: __, createdAt: ___, updatedAt: ____, ...rule }: Record<string, unknown>) => rule,
  );
  const { data, options } = await pathsOf(id);
  const entries = data.map(
    ({ id: _, createdAt: __, updatedAt: ___, ...entry }: Record<string, unknown>) => entry,
  );
  const settings = { toDomain, statusCode, enabled, tags, note, responseHeaders, appendQuery, pathCount };
  return { settings, rules, options, entries: entries.sort(bySource) };
}

function bySource(a: { source: string }, b: { source: string }): number {
  return a.source < b.source ? -1 : 1;
}

const force = (name: string, url = `https://rule.example/${name}`, status = 'active') => ({
  name,
  type: 'force',
  action: { type: 'redirect', url },
  status,
});

type Edit =
  | { readonly kind: 'patch'; readonly patch: object }
  | { readonly kind: 'add' | 'change' | 'remove' | 'first'; readonly at: number; readonly rule: object }
  | { readonly kind: 'paths'; readonly sources: readonly string[]; readonly options: object };

const name = fc.constantFrom('a', 'b', 'c', 'd');
const rule = fc.record({
  name,
  type: fc.constant('force'),
  action: fc.record({
    type: fc.constant('redirect'),
    url: name.map((text) => `https://rule.example/${text}`),
  }),
  status: fc.constantFrom('active', 'draft', 'inactive'),
  conditions: fc.constantFrom([], [{ attribute: 'country', operator: 'equals', value: 'DE' }]),
});
const patch = fc.record(
  {
    toDomain: name.map((text) => `https://${text}.example`),
    statusCode: fc.constantFrom(301, 302, 307, 308),
    enabled: fc.boolean(),
    tags: fc.uniqueArray(name),
    note: fc.option(name),
    responseHeaders: fc.dictionary(fc.constantFrom('X-Robots-Tag', 'Referrer-Policy'), fc.option(name)),
    appendQuery: fc.dictionary(name, fc.option(name)),
  },
  { requiredKeys: [] },
);
const edits: fc.Arbitrary<Edit[]> = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('patch' as const), patch }),
    fc.record({
      kind: fc.constantFrom('add' as const, 'change' as const, 'remove' as const, 'first' as const),
      at: fc.nat(5),
      rule,
    }),
    fc.record({
      kind: fc.constant('paths' as const),
      sources: fc.uniqueArray(name.map((text) => `/${text}`)),
      options: fc.record({ ignoreCase: fc.boolean() }, { requiredKeys: [] }),
    }),
  ),
  { minLength: 1, maxLength: 8 },
);
const entriesOf = (sources: readonly string[]) =>
  sources.map((source) => ({ source, destination: `https://paths.example${source}` }));

/** Makes the edits one by one. */
async function editByCalls(id: string, list: readonly Edit[]): Promise<void> {
  for (const edit of list) {
    if (edit.kind === 'patch') await drafts.ask(user, 'PATCH', `/redirects/${id}`, edit.patch);
    else if (edit.kind === 'paths') {
      const body = { options: edit.options, entries: entriesOf(edit.sources) };
      await drafts.ask(user, 'PUT', `/redirects/${id}/paths`, body);
    } else await editRule(id, edit);
  }
}

async function editRule(id: string, { kind, at, rule: body }: Extract<Edit, { at: number }>): Promise<void> {
  const rules: { id: number }[] = await rulesOf(id);
  const target = rules[at];
  if (kind === 'add') await drafts.ask(user, 'POST', `/redirects/${id}/rules`, body);
  else if (target === undefined) return;
  else if (kind === 'change') await drafts.ask(user, 'PUT', `/rules/${target.id}`, body);
  else if (kind === 'remove') await drafts.ask(user, 'DELETE', `/rules/${target.id}`);
  else {
    const ruleIds = [target.id, ...rules.map((one) => one.id).filter((one) => one !== target.id)];
    await drafts.ask(user, 'PUT', `/rules/redirect/${id}/reorder`, { ruleIds });
  }
}

/** Returns the list of rules after the edits, computed without the API. */
function editedRules(before: readonly object[], list: readonly Edit[]): object[] {
  const rules = [...before];
  for (const edit of list) {
    if (edit.kind === 'patch' || edit.kind === 'paths') continue;
    const target = rules[edit.at];
    if (edit.kind === 'add') rules.push(edit.rule);
    else if (target === undefined) continue;
    else if (edit.kind === 'change') rules[edit.at] = { ...target, ...edit.rule };
    else rules.splice(edit.at, 1);
    if (edit.kind === 'first' && target !== undefined) rules.unshift(target);
  }
  return rules;
}

/** Merges later patches into earlier ones. Keeps null, because it sets the default. */
function mergedPatch(list: readonly Edit[]): Record<string, unknown> {
  const merged: Record<string, unknown> = {};
  for (const edit of list) {
    if (edit.kind !== 'patch') continue;
    for (const [member, value] of Object.entries(edit.patch)) {
      const isObject = member === 'responseHeaders' || member === 'appendQuery';
      merged[member] = isObject ? { ...Object(merged[member]), ...value } : value;
    }
  }
  return merged;
}

describe('a draft', () => {
  it('that is published equals the same edits made one by one', async () => {
    await fc.assert(
      fc.asyncProperty(edits, async (list) => {
        const [single, whole] = await Promise.all([drafts.createRedirect(user), drafts.createRedirect(user)]);
        for (const { id } of [single, whole]) {
          for (const one of ['x', 'y']) await drafts.ask(user, 'POST', `/redirects/${id}/rules`, force(one));
          await drafts.ask(user, 'PUT', `/redirects/${id}/paths`, { entries: entriesOf(['/x', '/a']) });
        }
        const before = await rulesOf(whole.id);
        await editByCalls(single.id, list);
        const tables = list.flatMap((edit) => (edit.kind === 'paths' ? [edit] : []));
        const last = tables.at(-1);
        const rules = editedRules(before, list).map((one) => ({ ...one, priority: undefined }));
        await publish(whole.id, {
          redirect: mergedPatch(list),
          rules,
          ...(last && {
            paths: {
              options: Object.assign({}, ...tables.map(({ options }) => options)),
              entries: entriesOf(last.sources),
            },
          }),
        });
        expect(await stateOf(whole.id)).toEqual(await stateOf(single.id));
      }),
      { numRuns: 12 },
    );
  });
});
