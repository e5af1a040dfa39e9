import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkTable } from '../../../shared/paths/check-table.js';
import type { PathDiagnostic } from '../../../shared/paths/diagnostics.js';
import { pathEntryOf } from '../../../shared/paths/path-cases.fixture.js';
import { DEFAULT_PATH_OPTIONS } from '../../../shared/paths/path-entry.js';
import type { TestUser } from '../../http/api.fixture.js';
import type { RulesApi } from '../rules/rules-api.fixture.js';
import { startPathsApi } from './paths-api.fixture.js';

let rules: RulesApi;
let user: TestUser;

beforeAll(async () => {
  rules = await startPathsApi();
  user = await rules.api.createUser({ plan: 'business' });
});
afterAll(() => rules.close());

function call(method: string, path: string, body: unknown) {
  return rules.api.call(method, `/redirects/${path}`, { token: user.token, body });
}

const OUT = 'https://new.example/';
/** Formats a remark with its members in a fixed order. */
const textOf = ({ kind, source, other, message }: PathDiagnostic) =>
  JSON.stringify([kind, source, other, message]);

describe('the answer to the request that writes an entry', () => {
  it.each([
    ['without remarks', [['/a', OUT]], ['/b', OUT], []],
    ['that no browser asks for', [], ['/a/../b', OUT], [['unreachable', '/a/../b', undefined]]],
    ['that leads to another one', [['/b', OUT]], ['/a', '{own}/b'], [['chain', '/a', '/b']]],
    ['that another one leads to', [['/a', '{own}/b']], ['/b', OUT], [['chain', '/a', '/b']]],
    [
      'that a more exact one hides from it',
      [
        ['/a', '{own}/b/c'],
        ['/b/c', null],
      ],
      ['/b/*', OUT],
      [],
    ],
    [
      'that leaves another none',
      [
        ['/a/*', OUT],
        ['/a', OUT],
      ],
      ['/a/:id/*', OUT],
      [['unreachable', '/a/*', '/a/:id/*']],
    ],
    [
      'that completes a cover',
      [
        ['/a/*', OUT],
        ['/a/:id/*', OUT],
      ],
      ['/a', OUT],
      [['unreachable', '/a/*', '/a/:id/*']],
    ],
    [
      'that is covered',
      [
        ['/a', OUT],
        ['/a/:id/*', OUT],
      ],
      ['/a/*', OUT],
      [['unreachable', '/a/*', '/a/:id/*']],
    ],
  ] as const)(
    'names what the table has because of an entry %s',
    async (_, others, [source, destination], expected) => {
      const { id, host } = await rules.createRedirect(user);
      const filled = (text: string | null) => text?.replace('{own}', `https://${host}`) ?? null;
      const entries = others.map(([one, to]) => ({
        source: one,
        destination: filled(to),
        ...(to === null && { statusCode: 410 }),
      }));
      await call('PUT', `${id}/paths`, { entries });
      const shown = ({ kind, source: of, other }: PathDiagnostic) => [kind, of, other];
      const created = await call('POST', `${id}/paths`, { source, destination: filled(destination) });
      expect(created.json.diagnostics?.map(shown), created.body).toEqual(expected);

      const disabled = await call('PATCH', `${id}/paths/${created.json.id}`, { enabled: false });
      expect(disabled.json.diagnostics).toEqual([]);
      const enabled = await call('PATCH', `${id}/paths/${created.json.id}`, { enabled: true });
      expect(enabled.json).toMatchObject({ enabled: true, diagnostics: created.json.diagnostics });
    },
  );

  it('names a chain through another redirect', async () => {
    const other = await rules.createRedirect(user, { toDomain: 'https://end.example' });
    const { id } = await rules.createRedirect(user);
    const created = await call('POST', `${id}/paths`, {
      source: '/a',
      destination: `https://${other.host}/b`,
    });
    expect(created.json.diagnostics, created.body).toMatchObject([
      { kind: 'chain', source: '/a', other: `https://${other.host}/b` },
    ]);
  });
});

const segments = fc.array(fc.constantFrom('a', 'b', ':'), { minLength: 1, maxLength: 3 });
const path = fc.tuple(segments, fc.boolean()).map(([parts, isPrefix]) => {
  const text = parts.map((part, at) => `/${part === ':' ? `:p${at}` : part}`).join('');
  return isPrefix ? `${text}/*` : text;
});
const row = fc.record({
  source: path,
  query: fc.constantFrom(null, null, null, { q: true }, { q: false }),
  destination: fc.constantFrom('', '/', '/a', '/a/b', '/b/a', '/a/b/a', '/b/c?q=1'),
});

it('equals what a table has with the entry and not without it', async () => {
  const { id, host } = await rules.createRedirect(user);
  const redirect = { host, destination: OUT, queryForwarding: false };
  const diagnosticsOf = (rows: readonly Parameters<typeof pathEntryOf>[0][], strict: boolean) => {
    const checked = checkTable(
      rows.map(pathEntryOf),
      { ...DEFAULT_PATH_OPTIONS, ignoreTrailingSlash: !strict },
      redirect,
    );
    return 'kind' in checked ? undefined : checked.diagnostics.map(textOf);
  };
  let compared = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 6 }), fc.boolean(), async (given, strict) => {
      const rows = given.map((one) => ({
        ...one,
        destination: one.destination === '' ? OUT : `https://${host}${one.destination}`,
      }));
      const before = diagnosticsOf(rows.slice(0, -1), strict);
      if (before === undefined) return;
      const body = { options: { ignoreTrailingSlash: !strict }, entries: rows.slice(0, -1) };
      expect((await call('PUT', `${id}/paths`, body)).status).toBe(200);
      const created = await call('POST', `${id}/paths`, rows.at(-1));
      const after = diagnosticsOf(rows, strict);
      expect(created.status === 201, created.body).toBe(after !== undefined);
      if (after === undefined) return;
      const rest = [...before];
      const added = after.filter((one) => {
        const at = rest.indexOf(one);
        if (at !== -1) rest.splice(at, 1);
        return at === -1;
      });
      compared += added.length;
      expect(created.json.diagnostics.map(textOf).sort()).toEqual(added.sort());
    }),
    { numRuns: 150 },
  );
  expect(compared).toBeGreaterThan(20);
});
