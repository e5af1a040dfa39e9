import { expect, it } from 'vitest';
import { encodeRuleset } from '../../shared/ruleset/encoded-ruleset.fixture.js';
import { listed } from './cold/listed.fixture.js';
import { readDocument } from './document-reader.js';
import { redirectOf } from './redirect-definition.fixture.js';

async function* inPieces(document: Buffer, bytes: number) {
  for (let at = 0; at < document.length; at += bytes) yield document.subarray(at, at + bytes);
}

const snapshotOf = (count: number) => ({
  version: { epoch: 1_700_000_000, seq: 42 },
  redirects: Array.from({ length: count }, (_, index) => redirectOf(`host-${index}.example`)),
});

it.each([
  [0, 1_000],
  [1, 1],
  [20, 3],
  [250, 64],
  [250, 100_000],
])('a document of %i redirects is read from pieces of %i bytes', async (count, bytes) => {
  const snapshot = snapshotOf(count);
  const { document } = await encodeRuleset(snapshot);
  const read = await readDocument(inPieces(document, bytes), document.length, () => {});
  expect(listed(read)).toEqual(snapshot);
});

it('a document whose sizes do not fit its chunks is refused', async () => {
  const { document } = await encodeRuleset(snapshotOf(20));
  const text = document.toString('latin1');
  const damaged = Buffer.from(text.replace(/"sizes":\[\d+\]/, '"sizes":[1,2]'), 'latin1');
  await expect(readDocument(inPieces(damaged, 100), 1e6, () => {})).rejects.toThrow(
    'how long its chunks are',
  );
});
