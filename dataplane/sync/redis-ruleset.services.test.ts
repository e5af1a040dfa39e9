import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type RedisServer, startRedisServer } from '../../shared/process/redis-server.fixture.js';
import { type RedisKeys, redisKeys } from '../../shared/ruleset/redis-keys.js';
import { encodeDelta, encodeManifest, RULESET_FORMAT, sha256Of } from '../../shared/ruleset/ruleset-codec.js';
import { createRedisRuleset, type RedisRuleset } from './redis-ruleset.js';

const EPOCH = 100;
const at = (seq: number) => ({ epoch: EPOCH, seq });
let server: RedisServer;
let redis: Redis;
let keys: RedisKeys;
let ruleset: RedisRuleset;

beforeAll(async () => {
  server = await startRedisServer();
  redis = new Redis(server.url);
});
afterAll(async () => {
  redis.disconnect();
  await server.remove();
});
beforeEach(() => {
  keys = redisKeys(`test-${randomUUID()}`);
  ruleset = createRedisRuleset(redis, keys);
});

const manifestOf = (id: string, seq: number) =>
  encodeManifest({
    format: RULESET_FORMAT,
    id,
    version: at(seq),
    count: 0,
    sha256: sha256Of(''),
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
});

describe('a snapshot', () => {
  it.each([
    ['no JSON', '{"format":', 'it is no JSON'],
    ['malformed', JSON.stringify({ format: RULESET_FORMAT, id: 'damaged' }), 'is malformed'],
    ['missing', '', 'it is no JSON'],
    ['that of another one', manifestOf('other', 5), 'that of another one'],
  ])('whose manifest is %s is refused, and the control plane is told so', async (_what, manifest, words) => {
    await putSnapshot('damaged', 5, manifest);
    await expect(ruleset.readSnapshot()).rejects.toThrow(words);
    expect(await refused()).toBe('damaged');
  });

  it('in a format of a later version is left to those who know it', async () => {
    await putSnapshot('later', 5, JSON.stringify({ format: RULESET_FORMAT + 1 }));
    await expect(ruleset.readSnapshot()).rejects.toThrow('of a format not known here');
    expect(await refused()).toBeNull();
  });

  it('that there is none of is nothing to be told', async () => {
    expect(await ruleset.readSnapshot()).toBeUndefined();
    expect(await refused()).toBeNull();
  });
});

it('a delta in a format of a later version ends what is read, and leaves the snapshot alone', async () => {
  await putSnapshot('kept', 5);
  await putDelta(6);
  const json = JSON.stringify({ format: RULESET_FORMAT + 1 });
  await putDelta(7, `${sha256Of(json)} ${json}`);
  expect(await seqsAfter(5)).toEqual([6]);
  expect(await refused()).toBeNull();
});
