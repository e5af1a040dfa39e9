import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type RedisServer, startRedisServer } from '../../shared/process/redis-server.fixture.js';
import { type EncodedRuleset, encodeRuleset } from '../../shared/ruleset/encoded-ruleset.fixture.js';
import { type RedisKeys, redisKeys } from '../../shared/ruleset/redis-keys.js';
import {
  DELTA_FORMAT,
  encodeDelta,
  encodeManifest,
  formatUnfinished,
  SNAPSHOT_FORMAT,
  sha256Of,
} from '../../shared/ruleset/ruleset-codec.js';
import { systemClock } from './clock.js';
import { hostsIn } from './cold/listed.fixture.js';
import { redirectOf } from './redirect-definition.fixture.js';
import { createRedisFeed } from './redis-feed.js';
import { createRedisRuleset, type RedisRuleset } from './redis-ruleset.js';
import { createTestTable } from './ruleset-table.fixture.js';
import { createSynchronizer } from './synchronizer.js';

const EPOCH = 100;
const at = (seq: number) => ({ epoch: EPOCH, seq });
let server: RedisServer;
let redis: Redis;
let prefix: string;
let keys: RedisKeys;
let ruleset: RedisRuleset;
/** What was told of damaged deltas. */
let damages: string[];

beforeAll(async () => {
  server = await startRedisServer();
  redis = new Redis(server.url);
});
afterAll(async () => {
  redis.disconnect();
  await server.remove();
});
beforeEach(() => {
  prefix = `test-${randomUUID()}`;
  keys = redisKeys(prefix);
  damages = [];
  ruleset = createRedisRuleset(redis, keys, (problem) => damages.push(problem));
});

const manifestOf = (id: string, seq: number) =>
  encodeManifest({
    format: SNAPSHOT_FORMAT,
    id,
    version: at(seq),
    count: 0,
    appended: 0,
    chunks: [],
  });

/** A snapshot of no redirects. */
async function putSnapshot(id: string, seq: number, manifest = manifestOf(id, seq)): Promise<void> {
  await redis.hset(keys.snapshot, { epoch: EPOCH, seq, id, chunks: 0, manifest });
}

/** A delta that removes a host; `text` in place of its own. */
async function putDelta(seq: number, text?: string): Promise<void> {
  const changes = [{ host: 'gone.example', redirect: null }];
  const delta = text ?? encodeDelta({ version: at(seq), previousSeq: seq - 1, changes });
  await redis.xadd(keys.log, `${EPOCH}-${seq}`, 'previousSeq', seq - 1, 'delta', delta);
  await redis.set(keys.head, `${EPOCH}.${seq}`);
}

const refused = () => redis.get(keys.refusedSnapshot);
const seqsAfter = async (seq: number) =>
  (await ruleset.readAfter(at(seq))).deltas.map(({ version }) => version.seq);

describe('a damaged delta', () => {
  beforeEach(async () => {
    await putDelta(6);
    await putDelta(7, 'not what was written');
    await putDelta(8);
  });

  it('ends what is read, and a snapshot that begins before it is refused', async () => {
    await putSnapshot('older', 6);
    expect(await seqsAfter(5)).toEqual([6]);
    expect(await refused()).toBe('older');
  });

  it.each([7, 8])('leaves a snapshot of the version %i alone, which leads past it', async (seq) => {
    await putSnapshot('newer', seq);
    expect(await seqsAfter(5)).toEqual([6]);
    expect(await refused()).toBeNull();
    expect(await ruleset.readSnapshot()).toMatchObject({ version: at(seq) });
  });

  it('is told of once, however often it is read', async () => {
    for (const since of [5, 5, 6]) await ruleset.readAfter(at(since));
    await putDelta(9, 'neither is this');
    await ruleset.readAfter(at(8));
    expect(damages).toEqual([
      'refused the change 100.7 in Redis: a delta does not match its checksum',
      'refused the change 100.9 in Redis: a delta does not match its checksum',
    ]);
  });

  it('in a format of a later version is not told of as damage', async () => {
    const json = JSON.stringify({ format: DELTA_FORMAT + 1 });
    await putDelta(9, `${sha256Of(json)} ${json}`);
    await ruleset.readAfter(at(8));
    expect(damages).toEqual([]);
  });
});

it('a data plane warns of a damaged delta once, also when a snapshot leads past it at once', async () => {
  await putSnapshot('first', 5);
  await redis.set(keys.head, `${EPOCH}.5`);
  const lines: string[] = [];
  const logger = pino({ level: 'warn' }, { write: (line: string) => lines.push(line) });
  const synchronizer = createSynchronizer({
    feed: createRedisFeed({ url: server.url, keyPrefix: prefix, logger }),
    table: createTestTable(),
    clock: systemClock,
    onChange() {},
    logger,
  });
  onTestFinished(synchronizer.stop);
  synchronizer.start(undefined);
  const serves = (seq: number) => expect(synchronizer.status()).toMatchObject({ version: at(seq) });
  await vi.waitFor(() => serves(5), { timeout: 5_000 });
  await putSnapshot('newer', 8);
  await putDelta(6, 'not what was written');
  await putDelta(8);
  await vi.waitFor(() => serves(8), { timeout: 10_000 });
  expect(lines.map((line) => JSON.parse(line).problem)).toEqual([
    'refused the change 100.6 in Redis: a delta does not match its checksum',
  ]);
  expect(synchronizer.status().lastError).toBeUndefined();
});

