import { randomUUID } from 'node:crypto';
import pino from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type RedisServer, startRedisServer } from '../../shared/process/redis-server.fixture.js';
import { encodeRuleset } from '../../shared/ruleset/encoded-ruleset.fixture.js';
import type { RedirectDefinition } from '../../shared/ruleset/redirect-definition.js';
import { type RedisKeys, redisKeys } from '../../shared/ruleset/redis-keys.js';
import { encodeChunks } from '../../shared/ruleset/ruleset-chunk.js';
import { parseUnfinished } from '../../shared/ruleset/ruleset-codec.js';
import { countHostsInRedis } from './redis-hosts.js';
import { createRedisLease } from './redis-lease.js';
import { connectRedis } from './redis-publishing.js';
import {
  createRedisRulesetStore,
  type RedisRulesetStore,
  type SnapshotPlace,
} from './redis-ruleset-store.js';

const EPOCH = 100;
let server: RedisServer;
let redis: ReturnType<typeof connectRedis>;
let keys: RedisKeys;
let store: RedisRulesetStore;

beforeAll(async () => {
  server = await startRedisServer();
  redis = connectRedis(server.url, pino({ level: 'silent' }));
  await vi.waitFor(() => expect(redis.status).toBe('ready'), { timeout: 60_000 });
});
afterAll(async () => {
  redis.disconnect();
  await server.remove();
});
beforeEach(() => {
  keys = redisKeys(`test-${randomUUID()}`);
  store = createRedisRulesetStore(redis, keys);
});

function redirect(host: string, destination = 'https://new.example'): RedirectDefinition {
  return {
    id: host,
    host,
    destination,
    redirectType: 'permanent',
    pathForwarding: false,
    queryForwarding: false,
    samplingRate: 1,
  };
}

const snapshot = (epoch: number, seq: number, redirects = [redirect('a.example')]) => ({
  version: { epoch, seq },
  redirects,
});
const delta = (previousSeq: number, seq: number, destination?: string) => ({
  version: { epoch: EPOCH, seq },
  previousSeq,
  changes: [{ host: 'b.example', redirect: redirect('b.example', destination) }],
});
/** Writes a snapshot with `into`, as a control plane does. */
async function writeSnapshot(
  whole: ReturnType<typeof snapshot>,
  place: SnapshotPlace,
  into: RedisRulesetStore = store,
): Promise<boolean> {
  const { manifest, chunks } = await encodeRuleset(whole);
  const id = randomUUID();
  for (const [index, chunk] of chunks.entries()) await into.writeChunk(id, chunk, index);
  return into.switchTo({ ...manifest, id }, place);
}

const write = (seq: number) => writeSnapshot(snapshot(EPOCH, seq), { replaces: undefined });

/** The keys of chunks there are, each with the seconds it stays; -1 for those that stay. */
async function chunks() {
  const names = await redis.keys(`${keys.chunks}*`);
  return Promise.all(names.map((name) => redis.ttl(name)));
}

describe('a delta', () => {
  it('is appended where it begins, and only there', async () => {
    await write(5);
    expect(await store.append(delta(5, 6))).toBe(true);
    expect(await store.append(delta(5, 7))).toBe(false);
    expect(await store.append(delta(7, 8))).toBe(false);
    expect(await store.readHead()).toEqual({ epoch: EPOCH, seq: 6 });
    expect(await redis.xlen(keys.log)).toBe(1);
  });

  it('finds nothing to follow on where Redis is empty', async () => {
    expect(await store.append(delta(0, 1))).toBe(false);
    expect(await store.readHead()).toBeUndefined();
  });

  it('is told of when it can be read', async () => {
    await write(5);
    const subscriber = redis.duplicate();
    await vi.waitFor(() => expect(subscriber.status).toBe('ready'), { timeout: 60_000 });
    const heads: (string | null)[] = [];
    subscriber.on('message', async (_channel: string, hint: string) =>
      heads.push(hint, await redis.get(keys.head)),
    );
    await subscriber.subscribe(keys.hints);
    await store.append(delta(5, 6));
    await vi.waitFor(() => expect(heads).toEqual(['100.6', '100.6']), { timeout: 60_000 });
    subscriber.disconnect();
  });

  it('pushes old ones out of a log of 10,000', async () => {
    await write(0);
    for (let seq = 0; seq < 10_050; seq += 1) await store.append(delta(seq, seq + 1));
    expect(await redis.xlen(keys.log)).toBe(10_000);
    expect((await redis.xrange(keys.log, '-', '+', 'COUNT', 1))[0]?.[0]).toBe(`${EPOCH}-51`);
  });

  it('pushes old ones out of a log of 16 MiB', async () => {
    await write(0);
    const long = `https://new.example/${'x'.repeat(1024 * 1024)}`;
    for (let seq = 0; seq < 20; seq += 1) await store.append(delta(seq, seq + 1, long));
    expect(await redis.xlen(keys.log)).toBe(15);
    expect(Number(await redis.hget(keys.logSize, 'bytes'))).toBeLessThan(16 * 1024 * 1024);
  });
});

