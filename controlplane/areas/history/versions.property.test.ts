import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestUser } from '../../http/api.fixture.js';
import { type HistoryApi, startHistoryApi } from './history-api.fixture.js';
import type { CurrentState } from './version-state.js';

let history: HistoryApi;
let user: TestUser;
let count = 0;

beforeAll(async () => {
  history = await startHistoryApi();
  user = await history.api.createUser();
});
afterAll(() => history.close());

interface Change {
  readonly kind: keyof typeof CHANGES;
  /** Chooses among rules, entries and values. */
  readonly at: number;
}

type Run = (id: string, at: number, now: CurrentState) => Promise<unknown>;

const call = (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
  history.call(user, method, path, body, headers);
const nth = <Item>(items: readonly Item[], at: number): Item | undefined => items[at % items.length];
const url = (at: number) => `https://to-${at % 7}.example/${at % 3}`;
const rule = (at: number) => ({
  name: `rule ${at}`,
  type: 'force',
  action: { type: 'redirect', url: url(at) },
  status: at % 2 === 0 ? 'active' : 'draft',
  conditions: at % 3 === 0 ? [] : [{ attribute: 'country', operator: 'in', value: ['DE', 'AT'] }],
  ...(at % 5 === 0 && { priority: 1 + (at % 4), startDate: '2026-01-01', metadata: { at } }),
});
const entry = (at: number) => ({
  source: nth(['/a', '/b/*', '/c/:id', '/d', '/e', '/f/*'], at),
  destination: url(at),
  statusCode: nth([301, 302, 308], at),
  enabled: at % 4 !== 0,
  ...(at % 3 === 0 && { query: { z: true, a: String(at % 2) } }),
  note: at % 5 === 0 ? `note ${at}` : '',
});
const entries = (at: number) =>
  Array.from({ length: at % 5 }, (_, index) => ({ ...entry(index + at), source: `/${index}-${at % 2}` }));

/** A change that finds nothing to change does nothing. */
const CHANGES = {
  async settings(id, at) {
    const bodies = [
      { toDomain: url(at), note: `n${at}` },
      { tags: ['a', `t${at}`], enabled: at % 2 === 0 },
      {
        responseHeaders: { 'X-Robots-Tag': 'noindex' },
        appendQuery: { b: `${at}`, a: '1' },
        clickIdParam: `c${at}`,
      },
      { startsAt: '2026-01-01T00:00:00Z', endsAt: '2027-01-01', afterEnd: { url: url(at) } },
      { startsAt: null, endsAt: null, afterEnd: null, hsts: { maxAge: at } },
      { statusCode: 308, externalId: `x-${id}-${at}`, samplingRate: 0.25, httpsMode: 'upgrade' },
    ];
    await call('PATCH', `/redirects/${id}`, nth(bodies, at));
  },
  update: (id, at) => call('PUT', `/update/${id}`, { redirectType: at % 2 ? 'temporary' : 'permanent' }),
  bulk: (id, at) =>
    call('POST', '/redirects/bulk', {
      operations: [
        { op: 'update', id, note: `bulk ${at}` },
        { op: 'update', id, tags: [`bulk-${at}`] },
      ],
    }),
  import: (_id, at, { redirect }) =>
    history.importFile(
      user,
      'kind=redirects&format=csv',
      `op,fromDomain,note\nupdate,${redirect.fromDomain},imported ${at}`,
    ),
  async deletion(id) {
    await call('DELETE', `/redirects/${id}`);
    await call('POST', `/redirects/${id}/restore`);
  },
  createRule: (id, at) => call('POST', `/redirects/${id}/rules`, rule(at)),
  async changeRule(_id, at, { rules }) {
    const one = nth(rules, at);
    const bodies = [{ status: 'inactive' }, { priority: 1 + (at % 3) }, { name: `r${at}`, priority: 2 }];
    if (one) await call('PATCH', `/rules/${one.id}`, nth(bodies, at));
  },
  async duplicateRule(_id, at, { rules }) {
    const one = nth(rules, at);
    if (one) await call('POST', `/rules/${one.id}/duplicate`);
  },
  async deleteRule(_id, at, { rules }) {
    const one = nth(rules, at);
    if (one) await call('DELETE', `/rules/${one.id}`);
  },
  async reorderRules(id, at, { rules }) {
    const ids = rules.map((one) => one.id);
    const ruleIds = at % 2 === 0 ? ids.reverse() : ids.sort();
    if (ids.length > 0) await call('PUT', `/rules/redirect/${id}/reorder`, { ruleIds });
  },
  async createEntry(id, at) {
    await history.api.call('POST', `/redirects/${id}/paths`, { token: user.token, body: entry(at) });
  },
  async changeEntry(id, at, { paths }) {
    const one = nth(paths.entries, at);
    const body = nth([{ enabled: false }, { note: `e${at}` }, { destination: url(at) }], at);
    if (one) await call('PATCH', `/redirects/${id}/paths/${one.id}`, body);
  },
  async deleteEntry(id, at, { paths }) {
    const one = nth(paths.entries, at);
    if (one) await call('DELETE', `/redirects/${id}/paths/${one.id}`);
  },
  replaceTable: (id, at) =>
    call('PUT', `/redirects/${id}/paths`, {
      options: { ignoreCase: at % 2 === 0, ...(at % 3 === 0 && { unmatched: 'not_found' }) },
      entries: entries(at),
    }),
  async publishTable(id, at) {
    await call('PUT', `/redirects/${id}/paths/staged`, { entries: entries(at) });
    await call('POST', `/redirects/${id}/paths/staged/publish`);
  },
  async restoreTable(id) {
    const { status, body } = await history.api.call('POST', `/redirects/${id}/paths/restore`, {
      token: user.token,
    });
    if (status !== 200) expect(body).toContain('There is no previous table');
  },
  importPaths: (id, at) =>
    history.importFile(
      user,
      `kind=paths&format=csv&redirectId=${id}`,
      `source,destination\n/imported-${at % 3},${url(at)}\n/a,${url(at + 1)}`,
    ),
} satisfies Record<string, Run>;

const change = fc.record({
  kind: fc.constantFrom(...(Object.keys(CHANGES) as (keyof typeof CHANGES)[])),
  at: fc.nat({ max: 999 }),
});

/** States by version, as the given endpoints showed them right after each change. */
async function play(changes: readonly Change[]): Promise<{ id: string; states: Map<number, CurrentState> }> {
  count += 1;
  const fromDomain = `played-${count}.localhost`;
  const { id } = await call('POST', '/redirects', { fromDomain, toDomain: 'https://start.example' });
  let now = await history.shown(user, id);
  const states = new Map([[now.version, now]]);
  for (const { kind, at } of changes) {
    await (CHANGES[kind] as Run)(id, at, now);
    now = await history.shown(user, id);
    const known = states.get(now.version);
    // A request that creates no version has changed nothing.
    if (known !== undefined) expect(now, kind).toEqual(known);
    states.set(now.version, now);
  }
  return { id, states };
}

/** Applies the differences to a state, which must have the values that they name as those of before. */
function patched(state: CurrentState, changes: readonly { path: string; before: unknown; after: unknown }[]) {
  const byId = <Item extends { id: number }>(items: readonly Item[]) =>
    Object.fromEntries(items.map((item) => [item.id, { ...item }]));
  const { redirect, rules, paths } = structuredClone(state);
  const tree: Record<string, unknown> = {
    redirect,
    rules: byId(rules),
    paths: { options: paths.options, entries: byId(paths.entries) },
  };
  for (const { path, before, after } of changes) {
    const steps = path.split('.');
    const last = steps.pop() ?? '';
    const parent = steps.reduce((node, step) => node[step] as Record<string, unknown>, tree);
    expect(parent[last] ?? null, path).toEqual(before);
    if (/^(rules|paths\.entries)\.\d+$/.test(path) && after === null) delete parent[last];
    else parent[last] = after;
  }
  return tree;
}

describe('versions of a redirect', () => {
  it('are what the API answered right after each change, for random changes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 4, maxLength: 14 }), async (changes) => {
        const { id, states } = await play(changes);
        const newest = Math.max(...states.keys());
        const { data } = await call('GET', `/redirects/${id}/versions?limit=200`);
        expect(data.map(({ version }: { version: number }) => version)).toEqual(
          Array.from({ length: newest }, (_, index) => newest - index),
        );
        for (const [version, shown] of states) {
          expect(await history.state(user, id, version)).toEqual(shown);
        }
      }),
      { numRuns: 8, endOnFailure: true },
    );
  });

  it('differ by what leads from one to the other, for any two', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(change, { minLength: 4, maxLength: 10 }),
        fc.nat(),
        fc.nat(),
        async (changes, one, other) => {
          const { id, states } = await play(changes);
          const versions = [...states.values()];
          const [from, to] = [nth(versions, one), nth(versions, other)];
          if (from === undefined || to === undefined) return;
          const path = `/redirects/${id}/versions/${to.version}/diff?against=${from.version}`;
          const { changes: differences } = await call('GET', path);
          expect(patched(from, differences)).toEqual(patched(to, []));
        },
      ),
      { numRuns: 4, endOnFailure: true },
    );
  });
});
