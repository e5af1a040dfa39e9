import { open, readdir, rm, stat, unlink } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { ALL_REDIRECTS } from '../../shared/hits/all-redirects.js';
import { decodeHitBatch, encodeHitBatch } from '../../shared/hits/hit-batch-codec.js';
import { ignoring } from '../../shared/process/error-facts.js';
import { lockState } from '../../shared/process/lock-file.js';
import type { HitDelivery } from './hit-delivery.js';
import { type HitTotals, readHitTotals, rewriteHitTotals } from './hit-totals-file.js';
import {
  lockPath,
  parseSegmentName,
  producerOfFile,
  type SegmentName,
  segmentPath,
  totalsPath,
} from './spool-files.js';
import { readSpoolRecord } from './spool-record.js';

export interface RecoveryStats {
  /** Bytes of leftover batches that are not delivered yet; undefined until they were searched. */
  leftoverBytes: number | undefined;
  /** Batches delivered. */
  recoveredBatches: number;
  /** Bytes that could not be read back. */
  damagedBytes: number;
  /** Hits that killed producers recorded and put into no batch. */
  lostHits: number;
}

/** Delivers the batches that ended producers left in the spool. */
export interface SpoolRecovery {
  readonly stats: Readonly<RecoveryStats>;
  /** Searches now and every 2 s, until `signal` is aborted. */
  run(signal: AbortSignal): Promise<void>;
}

export interface SpoolRecoveryDeps {
  readonly directory: string;
  /** The producer whose segments are never taken over. */
  readonly ownProducerId: string;
  readonly delivery: HitDelivery;
  readonly logger: Logger;
  /** Unix time in milliseconds. */
  readonly now: () => number;
}

/** Short, because the hits of former workers are missing in the statistics until they are found. */
const SCAN_INTERVAL_MS = 2_000;

interface Leftover {
  readonly producerId: string;
  /** Segments in writing order. */
  readonly segments: readonly SegmentName[];
}

/** Reports an ended producer's totals to the store when the store has not received all of its hits. */
interface ClosingBatch {
  /** Recorded hits that were neither counted as dropped nor put into a batch. */
  readonly lostHits: number;
  readonly encoded: Uint8Array;
}

/** Totals of a producer that has ended. */
interface EndedAccount {
  /**
   * Adds a batch that was found in the spool. It may have been written just before the end. Call this before the
   * spool deletes the batch: the process that takes over may be killed too.
   */
  find(encoded: Uint8Array): Promise<void>;
  /**
   * Returns undefined when batches hold everything that was recorded. Call it after `find` was called for every batch.
   */
  closingBatch(nowMs: number): ClosingBatch | undefined;
}

export function createSpoolRecovery(deps: SpoolRecoveryDeps): SpoolRecovery {
  const { directory, ownProducerId, delivery, logger, now } = deps;
  const stats: RecoveryStats = {
    leftoverBytes: undefined,
    recoveredBatches: 0,
    damagedBytes: 0,
    lostHits: 0,
  };

  /** Delivers the batches of one segment and deletes it. Returns false when the delivery was stopped. */
  const recoverSegment = async (filePath: string, account?: EndedAccount): Promise<boolean> => {
    const segment = await open(filePath, 'r').catch(ignoring('ENOENT'));
    if (segment === undefined) return true;
    try {
      const { size } = await segment.stat();
      let offset = 0;
      let damaged = 0;
      for (;;) {
        const record = await readSpoolRecord(segment, offset);
        if (record.kind === 'end') break;
        if (record.kind === 'torn') {
          damaged += size - offset;
          break;
        }
        if (record.kind === 'damaged') damaged += record.nextOffset - offset;
        else {
          await account?.find(record.payload);
          const outcome = await delivery.deliver(() => Promise.resolve(record.payload));
          if (outcome === 'stopped') return false;
          stats.recoveredBatches += 1;
        }
        offset = record.nextOffset;
      }
      if (damaged > 0)
        logger.warn({ filePath, bytes: damaged }, 'a part of the spool could not be read back');
      stats.damagedBytes += damaged;
      await rm(filePath, { force: true });
      stats.leftoverBytes = (stats.leftoverBytes ?? 0) - size;
      return true;
    } finally {
      await segment.close();
    }
  };

  /** Reports recorded hits without a batch to the store. Returns false when the delivery was stopped. */
  const closeAccount = async (producerId: string, account: EndedAccount | undefined): Promise<boolean> => {
    const closing = account?.closingBatch(now());
    if (closing !== undefined) {
      const outcome = await delivery.deliver(() => Promise.resolve(closing.encoded));
      if (outcome === 'stopped') return false;
    }
    // If two processes take over at the same time, as when workers are replaced, only one reports.
    const isOurs = await unlink(totalsPath(directory, producerId)).then(() => true, ignoring('ENOENT'));
    const lost = isOurs === true ? (closing?.lostHits ?? 0) : 0;
    stats.lostHits += lost;
    if (lost > 0) logger.error({ producerId, hits: lost }, 'hits were lost with a process that was killed');
    return true;
  };

  const recoverProducer = async ({ producerId, segments }: Leftover): Promise<void> => {
    const account = await takeOverAccount(producerId, totalsPath(directory, producerId)).catch(
      (error: unknown) => {
        // The batches matter more than the account.
        logger.warn({ err: error, producerId }, 'what an earlier run has counted could not be read');
        return undefined;
      },
    );
    for (const segment of segments) {
      if (!(await recoverSegment(segmentPath(directory, segment), account))) return;
    }
    if (!(await closeAccount(producerId, account))) return;
    await rm(lockPath(directory, producerId), { force: true });
    if (segments.length > 0)
      logger.info({ producerId }, 'delivered the hits that an earlier run left behind');
  };

  const scan = async (signal: AbortSignal): Promise<void> => {
    const leftovers = await findLeftovers(directory, ownProducerId);
    stats.leftoverBytes = await totalBytes(directory, leftovers);
    for (const leftover of leftovers) {
      if (signal.aborted) return;
      await recoverProducer(leftover).catch((error: unknown) => {
        logger.warn({ err: error, producerId: leftover.producerId }, 'leftover hits could not be read');
      });
    }
  };

  return {
    stats,
    async run(signal) {
      while (!signal.aborted) {
        await scan(signal).catch((error: unknown) =>
          logger.warn({ err: error }, 'the spool cannot be listed'),
        );
        // A folder that cannot be listed must not hide the files of this process.
        stats.leftoverBytes ??= 0;
        await delay(SCAN_INTERVAL_MS, undefined, { signal, ref: false }).catch(() => undefined);
      }
    },
  };
}

