import { expect, it } from 'vitest';
import { encodeChunks } from '../../shared/ruleset/ruleset-chunk.js';
import { SNAPSHOT_FORMAT } from '../../shared/ruleset/ruleset-codec.js';
import type { RulesetChange } from '../../shared/ruleset/ruleset-feed.js';
import { hostsIn } from './cold/listed.fixture.js';
import { redirectOf } from './redirect-definition.fixture.js';
import { createRulesetIntake } from './ruleset-intake.js';

const served = (host: string) => ({ host, redirect: redirectOf(host) });
/** As a later release may write it. */
const unknown = (host: string) =>
  ({
    host,
    redirect: { ...redirectOf(host), redirectType: 'by a later release' },
  }) as unknown as RulesetChange;

async function takeIn(...parts: readonly (readonly RulesetChange[])[]) {
  const chunks = (await Promise.all(parts.map(encodeChunks))).flat();
  const manifest = {
    format: SNAPSHOT_FORMAT,
    id: 'a snapshot',
    version: { epoch: 100, seq: 5 },
    count: parts.flat().length,
    appended: 0,
    chunks: chunks.map(({ sha256 }) => sha256),
  } as const;
  const refusals: string[] = [];
  const intake = createRulesetIntake(true, (problem) => refusals.push(problem));
  for (const { bytes } of chunks) await intake.take(bytes);
  return { snapshot: intake.end(manifest), refusals, intake, manifest };
}

it('gives all redirects of its chunks, the later ones in place of the earlier', async () => {
  const { snapshot } = await takeIn(
    [served('a.example'), served('b.example')],
    [{ host: 'a.example', redirect: null }, served('c.example')],
  );
  expect(hostsIn(snapshot.redirects)).toEqual(['b.example', 'c.example']);
  expect(snapshot).not.toHaveProperty('isIncomplete');
});

it('serves nothing in place of a redirect that it refuses, and says that the snapshot is incomplete', async () => {
  const { snapshot, refusals } = await takeIn(
    [served('a.example'), served('b.example')],
    [unknown('a.example'), unknown('c.example')],
  );
  expect(hostsIn(snapshot.redirects)).toEqual(['b.example']);
  expect(snapshot.isIncomplete).toBe(true);
  expect(refusals).toHaveLength(2);
});

it('is not the ruleset of a manifest with other chunks', async () => {
  const { intake, manifest } = await takeIn([served('a.example')], [served('b.example')]);
  const [first = '', second = ''] = manifest.chunks;
  for (const [chunks, reason] of [
    [[second, first], 'belongs to another snapshot'],
    [[first], 'is missing'],
    [[first, second, second], 'is missing'],
  ] as const) {
    expect(() => intake.end({ ...manifest, chunks })).toThrow(reason);
  }
});
