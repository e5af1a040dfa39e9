import { describe, expect, it } from 'vitest';
import { changesIn, encodeChunks, openChunk } from './ruleset-chunk.js';
import { decodeDelta, encodeDelta } from './ruleset-codec.js';
import type { RulesetChange } from './ruleset-feed.js';

const VERSION = { epoch: 1_700_000_000, seq: 9 };
const CHANGES: readonly RulesetChange[] = [
  { host: '/r1/0', redirect: null, page: '^^^^ /a 1 ^^ - https://new.example/{}~' },
  { host: '/r1/1', redirect: null },
  { host: 'a.example', redirect: null },
];

describe('a page of paths', () => {
  it('is the same after it was carried in a delta', () => {
    const delta = { version: VERSION, previousSeq: 8, changes: CHANGES };
    expect(decodeDelta(encodeDelta(delta))).toEqual(delta);
  });

  it('is the same after it was carried in a chunk', async () => {
    const [chunk] = await encodeChunks(CHANGES);
    const lines = await openChunk(chunk?.bytes ?? Buffer.alloc(0), chunk?.sha256 ?? '', true);
    expect([...changesIn(lines)]).toEqual(CHANGES);
    // What an older release takes for the removal of a host that it does not have.
    expect(lines.toString()).toContain('{"removed":"/r1/0","page":');
  });

  it.each([
    ['a line end', 'a\nb'],
    ['a quote', '"'],
    ['no text', ''],
    ['a number', 5],
  ])('is refused with %s', (_name, page) => {
    const changes = [{ host: '/r1/0', redirect: null, page: page as string }];
    expect(() => decodeDelta(encodeDelta({ version: VERSION, previousSeq: 8, changes }))).toThrow(
      'malformed',
    );
    const line = Buffer.from(`${JSON.stringify({ removed: '/r1/0', page })}\n`);
    expect([...changesIn(line)]).toEqual([{ refusal: 'the page "/r1/0" is malformed' }]);
  });
});