/** Returns the producers that left files and no longer run. */
async function findLeftovers(directory: string, ownProducerId: string): Promise<Leftover[]> {
  const fileNames = await readdir(directory);
  const segments = fileNames.map(parseSegmentName).filter((name) => name !== undefined);
  const producers = fileNames.map(producerOfFile).filter((name) => name !== undefined);
  const producerIds = new Set([...producers, ...segments.map((segment) => segment.producerId)]);
  producerIds.delete(ownProducerId);
  const leftovers: Leftover[] = [];
  for (const producerId of producerIds) {
    if ((await lockState(lockPath(directory, producerId))).state !== 'free') continue;
    const own = segments.filter((segment) => segment.producerId === producerId);
    leftovers.push({ producerId, segments: own.sort((a, b) => a.number - b.number) });
  }
  return leftovers;
}

async function totalBytes(directory: string, leftovers: readonly Leftover[]): Promise<number> {
  let bytes = 0;
  for (const segment of leftovers.flatMap((leftover) => leftover.segments)) {
    const found = await stat(segmentPath(directory, segment)).catch(() => undefined);
    bytes += found?.size ?? 0;
  }
  return bytes;
}

/** Takes over the account of a producer that has ended. Undefined without a complete one. Rejects on disk errors. */
async function takeOverAccount(producerId: string, filePath: string): Promise<EndedAccount | undefined> {
  const left = await readHitTotals(filePath);
  if (left === undefined) return undefined;
  let totals = left;

  return {
    async find(encoded) {
      const decoded = decodeHitBatch(encoded);
      if (!decoded.ok || decoded.batch.sequence <= totals.sequence) return;
      const { sequence, hitCount } = decoded.batch;
      totals = { ...totals, sequence, kept: totals.kept + hitCount };
      // Without this file, another process has closed the account and reports the loss.
      await rewriteHitTotals(filePath, totals);
    },
    closingBatch: (nowMs) => closingBatch(producerId, totals, nowMs),
  };
}

/** The store keeps the greatest totals, so late and repeated reports are harmless. */
function closingBatch(
  producerId: string,
  { recorded, dropped, kept, sequence }: HitTotals,
  nowMs: number,
): ClosingBatch | undefined {
  if (recorded <= kept) return undefined;
  const encoded = encodeHitBatch({
    producerId,
    sequence: sequence + 1,
    firstOrdinal: kept + 1,
    hitCount: 0,
    createdAtMs: nowMs,
    counters: [{ redirectId: ALL_REDIRECTS, requests: 0, recorded, dropped }],
    ruleCounters: [],
    block: new Uint8Array(),
  });
  return { lostHits: Math.max(0, recorded - dropped - kept), encoded };
}
