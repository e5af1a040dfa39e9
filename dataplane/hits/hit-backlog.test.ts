import { mkdir, readdir, rm } from 'node:fs/promises';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../temporary-folder.fixture.js';
import { createHitBacklog, type HitBacklog } from './hit-backlog.js';
import { createHitSpool } from './hit-spool.js';

const BATCH_BYTES = 100;
const { signal } = new AbortController();

/** A backlog with room for three batches in memory and, with their framing, five on disk. */
async function newBacklog() {
  const directory = await temporaryFolder();
  const backlog = createHitBacklog({
    spool: createHitSpool({ directory, producerId: 'producer00000001', segmentBytes: 10_000 }),
    logger: pino({ level: 'silent' }),
    leftoverBytes: () => 0,
    maxBatchBytes: BATCH_BYTES,
    maxSpoolBytes: 5 * BATCH_BYTES + 50,
    maxMemoryBytes: 3 * BATCH_BYTES,
    diskRetryIntervalMs: 1,
  });
  return { directory, backlog };
}

const batchOf = (sequence: number) => Buffer.alloc(BATCH_BYTES, sequence);

async function append(backlog: HitBacklog, from: number, to: number): Promise<void> {
  for (let sequence = from; sequence <= to; sequence += 1) {
    await backlog.append({ sequence, hitCount: 1, encoded: batchOf(sequence) });
  }
}

/** Where the batches are, oldest first, taking them all away. */
async function takeAll(backlog: HitBacklog): Promise<string[]> {
  const places: string[] = [];
  while (!backlog.isEmpty) {
    const batch = (await backlog.oldest(signal))!;
    expect(await backlog.bytesOf(batch)).toEqual(batchOf(batch.sequence));
    places.push([batch.position && 'disk', batch.encoded && 'memory'].filter(Boolean).join('+'));
    await backlog.removeOldest();
  }
  return places;
}

/** Whether there is room, without waiting for it. */
async function hasRoom(backlog: HitBacklog): Promise<boolean> {
  return await Promise.race([
    backlog.untilRoom(signal),
    new Promise<boolean>((resolve) => setImmediate(resolve, false)),
  ]);
}

describe('the backlog', () => {
  it('holds copies in memory up to a bound, and in memory alone what the disk has no room for', async () => {
    const { backlog } = await newBacklog();
    await append(backlog, 1, 8);
    expect(await hasRoom(backlog)).toBe(false);
    const both = 'disk+memory';
    expect(await takeAll(backlog)).toEqual([both, both, both, 'disk', 'disk', 'memory', 'memory', 'memory']);
    expect(await hasRoom(backlog)).toBe(true);
    await append(backlog, 9, 9);
    expect(await takeAll(backlog), 'all room is there again').toEqual([both]);
  });

  it('wakes who waits for room as soon as a batch is gone', async () => {
    const { backlog } = await newBacklog();
    await append(backlog, 1, 8);
    const room = backlog.untilRoom(signal);
    await takeAll(backlog);
    expect(await room).toBe(true);
  });

  it('counts a failing disk as no room, until it works again', async () => {
    const { directory, backlog } = await newBacklog();
    await rm(directory, { recursive: true });
    await append(backlog, 1, 3);
    expect(backlog.spoolErrors).toBe(3);
    expect(await hasRoom(backlog)).toBe(false);
    expect(await takeAll(backlog)).toEqual(['memory', 'memory', 'memory']);
    expect(await hasRoom(backlog)).toBe(true);
  });

  it('has room again as soon as the disk works, also while nothing is delivered', async () => {
    const { directory, backlog } = await newBacklog();
    await rm(directory, { recursive: true });
    await append(backlog, 1, 3);
    const room = backlog.untilRoom(signal);
    await mkdir(directory);
    expect(await room).toBe(true);
    await append(backlog, 4, 6);
    expect(backlog.spoolErrors).toBe(3);
    const both = 'disk+memory';
    expect(await takeAll(backlog)).toEqual(['memory', 'memory', both, both, both, 'disk']);
    expect(await readdir(directory)).toEqual([]);
  });

  it('gives up what only memory has, and nothing else', async () => {
    const { backlog } = await newBacklog();
    await append(backlog, 1, 8);
    expect(backlog.abandonUnspooled()).toBe(3);
    expect(backlog.hitCount).toBe(5);
  });

  it('ends all waiting with the signal', async () => {
    const { backlog } = await newBacklog();
    const ending = new AbortController();
    const oldest = backlog.oldest(ending.signal);
    await append(backlog, 1, 8);
    expect((await oldest)?.sequence).toBe(1);
    const waiting = [backlog.untilRoom(ending.signal), backlog.untilEmpty(ending.signal)];
    ending.abort();
    expect(await Promise.all(waiting)).toEqual([false, undefined]);
    expect(await backlog.oldest(ending.signal)).toBeUndefined();
  });
});