describe('a snapshot', () => {
  it('is named with its first chunk, until it is current', async () => {
    const { manifest, chunks } = await encodeRuleset(snapshot(EPOCH, 5));
    const id = randomUUID();
    const named = async () => parseUnfinished((await redis.get(keys.unfinishedSnapshot)) ?? '');
    for (const [index, chunk] of chunks.entries()) await store.writeChunk(id, chunk, index);
    expect(await named()).toBe(id);
    expect(await redis.ttl(keys.unfinishedSnapshot)).toBeGreaterThan(0);
    await store.switchTo({ ...manifest, id }, { replaces: undefined });
    expect(await named()).toBeUndefined();
  });

  it('replaces everything, if nothing has come before it', async () => {
    await write(5);
    await store.append(delta(5, 6));
    const next = snapshot(EPOCH + 1, 0);
    expect(await writeSnapshot(next, { replaces: { epoch: EPOCH, seq: 5 } })).toBe(false);
    expect(await store.readHead()).toEqual({ epoch: EPOCH, seq: 6 });
    expect(await writeSnapshot(next, { replaces: { epoch: EPOCH, seq: 6 } })).toBe(true);
    expect(await store.readHead()).toEqual({ epoch: EPOCH + 1, seq: 0 });
    expect(await redis.exists(keys.log)).toBe(0);
  });

  it('joins a log that goes on meanwhile, but not one of another epoch, nor behind a newer snapshot', async () => {
    await write(5);
    await store.append(delta(5, 6));
    await store.append(delta(6, 7));
    expect(await writeSnapshot(snapshot(EPOCH, 6), 'joins the log')).toBe(true);
    expect(await redis.hget(keys.snapshot, 'seq')).toBe('6');
    expect(await writeSnapshot(snapshot(EPOCH, 5), 'joins the log')).toBe(false);
    expect(await writeSnapshot(snapshot(EPOCH - 1, 900), 'joins the log')).toBe(false);
    expect(await redis.hget(keys.snapshot, 'seq')).toBe('6');
    expect(await store.readHead()).toEqual({ epoch: EPOCH, seq: 7 });
    expect(await redis.xlen(keys.log)).toBe(2);
  });

  it('stays, while the chunks of the one before go in a minute and those of one that lost go by themselves', async () => {
    await write(5);
    expect(await chunks()).toEqual([-1]);
    await writeSnapshot(snapshot(EPOCH, 6), 'joins the log');
    await writeSnapshot(snapshot(EPOCH, 1), 'joins the log');
    const [current, before, lost] = (await chunks()).sort((a, b) => a - b);
    expect(current).toBe(-1);
    expect(before).toBeGreaterThan(0);
    expect(before).toBeLessThanOrEqual(60);
    expect(lost).toBeLessThanOrEqual(1_800);
  });

  it('leaves no chunk for good when Redis has lost one of them meanwhile', async () => {
    const losing: typeof redis = Object.create(redis, {
      eval: {
        async value(...call: Parameters<typeof redis.eval>) {
          const names = await redis.keys(`${keys.chunks}*:1`);
          await redis.del(names);
          return redis.eval(...call);
        },
      },
    });
    // Two chunks, of which the second is lost.
    const redirects = Array.from({ length: 101 }, (_, index) => redirect(`host-${index}.example`));
    const losingStore = createRedisRulesetStore(losing, keys);
    const written = writeSnapshot(snapshot(EPOCH, 5, redirects), { replaces: undefined }, losingStore);
    expect(await written).toBe(false);
    expect(await store.readHead()).toBeUndefined();
    expect(await chunks()).toEqual([expect.toSatisfy((seconds: number) => seconds > 0)]);
  });

  it('is made longer, and newer, by one who knows all of it', async () => {
    await write(5);
    await store.append(delta(5, 6));
    const manifest = (await store.readManifest())!;
    const [chunk] = await encodeChunks(delta(5, 6).changes);
    const longer = {
      ...manifest,
      version: { epoch: EPOCH, seq: 6 },
      count: 2,
      appended: 1,
      chunks: [...manifest.chunks, chunk!.sha256],
    };
    expect(await store.lengthen(longer, [chunk!])).toBe(true);
    expect(await store.readManifest()).toEqual(longer);
    expect(await redis.hmget(keys.snapshot, 'seq', 'chunks')).toEqual(['6', '2']);
    expect(await countHostsInRedis(redis, keys)).toBe(2);
    // Another control plane that knew the shorter one comes too late.
    expect(await store.lengthen(longer, [chunk!])).toBe(false);
    expect(await chunks()).toEqual([-1, -1]);
  });

  it('is not made longer when a data plane has refused it, or the release before wrote it', async () => {
    await write(5);
    const manifest = (await store.readManifest())!;
    await redis.set(keys.refusedSnapshot, manifest.id);
    expect(await store.readManifest()).toBeUndefined();
    await redis.del(keys.refusedSnapshot);
    await redis.hset(keys.snapshot, 'manifest', JSON.stringify({ ...manifest, format: 1 }));
    expect(await store.readManifest()).toBeUndefined();
  });

  it('is to be made again when it is gone, refused, old, or out of the log’s reach, and else is not', async () => {
    expect(await store.snapshotFault()).toBe('missing');
    await write(0);
    expect(await store.snapshotFault()).toBeUndefined();
    await redis.set(keys.refusedSnapshot, (await redis.hget(keys.snapshot, 'id')) ?? '');
    expect(await store.snapshotFault()).toBe('refused by a data plane');
    await redis.del(keys.refusedSnapshot);
    await store.append(delta(0, 1));
    await store.append(delta(1, 2));
    expect(await store.snapshotFault()).toBeUndefined();
    await redis.xdel(keys.log, `${EPOCH}-1`);
    expect(await store.snapshotFault()).toBe('the log does not reach back to it');
    await writeSnapshot(snapshot(EPOCH, 2), 'joins the log');
    for (let seq = 2; seq < 2_003; seq += 1) await store.append(delta(seq, seq + 1));
    expect(await store.snapshotFault()).toBe('old');
    await writeSnapshot(snapshot(EPOCH, 2_003), 'joins the log');
    expect(await store.snapshotFault()).toBeUndefined();
  });
});

