import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeDefinitionLines } from './definition-lines.js';
import type { RedirectDefinition } from './redirect-definition.js';
import {
  decodeChunk,
  decodeDelta,
  decodeManifest,
  encodeDelta,
  encodeManifest,
  parseVersion,
  RULESET_FORMAT,
  sha256Of,
} from './ruleset-codec.js';
import type { RulesetDelta } from './ruleset-feed.js';
import { formatVersion } from './ruleset-version.js';

const definition = fc.record(
  {
    id: fc.string({ unit: 'binary', minLength: 1, maxLength: 64 }),
    host: fc.domain(),
    destination: fc.webUrl({ withQueryParameters: true }),
    redirectType: fc.constantFrom('permanent' as const, 'temporary' as const),
    pathForwarding: fc.boolean(),
    queryForwarding: fc.boolean(),
    samplingRate: fc.integer({ min: 0, max: 100 }).map((percent) => percent / 100),
    queryRecording: fc.constantFrom('names' as const, 'none' as const),
  },
  {
    requiredKeys: [
      'id',
      'host',
      'destination',
      'redirectType',
      'pathForwarding',
      'queryForwarding',
      'samplingRate',
    ],
  },
) satisfies fc.Arbitrary<RedirectDefinition>;

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
      value: { ...DELTA, format: RULESET_FORMAT + 1 },
      reason: /older than the control plane/,
    },
    { name: 'no changes', value: { ...DELTA, format: RULESET_FORMAT, changes: null }, reason: /malformed/ },
    {
      name: 'no version',
      value: { ...DELTA, format: RULESET_FORMAT, version: { epoch: 1 } },
      reason: /malformed/,
    },
    {
      name: 'a change of nothing',
      value: { ...DELTA, format: RULESET_FORMAT, changes: [{}] },
      reason: /malformed/,
    },
    {
      name: 'a redirect of another host than the one that changed',
      value: { ...DELTA, format: RULESET_FORMAT, changes: [{ host: 'a.example', redirect: REDIRECT }] },
      reason: /malformed/,
    },
    {
      name: 'a redirect whose hits no batch can carry',
      value: {
        ...DELTA,
        format: RULESET_FORMAT,
        changes: [{ host: 'b.example', redirect: { ...REDIRECT, id: '' } }],
      },
      reason: /the redirect of "b\.example" is refused: its id/,
    },
    { name: 'nothing at all', value: null, reason: /not known here/ },
  ])('is refused with $name, though its checksum is right', ({ value, reason }) => {
    expect(() => decodeDelta(sealed(value))).toThrow(reason);
  });
});

describe('a snapshot', () => {
  it('is the same after the way through Redis, chunk by chunk', () => {
    fc.assert(
      fc.property(fc.array(definition, { maxLength: 20 }), (redirects) => {
        const chunks = [...encodeDefinitionLines(redirects)];
        expect(chunks.flatMap((chunk) => decodeChunk(chunk, sha256Of(chunk)))).toEqual(redirects);
      }),
    );
  });

  it.each([
    { name: 'is not what was written', bytes: 'other', sha256: sha256Of('these'), reason: /checksum/ },
    { name: 'ends within a line', bytes: '{"id":', sha256: sha256Of('{"id":'), reason: /cut off/ },
    { name: 'holds what is no redirect', bytes: '{}\n', sha256: sha256Of('{}\n'), reason: /no redirect/ },
  ])('is refused when a chunk $name', ({ bytes, sha256, reason }) => {
    expect(() => decodeChunk(Buffer.from(bytes), sha256)).toThrow(reason);
  });

  it('has a manifest that says what belongs to it', () => {
    const sha256 = createHash('sha256').update('chunk').digest('hex');
    const manifest = {
      format: RULESET_FORMAT,
      id: '1.2-x',
      version: { epoch: 1, seq: 2 },
      count: 3,
      sha256,
      chunks: [sha256],
    } as const;
    expect(decodeManifest(encodeManifest(manifest))).toEqual(manifest);
    expect(() => decodeManifest(JSON.stringify({ ...manifest, format: 99 }))).toThrow(/not known here/);
    expect(() => decodeManifest(JSON.stringify({ ...manifest, chunks: [1] }))).toThrow(/malformed/);
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
