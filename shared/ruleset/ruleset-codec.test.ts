import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RedirectDefinition } from './redirect-definition.js';
import { redirectOptions } from './redirect-options.fixture.js';
import {
  DELTA_FORMAT,
  decodeDelta,
  decodeManifest,
  encodeDelta,
  encodeManifest,
  parseVersion,
  SNAPSHOT_FORMAT,
  sha256Of,
} from './ruleset-codec.js';
import type { RulesetDelta } from './ruleset-feed.js';
import { formatVersion } from './ruleset-version.js';

const definition = fc
  .tuple(
    fc.record({
      id: fc.string({ unit: 'binary', minLength: 1, maxLength: 64 }),
      host: fc.domain(),
      destination: fc.webUrl({ withQueryParameters: true }),
      redirectType: fc.constantFrom('permanent' as const, 'temporary' as const),
      pathForwarding: fc.boolean(),
      queryForwarding: fc.boolean(),
      samplingRate: fc.integer({ min: 0, max: 100 }).map((percent) => percent / 100),
    }),
    fc.record({ queryRecording: fc.constantFrom('names' as const, 'none' as const) }, { requiredKeys: [] }),
    redirectOptions,
  )
  .map(([required, optional, options]) => ({
    ...required,
    ...optional,
    ...options,
  })) satisfies fc.Arbitrary<RedirectDefinition>;

const DELTA: RulesetDelta = {
  version: { epoch: 1_700_000_000, seq: 9 },
  previousSeq: 7,
  changes: [{ host: 'gone.example', redirect: null }],
};

const REDIRECT: RedirectDefinition = {
  id: 'r1',
  host: 'b.example',
  destination: 'https://new.example',
  redirectType: 'permanent',
  pathForwarding: false,
  queryForwarding: false,
  samplingRate: 1,
};

/** What stands in Redis when the JSON is this, with its checksum right. */
const sealed = (value: unknown) => {
  const json = JSON.stringify(value);
  return `${sha256Of(json)} ${json}`;
};

describe('a delta', () => {
  it('is the same after the way through Redis', () => {
    const removal = fc.record({ host: fc.domain(), redirect: fc.constant(null) });
    const change = fc.oneof(
      removal,
      definition.map((redirect) => ({ host: redirect.host, redirect })),
    );
    fc.assert(
      fc.property(fc.nat(), fc.nat(), fc.array(change, { maxLength: 5 }), (epoch, seq, changes) => {
        const delta = { version: { epoch, seq: seq + 1 }, previousSeq: seq, changes };
        expect(decodeDelta(encodeDelta(delta))).toEqual(delta);
      }),
    );
  });

  it('is refused when any one character of it is another', () => {
    const text = encodeDelta(DELTA);
    for (let at = 0; at < text.length; at += 1) {
      const other = text[at] === 'x' ? 'y' : 'x';
      expect(() => decodeDelta(text.slice(0, at) + other + text.slice(at + 1))).toThrow(/checksum/);
    }
  });

  it.each([
    {
      name: 'another format',
      value: { ...DELTA, format: DELTA_FORMAT + 1 },
      reason: /older than the control plane/,
    },
    { name: 'no changes', value: { ...DELTA, format: DELTA_FORMAT, changes: null }, reason: /malformed/ },
    {
      name: 'no version',
      value: { ...DELTA, format: DELTA_FORMAT, version: { epoch: 1 } },
      reason: /malformed/,
    },
    {
      name: 'a change of nothing',
      value: { ...DELTA, format: DELTA_FORMAT, changes: [{}] },
      reason: /malformed/,
    },
    {
      name: 'a redirect of another host than the one that changed',
      value: { ...DELTA, format: DELTA_FORMAT, changes: [{ host: 'a.example', redirect: REDIRECT }] },
      reason: /malformed/,
    },
    {
      name: 'a redirect whose hits no batch can carry',
      value: {
        ...DELTA,
        format: DELTA_FORMAT,
        changes: [{ host: 'b.example', redirect: { ...REDIRECT, id: '' } }],
      },
      reason: /the redirect of "b\.example" is refused: its id/,
    },
    { name: 'nothing at all', value: null, reason: /not known here/ },
  ])('is refused with $name, though its checksum is right', ({ value, reason }) => {
    expect(() => decodeDelta(sealed(value))).toThrow(reason);
  });
});

describe('the manifest of a snapshot', () => {
  const manifest = {
    format: SNAPSHOT_FORMAT,
    id: '1.2-x',
    version: { epoch: 1, seq: 2 },
    count: 3,
    appended: 1,
    chunks: [sha256Of('chunk')],
  } as const;

  it('says what belongs to it', () => {
    expect(decodeManifest(encodeManifest(manifest))).toEqual(manifest);
    expect(() => decodeManifest(JSON.stringify({ ...manifest, format: 99 }))).toThrow(/not known here/);
    expect(() => decodeManifest(JSON.stringify({ ...manifest, chunks: [1] }))).toThrow(/malformed/);
  });

  it('is read as the release before wrote it', () => {
    const { appended: _appended, ...older } = { ...manifest, format: 1, sha256: sha256Of('chunk') };
    expect(decodeManifest(JSON.stringify(older))).toEqual({ ...manifest, format: 1, appended: 0 });
  });
});

describe('a version', () => {
  it('is the same after the way through Redis', () => {
    expect(parseVersion(formatVersion({ epoch: 1_700_000_000, seq: 0 }))).toEqual({
      epoch: 1_700_000_000,
      seq: 0,
    });
  });

  it.each(['', '1', '1.', '.1', '1.2.3', '01.2', '1.2 ', '-1.2', '1.5e3', 'a.b', '1.99999999999999999'])(
    'is not what reads "%s"',
    (text) => expect(parseVersion(text)).toBeUndefined(),
  );
});
