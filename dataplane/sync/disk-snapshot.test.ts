import { spawnSync } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { RuleDefinition } from '../../shared/rules/rule-definition.js';
import { temporaryFolder } from '../temporary-folder.fixture.js';
import { captured, listed } from './cold/listed.fixture.js';
import { packRule } from './cold/packed-rules.js';
import { createDiskSnapshot, type DiskSnapshot, readSnapshotSize, SNAPSHOT_FILE } from './disk-snapshot.js';
import { redirectOf } from './redirect-definition.fixture.js';

const NOW_MS = 1_700_000_000_000;

const RULE: RuleDefinition = {
  id: 1,
  conditionLogic: 'OR',
  conditions: [
    { attribute: 'query_param', param: 'é', operator: 'between', value: [1, '2.5'] },
    { attribute: 'city', operator: 'not_exists' },
  ],
  action: {
    type: 'ab_test',
    variants: [
      { name: 'α', percentage: 99.5, url: 'https://a.example' },
      { name: 'β', percentage: 0.5, url: 'https://b.example', pathForwarding: true },
    ],
    sticky: 'visitor',
  },
  startMs: 1_700_000_000_000,
};

function snapshotOf(count: number, seq = 12) {
  const redirects = Array.from({ length: count }, (_, i) =>
    redirectOf(`host-${i}.example`, { destination: `https://ziel.example/ü\n${i}`, samplingRate: i / count }),
  );
  return { version: { epoch: 1_699_999_999, seq }, redirects };
}

async function folderWith(count: number) {
  const dataDir = await temporaryFolder();
  const disk = createDiskSnapshot({ dataDir, nowMs: () => NOW_MS });
  const snapshot = snapshotOf(count);
  await disk.save(captured(snapshot));
  return { dataDir, disk, snapshot, file: path.join(dataDir, SNAPSHOT_FILE) };
}

async function loadedBy(disk: DiskSnapshot) {
  const load = await disk.load();
  if (load.outcome !== 'loaded') throw new Error(`the save is ${load.outcome}`);
  return { ...load.saved, snapshot: listed(load.saved.snapshot) };
}

