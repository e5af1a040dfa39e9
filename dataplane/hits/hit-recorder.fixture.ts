import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pino } from 'pino';
import { expect, onTestFinished, vi } from 'vitest';
import type { HitBatch, HitSink } from '../../shared/hits/hit-batch.js';
import { decodeHitBatch } from '../../shared/hits/hit-batch-codec.js';
import { hitRowsIn } from '../../shared/hits/hit-block.fixture.js';
import { ownProcessMark } from '../../shared/process/process-mark.js';
import { createDeviceDetection } from '../../shared/visitor/device.js';
import type { Places } from '../../shared/visitor/place.js';
import { createHitRecorder, type HitRecorder, type HitRecorderDeps } from './hit-recorder.js';

/** A store in memory that can fail or delay. */
export interface TestSink extends HitSink {
  /** Acknowledged batches in order, repetitions included. */
  readonly received: HitBatch[];
  readonly encoded: Uint8Array[];
  /** Calls of `deliver`, failed ones included. */
  readonly attempts: number;
  /** The next `count` deliveries fail. */
  failNext(count: number): void;
  /** Deliveries wait until `resume`. */
  pause(): void;
  resume(): void;
}

export function createTestSink(): TestSink {
  const received: HitBatch[] = [];
  const encodedBatches: Uint8Array[] = [];
  let failures = 0;
  let attempts = 0;
  let resumed: PromiseWithResolvers | undefined;
  return {
    received,
    encoded: encodedBatches,
    get attempts() {
      return attempts;
    },
    failNext(count) {
      failures = count;
    },
    pause() {
      resumed ??= withResolvers();
    },
    resume() {
      resumed?.resolve();
      resumed = undefined;
    },
    async deliver(encoded) {
      attempts += 1;
      await resumed?.promise;
      if (failures > 0) {
        failures -= 1;
        throw new Error('the store is not to be reached');
      }
      const decoded = decodeHitBatch(encoded);
      if (!decoded.ok) throw new Error(decoded.reason);
      received.push(decoded.batch);
      encodedBatches.push(encoded);
    },
  };
}

interface PromiseWithResolvers {
  readonly promise: Promise<void>;
  resolve(): void;
}

function withResolvers(): PromiseWithResolvers {
  let resolve = () => {};
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

/** An address in the only known place of these recorders. */
export const SOUTH_POLE = '198.51.100.90';

const places: Places = {
  placeOf: (address) => ({
    country: address === SOUTH_POLE ? 'AQ' : undefined,
    region: undefined,
    city: undefined,
  }),
};

/** A visitor's address at which `NOT_OF_BAD_ADDRESS` fails. */
export const BAD_ADDRESS = '198.51.100.13';

export const NOT_OF_BAD_ADDRESS: Places = {
  placeOf(address) {
    if (address === BAD_ADDRESS) throw new Error('the database of places is damaged');
    return places.placeOf(address);
  },
};

/** A recorder that flushes quickly and is stopped when the test ends. */
export function newRecorder(deps: Pick<HitRecorderDeps, 'sink' | 'dataDir'> & Partial<HitRecorderDeps>) {
  const recorder = createHitRecorder({
    secretKey: Buffer.from('a secret of an installation'),
    places,
    detectDevice: createDeviceDetection(),
    flushIntervalMs: 5,
    logger: pino({ level: 'silent' }),
    ...deps,
    limits: { stopTimeoutMs: 20_000, ...deps.limits },
  });
  onTestFinished(() => recorder.stop());
  return recorder;
}

/** Answers `count` requests of a redirect and records each. Returns how many found room. */
export function recordHits(
  recorder: HitRecorder,
  redirectId: string,
  count: number,
  path = () => '/',
): number {
  const tally = recorder.tallyOf(redirectId);
  let taken = 0;
  for (let index = 0; index < count; index += 1) {
    recorder.countRequest(tally);
    const slot = recorder.claim(tally, redirectId, 1);
    if (slot === undefined) continue;
    slot.path = path();
    slot.userAgent = 'Firefox';
    slot.address = '203.0.113.77';
    taken += 1;
  }
  return taken;
}

/** A path that stays longer than 1,500 bytes when compressed. */
export function incompressiblePath(): string {
  return `/${randomBytes(1_500).toString('base64url')}`;
}

/** Waits until the statistics of a recorder have these values. */
export async function untilStats(recorder: HitRecorder, stats: object): Promise<void> {
  await vi.waitFor(() => expect(recorder.stats()).toMatchObject(stats), { interval: 5 });
}

/** Returns the ids of all hits in the batches, in order. */
export function hitIds(batches: readonly HitBatch[]): string[] {
  return batches.flatMap(({ block }) =>
    hitRowsIn(block).map(({ producer_id, ordinal }) => `${producer_id}-${ordinal}`),
  );
}

/** Returns what a store keeps of the batches: the first one of each producer and sequence. */
export function storedOnce(batches: readonly HitBatch[]): HitBatch[] {
  const byName = new Map(batches.map((batch) => [`${batch.producerId} ${batch.sequence}`, batch]));
  return [...byName.values()];
}

/**
 * Makes the producers in `dataDir` look killed: their locks name a process that has ended. (They still run in this
 * process; their sinks must be paused.)
 */
export async function markKilled(dataDir: string): Promise<void> {
  const { pid } = spawnSync(process.execPath, ['--version']);
  const mark = { ...(await ownProcessMark()), pid };
  for (const file of await spoolFiles(dataDir, '.lock')) await writeFile(file, JSON.stringify(mark));
}

/** Paths of the spool's files, sorted. */
export async function spoolFiles(
  dataDir: string,
  suffix: '.spool' | '.lock' | '.totals' | '',
): Promise<string[]> {
  const folder = path.join(dataDir, 'hits');
  const names = await readdir(folder);
  return names
    .filter((name) => name.endsWith(suffix))
    .map((name) => path.join(folder, name))
    .sort();
}
