import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createDocumentReader } from './document-reader.js';
import type { RedirectDefinition } from './redirect-definition.js';
import { encodeDocument, formatDigest } from './ruleset-document.js';
import type { RulesetSnapshot } from './ruleset-feed.js';

function redirectOf(host: string): RedirectDefinition {
  const forwarding = { pathForwarding: true, queryForwarding: false };
  return {
    id: `id-of-${host}`,
    host,
    destination: 'https://ziel.example/ü\n',
    redirectType: 'permanent',
    ...forwarding,
    samplingRate: 0.5,
    rules: [
      {
        id: 7,
        conditionLogic: 'AND',
        conditions: [],
        action: { type: 'redirect', url: 'https://é.example' },
      },
    ],
  };
}

function snapshotOf(count: number): RulesetSnapshot {
  const redirects = Array.from({ length: count }, (_, i) => redirectOf(`host-${i}.example`));
  return { version: { epoch: 1_700_000_000, seq: 42 }, redirects };
}

function documentOf(snapshot: RulesetSnapshot): Buffer {
  return Buffer.concat([...encodeDocument(snapshot)]);
}

function digestOf(document: Buffer): string {
  return formatDigest(createHash('sha256').update(document).digest());
}

function read(document: Buffer, { chunkBytes = document.length || 1, digest = digestOf(document) } = {}) {
  const redirects: RedirectDefinition[] = [];
  const reader = createDocumentReader((redirect) => redirects.push(redirect));
  for (let at = 0; at < document.length; at += chunkBytes)
    reader.push(document.subarray(at, at + chunkBytes));
  return { version: reader.end(digest), redirects };
}

describe('a ruleset document', () => {
  it.each([0, 1, 501])('comes back as it was encoded, with %i redirects', (count) => {
    const snapshot = snapshotOf(count);
    expect(read(documentOf(snapshot))).toEqual(snapshot);
  });

  it.each([1, 2, 3, 64, 1_000])('comes back whole from chunks of %i bytes', (chunkBytes) => {
    const snapshot = snapshotOf(20);
    expect(read(documentOf(snapshot), { chunkBytes })).toEqual(snapshot);
  });

  const damages: { name: string; reason: RegExp; damage: (text: string) => string }[] = [
    { name: 'empty', reason: /cut off/, damage: () => '' },
    { name: 'something else', reason: /JSON/, damage: () => 'hello\nworld\n' },
    { name: 'another JSON', reason: /first line/, damage: () => 'null\n' },
    {
      name: 'of a later format',
      reason: /first line/,
      damage: (text) => text.replace('"format":1', '"format":2'),
    },
    {
      name: 'without a version',
      reason: /first line/,
      damage: (text) => text.replace('"seq":42', '"seq":null'),
    },
    { name: 'cut off in a line', reason: /cut off/, damage: (text) => text.slice(0, -5) },
    { name: 'short by a line', reason: /2 .* 3/, damage: (text) => text.replace(/[^\n]+\n$/, '') },
    { name: 'longer than it says', reason: /more/, damage: (text) => `${text}${text.split('\n')[1]}\n` },
    {
      name: 'with a line that is no redirect',
      reason: /no redirect/,
      damage: (text) => text.replace('"host"', '"ghost"'),
    },
    {
      name: 'with a rule that is none',
      reason: /"host-0\.example" is refused: its rules/,
      damage: (text) => text.replace('"AND"', '"XOR"'),
    },
    {
      name: 'with an id that no batch of hits can carry',
      reason: /"host-0\.example" is refused: its id/,
      damage: (text) => text.replace(/"id":"[^"]*"/, '"id":""'),
    },
  ];

  it.each(damages)('is refused when it is $name, even if its checksum fits', ({ damage, reason }) => {
    const document = Buffer.from(damage(documentOf(snapshotOf(3)).toString('utf8')));
    expect(() => read(document)).toThrow(reason);
  });

  it('is refused when one byte is another', () => {
    const document = documentOf(snapshotOf(3));
    const changed = Buffer.from(document.toString('utf8').replace('host-1.example', 'host-9.example'));
    expect(() => read(changed, { digest: digestOf(document) })).toThrow(/checksum/);
  });

  it('is refused as soon as it is too long, before it has come', () => {
    const reader = createDocumentReader(() => {}, 1_000);
    const document = documentOf(snapshotOf(20));
    reader.push(document.subarray(0, 1_000));
    expect(() => reader.push(document.subarray(1_000, 1_001))).toThrow(/longer than 1000 bytes/);
  });
});