describe('the snapshot on disk', () => {
  it.each([0, 1, 499, 500, 501, 2_345])('comes back as it was saved, with %i redirects', async (count) => {
    const { disk, snapshot } = await folderWith(count);
    expect(await loadedBy(disk)).toEqual({ snapshot, savedAtMs: NOW_MS });
  });

  it('keeps the lineage of its version, and tells it and its size without being read whole', async () => {
    const { disk, dataDir } = await folderWith(3);
    expect(await readSnapshotSize(dataDir)).toEqual({
      version: { epoch: 1_699_999_999, seq: 12 },
      hosts: 3,
    });
    const lineage = 'aaaaaaaaaaaa-000000000001';
    const next = { ...snapshotOf(4), version: { epoch: 1_699_999_999, seq: 13, lineage, removals: 2 ** 40 } };
    await disk.save(captured(next));
    expect(await loadedBy(disk)).toMatchObject({ snapshot: next });
    expect(await readSnapshotSize(dataDir)).toEqual({ version: next.version, hosts: 4 });
  });

  it('keeps that redirects were left out, also with the longest header', async () => {
    const { disk } = await folderWith(3);
    const lineage = 'aaaaaaaaaaaa-000000000001';
    const version = { epoch: 9_999_999_999, seq: 9_999_999_999, lineage, removals: 9_999_999_999 };
    const next = { ...snapshotOf(4), version, isIncomplete: true as const };
    await disk.save(captured(next));
    expect(await loadedBy(disk)).toMatchObject({ snapshot: next });
  });

  it('is incomplete when an older release wrote it, which leaves out what it does not know', async () => {
    const { disk, file, snapshot } = await folderWith(3);
    const [header = '', ...rest] = (await readFile(file, 'utf8')).split('\n');
    const { contents: _, ...older } = JSON.parse(header);
    await writeFile(file, [JSON.stringify(older).padEnd(header.length), ...rest].join('\n'));
    expect((await loadedBy(disk)).snapshot).toEqual({ ...snapshot, isIncomplete: true });
  });

  it('tells no size when it is absent or unreadable', async () => {
    const { dataDir, file } = await folderWith(3);
    await writeFile(file, 'nonsense');
    expect(await readSnapshotSize(dataDir)).toBe('unreadable');
    expect(await readSnapshotSize(path.join(dataDir, 'not-yet'))).toBeUndefined();
  });

  it('is absent before the first one is saved', async () => {
    const dataDir = await temporaryFolder();
    const disk = createDiskSnapshot({ dataDir: path.join(dataDir, 'not-yet'), nowMs: () => NOW_MS });
    expect(await disk.load()).toEqual({ outcome: 'absent' });
    await disk.save(captured(snapshotOf(1)));
    expect(await disk.load()).toMatchObject({ outcome: 'loaded' });
  });

  it('is replaced by the next one and leaves nothing else behind', async () => {
    const { disk, dataDir } = await folderWith(10);
    const next = snapshotOf(3, 13);
    await disk.save(captured(next));
    expect(await loadedBy(disk)).toMatchObject({ snapshot: next });
    expect(await readdir(dataDir)).toEqual([SNAPSHOT_FILE]);
  });

  it('clears away what processes that were killed left unfinished, and nothing of those that run', async () => {
    const { dataDir, disk } = await folderWith(1);
    const { pid: endedPid } = spawnSync(process.execPath, ['--version']);
    const kept = [`${SNAPSHOT_FILE}.${process.pid}.tmp`, `${SNAPSHOT_FILE}.tmp`, 'hits.1.tmp'];
    for (const name of [...kept, `${SNAPSHOT_FILE}.${endedPid}.tmp`])
      await writeFile(path.join(dataDir, name), 'half');
    expect(await disk.load()).toMatchObject({ outcome: 'loaded' });
    expect((await readdir(dataDir)).sort()).toEqual([...kept, SNAPSHOT_FILE].sort());
  });

  it('is read in the format of the release before', async () => {
    const { disk, file } = await folderWith(2);
    await writeFile(file, (await readFile(file, 'utf8')).replace('"format":5', '"format":4'));
    expect(await loadedBy(disk)).toMatchObject({ snapshot: snapshotOf(2) });
  });

  it('is readable: a header line, then one redirect per line', async () => {
    const { file } = await folderWith(2);
    const lines = (await readFile(file, 'utf8')).split('\n');
    expect(JSON.parse(lines[0]!)).toMatchObject({ format: 5, epoch: 1_699_999_999, seq: 12, count: 2 });
    expect(JSON.parse(lines[2]!)).toEqual(expect.arrayContaining(['host-1.example', 'id-of-host-1.example']));
    expect(lines).toHaveLength(4);
  });

  const damages: { name: string; reason: RegExp; damage: (text: string) => string }[] = [
    { name: 'empty', reason: /header/, damage: () => '' },
    { name: 'something else', reason: /JSON/, damage: () => 'hello\nworld\n' },
    { name: 'another JSON', reason: /header/, damage: () => 'null\n' },
    {
      name: 'of a later format',
      reason: /header/,
      damage: (text) => text.replace('"format":5', '"format":6'),
    },
    { name: 'cut off', reason: /checksum/, damage: (text) => text.slice(0, -30) },
    { name: 'cut to its header', reason: /checksum/, damage: (text) => text.slice(0, 256) },
    { name: 'changed in one byte', reason: /checksum/, damage: (text) => text.replace('host-1', 'host-9') },
    { name: 'longer than it was', reason: /checksum/, damage: (text) => `${text}{}\n` },
    {
      name: 'of an earlier format',
      reason: /header/,
      damage: (text) => text.replace('"format":5', '"format":3'),
    },
    {
      name: 'short by its count',
      reason: /3 .* 4/,
      damage: (text) => text.replace('"count":3', '"count":4'),
    },
  ];

  it.each(damages)('is refused and put aside when it is $name', async ({ damage, reason }) => {
    const { dataDir, disk, file } = await folderWith(3);
    await writeFile(file, damage(await readFile(file, 'utf8')));
    expect(await disk.load()).toEqual({ outcome: 'refused', reason: expect.stringMatching(reason) });
    expect(await readdir(dataDir)).toEqual([`${SNAPSHOT_FILE}.bad`]);
    expect(await disk.load()).toEqual({ outcome: 'absent' });
  });

  it('holds rules as they are', async () => {
    const { disk } = await folderWith(0);
    const redirects = [
      redirectOf('a.example', { rules: [RULE, { ...RULE, id: 2 }] }),
      redirectOf('b.example'),
    ];
    const snapshot = { version: { epoch: 1, seq: 1 }, redirects };
    await disk.save(captured(snapshot));
    expect(await loadedBy(disk)).toEqual({ snapshot, savedAtMs: NOW_MS });
  });

  it.each<[string, unknown]>([
    ['a rule is none', [[...packRule(RULE)], ['two', ...packRule(RULE).slice(1)]]],
    ['a rule is not packed', [RULE]],
    ['the rules are no list', RULE],
    ['the rules are null', null],
  ])('is refused when %s', async (_name, rules) => {
    const { disk } = await folderWith(0);
    const line = ['a.example', 'id-of-a.example', 'https://b.example', 301, 0, 1, null, rules];
    const { version, redirects } = captured({ version: { epoch: 1, seq: 1 }, redirects: [] });
    const pieces = [Buffer.from(`${JSON.stringify(line)}\n`)];
    await disk.save({ version, redirects: { ...redirects, length: 1, pieces } });
    expect(await disk.load()).toMatchObject({
      outcome: 'refused',
      reason: expect.stringMatching(/a line of it is no redirect|"a\.example" is refused: its rules/),
    });
  });

  it('is refused when hits of a redirect could not be carried', async () => {
    const { disk } = await folderWith(0);
    await disk.save(
      captured({ version: { epoch: 1, seq: 1 }, redirects: [redirectOf('a.example', { id: '' })] }),
    );
    expect(await disk.load()).toEqual({
      outcome: 'refused',
      reason: 'the redirect of "a.example" is refused: its id must be a text of 1 to 128 characters',
    });
  });

  it('keeps the old file when a save fails half way', async () => {
    const { disk, dataDir, snapshot } = await folderWith(3);
    const { version, redirects } = captured(snapshotOf(600));
    const pieces = {
      *[Symbol.iterator]() {
        yield* redirects.pieces;
        throw new Error('no room');
      },
    } as never;
    await expect(disk.save({ version, redirects: { ...redirects, pieces } })).rejects.toThrow('no room');
    expect(await loadedBy(disk)).toMatchObject({ snapshot });
    expect(await readdir(dataDir)).toEqual([SNAPSHOT_FILE]);
  });

  it('lets other work in while it saves many redirects', async () => {
    const dataDir = await temporaryFolder();
    const disk = createDiskSnapshot({ dataDir, nowMs: () => NOW_MS });
    let turns = 0;
    let saving = true;
    const countTurns = (): void => {
      turns += 1;
      if (saving) setImmediate(countTurns);
    };
    setImmediate(countTurns);
    // Longer than a piece twenty times.
    const rules = Array.from({ length: 2_000 }, (_, i) => ({ ...RULE, id: i + 1 }));
    const withRules = snapshotOf(20).redirects.map((redirect) => ({ ...redirect, rules }));
    await disk.save(captured({ version: { epoch: 1, seq: 14 }, redirects: withRules }));
    saving = false;
    expect(turns).toBeGreaterThan(20);
  });
});