describe('a lease', () => {
  it('is held by one, and goes to another when it is released', async () => {
    const [one, other] = [createRedisLease(redis, keys.leader), createRedisLease(redis, keys.leader)];
    await one.hold();
    await other.hold();
    expect([one.held, other.held]).toEqual([true, false]);
    await other.release();
    await one.hold();
    expect(one.held).toBe(true);
    await one.release();
    await other.hold();
    expect(other.held).toBe(true);
  });

  it('runs out', async () => {
    const lease = createRedisLease(redis, keys.leader);
    await lease.hold();
    expect(await redis.pttl(keys.leader)).toBeGreaterThan(0);
    expect(await redis.pttl(keys.leader)).toBeLessThanOrEqual(5_000);
  });
});

describe('a connection', () => {
  it('logs why each attempt fails, and never the password', async () => {
    const lines: string[] = [];
    const logger = pino({ level: 'trace' }, { write: (line: string) => lines.push(line) });
    const connection = connectRedis(server.url.replace('redis://', 'redis://nobody:secret-word@'), logger);
    let failures = 0;
    connection.on('error', () => {
      failures += 1;
    });
    await vi.waitFor(() => expect(failures).toBeGreaterThan(1), { timeout: 60_000 });
    connection.disconnect();
    const told = lines.filter((line) => line.includes('rulesets cannot be published through Redis'));
    expect(told).toHaveLength(failures);
    expect(told[0]).toContain('REDIS_URL has a user name or password that Redis refuses (WRONGPASS');
    expect(lines.join()).not.toContain('secret-word');
  });
});
