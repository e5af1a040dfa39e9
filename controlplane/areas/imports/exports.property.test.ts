import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestUser } from '../../http/api.fixture.js';
import { type ImportsApi, startImportsApi } from './imports-api.fixture.js';

const RUNS = 6;
const FORMATS = ['csv', 'ndjson', 'json'] as const;

let area: ImportsApi;
let run = 0;

beforeAll(async () => {
  area = await startImportsApi();
});
afterAll(() => area.close());

/** Texts that PostgreSQL can store, with characters that are special in files. */
const text = (maxLength: number) =>
  fc
    .string({
      unit: fc.oneof(
        fc.constantFrom(...'=+-@\'"|\\,;\n\r\t[]{}# '),
        fc.constantFrom('a', 'Z', '0', 'ä', '漢', '😀', '\uFEFF', '\u00A0'),
      ),
      maxLength,
    })
    .filter((one) => one.length <= maxLength);
/** The API removes white space around texts. */
const filled = (maxLength: number) => text(maxLength).filter((one) => one.trim() !== '');
const url = fc.webUrl({ validSchemes: ['https'] });
const header = fc.string({ unit: fc.constantFrom(...'ab,"\'=; '), minLength: 1, maxLength: 8 });

const settings = fc.record(
  {
    toDomain: url,
    tags: fc.uniqueArray(filled(8), { maxLength: 4, selector: (tag) => tag.trim() }),
    note: text(12),
    externalId: filled(8),
    statusCode: fc.constantFrom(301, 302, 307, 308),
    samplingRate: fc.constantFrom(0, 0.5, 1),
    pathForwarding: fc.constant(false),
    queryForwarding: fc.boolean(),
    enabled: fc.boolean(),
    startsAt: fc.constantFrom('2020-01-31T08:00:00.001Z'),
    endsAt: fc.constantFrom('2031-01-31T08:00:00.000Z'),
    afterEnd: fc.oneof(fc.constant({ statusCode: 410 }), fc.record({ url })),
    notFound: fc.record({ url }),
    responseHeaders: fc.record({ 'X-Robots-Tag': header, 'Referrer-Policy': header }, { requiredKeys: [] }),
    appendQuery: fc.dictionary(filled(6), text(6), { maxKeys: 3, noNullPrototype: true }),
    httpsMode: fc.constantFrom('both', 'upgrade', 'off'),
    hsts: fc.record({ maxAge: fc.nat(1_000), includeSubDomains: fc.boolean(), preload: fc.boolean() }),
    clickIdParam: fc.constantFrom('wm', 'a.b'),
  },
  { requiredKeys: ['toDomain'] },
);

/** Members of a redirect that its owner cannot set. */
const OTHERS =
  'id userID createdAt updatedAt verifiedAt verification version analyticsUsage certificate pathCount';
const ofOwner = (redirects: readonly Record<string, unknown>[]) =>
  redirects.map((one) =>
    Object.fromEntries(Object.entries(one).filter(([name]) => !OTHERS.split(' ').includes(name))),
  );

async function listed(user: TestUser) {
  return (await area.get(user, '/redirects?sort=fromDomain')).data;
}

describe.each(FORMATS)('an export as %s', (format) => {
  it('imports again without loss: in another account as new, in the same one as unchanged', async () => {
    const [owner, other] = [await area.api.createUser(), await area.api.createUser()];
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(settings, {
          minLength: 1,
          maxLength: 4,
          selector: (one) => one.externalId?.trim() ?? one,
        }),
        async (all) => {
          run += 1;
          const operations = all.map((one, at) => ({ ...one, fromDomain: `x${at}-${run}.example` }));
          const made = await area.api.call('POST', '/redirects/bulk', {
            token: owner.token,
            body: { operations },
          });
          expect(made.json.summary, made.body).toMatchObject({ created: all.length });
          const { body } = await area.api.call('GET', `/exports/redirects?format=${format}`, {
            token: owner.token,
          });
          const imported = await area.run(other, `format=${format}`, body);
          expect(imported.rows).toMatchObject({ created: all.length, failed: 0 });
          expect(ofOwner(await listed(other))).toEqual(ofOwner(await listed(owner)));

          const again = await area.run(owner, `format=${format}&onExisting=update`, body);
          expect(again.rows).toMatchObject({ unchanged: all.length, failed: 0, updated: 0 });
          for (const user of [owner, other]) {
            const deletions = operations.map(({ fromDomain }) => ({ op: 'delete', fromDomain }));
            await area.api.call('POST', '/redirects/bulk', {
              token: user.token,
              body: { operations: deletions },
            });
          }
        },
      ),
      { numRuns: RUNS, endOnFailure: true },
    );
  });
});