describe('a snapshot', () => {
  it.each([
    ['no JSON', '{"format":', 'it is no JSON'],
    ['malformed', JSON.stringify({ format: SNAPSHOT_FORMAT, id: 'damaged' }), 'is malformed'],
    ['missing', '', 'it is no JSON'],
    ['that of another one', manifestOf('other', 5), 'that of another one'],
  ])('whose manifest is %s is refused, and the control plane is told so', async (_what, manifest, words) => {
    await putSnapshot('damaged', 5, manifest);
    await expect(ruleset.readSnapshot()).rejects.toThrow(words);
    expect(await refused()).toBe('damaged');
  });

  it('in a format of a later version is left to those who know it', async () => {
    await putSnapshot('later', 5, JSON.stringify({ format: SNAPSHOT_FORMAT + 1 }));
    await expect(ruleset.readSnapshot()).rejects.toThrow('of a format not known here');
    expect(await refused()).toBeNull();
  });

  it('is read on from the chunk where Redis failed', async () => {
    const redirects = Array.from({ length: 5 }, (_, index) => redirectOf(`host-${index}.example`));
    const { manifest, chunks } = await encodeRuleset({ version: at(5), redirects }, 1);
    for (const [index, { bytes }] of chunks.entries()) {
      await redis.set(`${keys.chunks}${manifest.id}:${index}`, bytes);
    }
    await putSnapshot(manifest.id, 5, encodeManifest(manifest));
    const asked: string[] = [];
    let failsAt: number | undefined = 3;
    const failing: typeof redis = Object.create(redis, {
      getBuffer: {
        async value(key: string) {
          asked.push(key.split(':').at(-1)!);
          if (asked.length === failsAt) throw new Error('Connection is closed.');
          return redis.getBuffer(key);
        },
      },
    });
    const progress: string[] = [];
    const reader = createRedisRuleset(
      failing,
      keys,
      () => {},
      (step) => progress.push(step),
    );
    await expect(reader.readSnapshot()).rejects.toThrow('Connection is closed.');
    failsAt = undefined;
    expect((await reader.readSnapshot())?.redirects.length).toBe(5);
    expect(asked).toEqual(['0', '1', '2', '2', '3', '4']);
    expect(progress.at(-1)).toBe('read 5 of 5 parts of the ruleset');
    expect(await refused()).toBeNull();
  });

  it('that there is none of is nothing to be told', async () => {
    expect(await ruleset.readSnapshot()).toBeUndefined();
    expect(await refused()).toBeNull();
  });
});

/** Redirects of a ruleset; its chunks have one each. */
const hosts = (count: number) =>
  Array.from({ length: count }, (_, index) => redirectOf(`host-${index}.example`));

