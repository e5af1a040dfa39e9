import { describe, expect, it } from 'vitest';
import type { RedirectDefinition } from './redirect-definition.js';
import { changesIn, encodeChunks, openChunk } from './ruleset-chunk.js';
import { sha256Of } from './ruleset-codec.js';
import type { RulesetChange } from './ruleset-feed.js';

const redirectOf = (host: string, destination = 'https://ziel.example/ü\n'): RedirectDefinition => ({
  id: `id-of-${host}`,
  host,
  destination,
  redirectType: 'permanent',
  pathForwarding: true,
  queryForwarding: false,
  samplingRate: 0.5,
  rules: [
    { id: 7, conditionLogic: 'AND', conditions: [], action: { type: 'redirect', url: 'https://é.example' } },
  ],
});
async function encodeChunk(changes: readonly RulesetChange[]) {
  const chunks = await encodeChunks(changes);
  expect(chunks).toHaveLength(1);
  return chunks[0]!;
}
const served = (host: string): RulesetChange => ({ host, redirect: redirectOf(host) });
const open = async (text: string, isCompressed = false) =>
  openChunk(Buffer.from(text), sha256Of(text), isCompressed);

describe('a chunk', () => {
  it.each([0, 1, 501])('comes back as it was encoded, with %i redirects and a removal', async (count) => {
    const changes: RulesetChange[] = Array.from({ length: count }, (_, index) =>
      served(`host-${index}.example`),
    );
    changes.push({ host: 'gone.example', redirect: null });
    const { bytes, sha256, lines } = await encodeChunk(changes);
    expect(lines).toBe(count + 1);
    expect([...changesIn(await openChunk(bytes, sha256, true))]).toEqual(changes);
  });

  it('is shorter than its lines', async () => {
    const changes = Array.from({ length: 100 }, (_, index) => served(`host-${index}.example`));
    expect((await encodeChunk(changes)).bytes.length).toBeLessThan(JSON.stringify(changes).length / 5);
  });

  it('is one of several when the changes are long', async () => {
    const destination = `https://long.example/${'x'.repeat(3 * 1024 * 1024)}`;
    const changes = ['a', 'b', 'c', 'd', 'e'].map((host) => ({
      host,
      redirect: redirectOf(host, destination),
    }));
    const chunks = await encodeChunks(changes);
    expect(chunks.map(({ lines }) => lines)).toEqual([2, 2, 1]);
    const opened = await Promise.all(chunks.map(({ bytes, sha256 }) => openChunk(bytes, sha256, true)));
    expect(opened.flatMap((lines) => [...changesIn(lines)])).toEqual(changes);
  });

  it('of the release before is not compressed', async () => {
    const line = `${JSON.stringify(redirectOf('old.example'))}\n`;
    expect([...changesIn(await open(line))]).toEqual([served('old.example')]);
  });

  it('is refused when any byte of it is another', async () => {
    const { bytes, sha256 } = await encodeChunk([served('a.example')]);
    for (let at = 0; at < bytes.length; at += 7) {
      const damaged = Buffer.from(bytes);
      damaged[at] = damaged[at]! ^ 1;
      await expect(openChunk(damaged, sha256, true)).rejects.toThrow('checksum');
    }
  });

  it('is refused when it ends within a line', async () => {
    await expect(open('{"id":')).rejects.toThrow('cut off');
  });

  it('gives a refusal with host and field in place of a redirect that cannot be served, and goes on', async () => {
    const broken = { ...redirectOf('broken.example'), redirectType: 'sometimes' };
    const values = [broken, redirectOf('good.example'), 'nonsense'];
    const text = values.map((value) => `${JSON.stringify(value)}\n`).join('');
    expect([...changesIn(await open(text))]).toEqual([
      {
        host: 'broken.example',
        refusal:
          'the redirect of "broken.example" is refused: its redirectType must be "permanent" or "temporary"',
      },
      served('good.example'),
      { refusal: 'a line of it is no redirect' },
    ]);
  });
});