describe('a snapshot that is being written', () => {
  const announce = (id: string) => redis.set(keys.unfinishedSnapshot, formatUnfinished(id));
  const putChunk = (id: string, index: number, bytes: Buffer) =>
    redis.set(`${keys.chunks}${id}:${index}`, bytes);

  /** Writes the first `count` chunks as a control plane does that is killed then. */
  async function putSome(id: string, { chunks }: EncodedRuleset, count: number): Promise<void> {
    for (const [index, { bytes }] of chunks.slice(0, count).entries()) await putChunk(id, index, bytes);
    await announce(id);
  }

  async function putWhole(id: string, encoded: EncodedRuleset): Promise<void> {
    await putSome(id, encoded, encoded.chunks.length);
    await putSnapshot(id, 5, encodeManifest({ ...encoded.manifest, id }));
    await redis.del(keys.unfinishedSnapshot);
  }

  /**
   * A reader, with the keys of the chunks that it asked for.
   *
   * @param meanwhile happens while it reads the first chunk
   */
  function createReader(meanwhile = async () => {}) {
    const asked: string[] = [];
    const asking: typeof redis = Object.create(redis, {
      getBuffer: {
        async value(key: string) {
          asked.push(key.slice(keys.chunks.length));
          if (asked.length === 1) await meanwhile();
          return redis.getBuffer(key);
        },
      },
    });
    const found = () => [...new Set(asked)];
    return { ...createRedisRuleset(asking, keys, (problem) => damages.push(problem)), found };
  }

  it('is taken in before its manifest is there, and no chunk is read twice', async () => {
    const reader = createReader();
    const whole = await encodeRuleset({ version: at(5), redirects: hosts(4) }, 1);
    await putSome('first', whole, 3);
    expect(await reader.readSnapshot()).toBeUndefined();
    await putWhole('first', whole);
    expect((await reader.readSnapshot())?.redirects.length).toBe(4);
    expect(reader.found()).toEqual(['first:0', 'first:1', 'first:2', 'first:3']);
  });

  it('is served as soon as its manifest comes while it is read', async () => {
    const whole = await encodeRuleset({ version: at(5), redirects: hosts(3) }, 1);
    await putSome('first', whole, 1);
    const reading = createReader().readSnapshot();
    await putWhole('first', whole);
    expect((await reading)?.redirects.length).toBe(3);
  });

  it('leaves nothing behind when another control plane writes another one', async () => {
    const reader = createReader();
    await putSome('killed', await encodeRuleset({ version: at(4), redirects: hosts(4) }, 1), 3);
    expect(await reader.readSnapshot()).toBeUndefined();
    const other = { version: at(5), redirects: [redirectOf('other.example')] };
    await putWhole('other', await encodeRuleset(other, 1));
    expect(hostsIn((await reader.readSnapshot())!.redirects)).toEqual(['other.example']);
  });

  it('is read again if its manifest has other chunks than were there', async () => {
    const reader = createReader();
    const lost = await encodeRuleset({ version: at(5), redirects: [redirectOf('lost.example')] }, 1);
    await putSome('same', lost, 1);
    expect(await reader.readSnapshot()).toBeUndefined();
    await putWhole('same', await encodeRuleset({ version: at(5), redirects: hosts(2) }, 1));
    expect(hostsIn((await reader.readSnapshot())!.redirects)).toEqual(['host-0.example', 'host-1.example']);
    expect(await refused()).toBeNull();
  });

  it('is read whole although Redis lost it, and got it back under another id', async () => {
    const reader = createReader();
    const whole = await encodeRuleset({ version: at(5), redirects: hosts(3) }, 1);
    await putSome('lost', whole, 2);
    expect(await reader.readSnapshot()).toBeUndefined();
    await redis.del(keys.unfinishedSnapshot, `${keys.chunks}lost:0`, `${keys.chunks}lost:1`);
    expect(await reader.readSnapshot()).toBeUndefined();
    await putChunk('lost', 2, whole.chunks[2]!.bytes);
    await announce('lost');
    expect(await reader.readSnapshot()).toBeUndefined();
    await putWhole('new', whole);
    expect((await reader.readSnapshot())?.redirects.length).toBe(3);
  });

  it('with a damaged chunk is left until its manifest is there', async () => {
    const reader = createReader();
    const whole = await encodeRuleset({ version: at(5), redirects: hosts(2) }, 1);
    await putSome('damaged', whole, 1);
    await putChunk('damaged', 1, Buffer.from('no chunk'));
    expect(await reader.readSnapshot()).toBeUndefined();
    expect(await reader.readSnapshot()).toBeUndefined();
    expect(reader.found()).toEqual(['damaged:0', 'damaged:1']);
    await putWhole('damaged', whole);
    expect((await reader.readSnapshot())?.redirects.length).toBe(2);
    expect(damages).toEqual([]);
  });

  it('of a format of a later release is left alone', async () => {
    const reader = createReader();
    await redis.set(keys.unfinishedSnapshot, `${SNAPSHOT_FORMAT + 1} later`);
    expect(await reader.readSnapshot()).toBeUndefined();
    expect(reader.found()).toEqual([]);
  });

  it('is left when another snapshot can be served meanwhile', async () => {
    const whole = await encodeRuleset({ version: at(5), redirects: hosts(2) }, 1);
    const slower = await encodeRuleset({ version: at(5), redirects: hosts(4) }, 1);
    await putSome('slower', slower, 3);
    const reader = createReader(async () => {
      await putWhole('first', whole);
      await announce('slower');
    });
    expect((await reader.readSnapshot())?.redirects.length).toBe(2);
    expect(reader.found()).toEqual(['slower:0', 'first:0', 'first:1']);
  });

  it('is not looked at while a snapshot can be served', async () => {
    const reader = createReader();
    const current = await encodeRuleset({ version: at(5), redirects: hosts(1) }, 1);
    await putWhole('current', current);
    await putSome('next', await encodeRuleset({ version: at(6), redirects: hosts(2) }, 1), 1);
    expect((await reader.readSnapshot())?.redirects.length).toBe(1);
    expect(reader.found()).toEqual(['current:0']);
  });
});

it('a delta in a format of a later version ends what is read, and leaves the snapshot alone', async () => {
  await putSnapshot('kept', 5);
  await putDelta(6);
  const json = JSON.stringify({ format: DELTA_FORMAT + 1 });
  await putDelta(7, `${sha256Of(json)} ${json}`);
  expect(await seqsAfter(5)).toEqual([6]);
  expect(await refused()).toBeNull();
});
