import type { Redis } from 'ioredis';
import type { Logger } from 'pino';
import { createCoalescer } from '../../shared/async/coalescer.js';
import { isPageKey } from '../../shared/paths/published-paths.js';
import { redisKeys } from '../../shared/ruleset/redis-keys.js';
import { describeRedisError } from '../../shared/ruleset/redis-options.js';
import type { RulesetDelta } from '../../shared/ruleset/ruleset-feed.js';
import type { RulesetVersion } from '../../shared/ruleset/ruleset-version.js';
import { type PublicationGuard, PublicationRefused } from './publication-guard.js';
import { countHostsInRedis } from './redis-hosts.js';
import { createRedisLease } from './redis-lease.js';
import { createRedisRulesetStore, type SnapshotPlace } from './redis-ruleset-store.js';
import { createRedisSnapshots } from './redis-snapshots.js';
import type { RulesetBuilder } from './ruleset-builder.js';
import { versionBetween } from './ruleset-head.js';
import type { RulesetOutbox } from './ruleset-outbox.js';
import { MAX_CHANGES_PER_DELTA, type ReadDelta, type RulesetRepository } from './ruleset-repository.js';

/** Maximum number of lost races. In each, another control plane has updated Redis. */
const MOST_RACES = 20;
const HEARTBEAT_INTERVAL_MS = 1_000;
/** Minimum time between snapshots for the same fault, if the first one did not repair it. */
const REPAIR_PAUSE_MS = 5_000;
/** Name for the guard's messages. */
const PLACE = 'the ruleset in Redis';

export interface RedisPublicationDeps {
  readonly redis: Redis;
  readonly repository: RulesetRepository;
  readonly builder: RulesetBuilder;
  readonly guard: Pick<PublicationGuard, 'admit' | 'clear' | 'refusal'>;
  readonly outbox: Pick<RulesetOutbox, 'onCommitted'>;
  readonly logger: Logger;
  readonly keyPrefix?: string;
}

export interface RedisPublicationStats {
  /** Whether this process writes the heartbeat and the snapshot. */
  readonly leads: boolean;
  readonly deltasAppended: number;
  readonly snapshotsWritten: number;
  /** Number of writes that another control plane made first. */
  readonly racesLost: number;
  readonly failures: number;
  /** Unix time in milliseconds since when Redis has been behind; undefined while it is not. */
  readonly behindSinceMs: number | undefined;
  /** Unix time in milliseconds of this process's last heartbeat. */
  readonly lastHeartbeatMs: number | undefined;
}

/** Delay after which Redis counts as behind. */
const DELAYED_AFTER_MS = 5_000;

/**
 * Writes committed changes to Redis, where data planes read them; see decision 0004. Every process appends pending
 * changes immediately after its own commits. The leader also appends changes that other processes left, maintains the
 * snapshot, and confirms every second that the head is the newest.
 */
export interface RedisPublication {
  start(): void;
  /** Finishes running work and releases the lead. Does not close the connection. Never rejects. */
  stop(): Promise<void>;
  stats(): RedisPublicationStats;
  /** Returns the reason, for operators, why changes do not reach Redis within seconds; undefined while they do. */
  delay(): string | undefined;
}

export function createRedisPublication(deps: RedisPublicationDeps): RedisPublication {
  const { redis, repository, builder, guard, outbox, logger } = deps;
  const keys = redisKeys(deps.keyPrefix);
  const store = createRedisRulesetStore(redis, keys);
  const snapshots = createRedisSnapshots({ store, repository, builder, logger });
  const lease = createRedisLease(redis, keys.leader);
  const totals = { deltasAppended: 0, snapshotsWritten: 0, racesLost: 0, failures: 0 };
  const rounds = createCoalescer(runOnceOrFail);
  let beatDue = false;
  let stopped = true;
  let timer: NodeJS.Timeout | undefined;
  let behindSinceMs: number | undefined;
  let lastHeartbeatMs: number | undefined;
  let lastRepairMs = Number.NEGATIVE_INFINITY;
  let lastProblem: string | undefined;
  /** Whether the last round failed: Redis is away, or refuses writes. */
  let isInTrouble = false;
  /**
   * Version up to which Redis has all changes, as far as this process knows. A wrong value only makes the comparison
   * there fail.
   */
  let published: RulesetVersion | undefined;
  /**
   * The running write of a snapshot. It runs in parallel to the rounds, because a large snapshot takes long and the
   * lease must still be renewed.
   */
  let writing: Promise<void> | undefined;

  /** @returns the version up to which Redis now has all changes; undefined while the leader writes a snapshot */
  async function bringUpToDate(): Promise<RulesetVersion | undefined> {
    for (let races = 0; races < MOST_RACES; ) {
      // Redis first: its content was committed, so the database's later answer cannot be older.
      published ??= await store.readHead();
      const delta = published && (await repository.readDelta(published, MAX_CHANGES_PER_DELTA));
      await admit(published, delta);
      if (published === undefined || delta === undefined || !store.fits(delta)) {
        const place = { replaces: published };
        published = undefined;
        if (lease.held) void write(place);
        return undefined;
      }
      const isFirst = await carry(delta, published);
      published = isFirst ? delta.version : undefined;
      if (isFirst && !delta.hasMore) return published;
      if (isFirst) continue;
      races += 1;
      totals.racesLost += 1;
    }
    throw new Error('other control planes were always quicker');
  }

  /**
   * Checks the database if no delta continues the version in Redis: it may be the wrong database, or have lost
   * commits.
   *
   * @throws {PublicationRefused} when nothing may be published
   */
  async function admit(before: RulesetVersion | undefined, delta: ReadDelta | undefined): Promise<void> {
    if (before === undefined || delta !== undefined) guard.clear(PLACE);
    else {
      const hosts = () => countHostsInRedis(redis, keys);
      await guard.admit({ place: PLACE, version: before, hosts });
    }
    if (guard.refusal !== undefined) throw new PublicationRefused(guard.refusal);
  }

  /** @returns false when another control plane was faster */
  async function carry(delta: ReadDelta, since: RulesetVersion): Promise<boolean> {
    if (delta.changes.length === 0) return true;
    for (const piece of piecesOf(delta, since)) {
      if (!(await store.append(piece))) return false;
      totals.deltasAppended += 1;
    }
    return true;
  }

  /** Writes the snapshot, unless a write is running. Never rejects. */
  function write(place: SnapshotPlace): Promise<void> {
    writing ??= writeOnce(place)
      .catch(failed)
      .finally(() => {
        writing = undefined;
      });
    return writing;
  }

  async function writeOnce(place: SnapshotPlace): Promise<void> {
    if ((await snapshots.write(place)) === undefined) totals.racesLost += 1;
    else totals.snapshotsWritten += 1;
    // Publishes the changes made during the write, and reports the recovery.
    if (!stopped) beat();
  }

  async function keepSnapshot(): Promise<void> {
    // Not the Unix time, because it may be set back.
    const nowMs = performance.now();
    if (writing !== undefined || nowMs - lastRepairMs < REPAIR_PAUSE_MS) return;
    const reason = await store.snapshotFault();
    if (reason === undefined) return;
    lastRepairMs = nowMs;
    logger.debug({ reason }, 'the ruleset snapshot in Redis is due');
    void write('joins the log');
  }

  async function runOnce(): Promise<void> {
    const isBeat = beatDue;
    beatDue = false;
    behindSinceMs ??= Date.now();
    if (isBeat) {
      // Redis may have lost its data.
      published = undefined;
      await lease.hold();
    }
    const head = await bringUpToDate();
    if (head === undefined) return;
    behindSinceMs = undefined;
    isInTrouble = false;
    lastProblem = undefined;
    if (!isBeat || !lease.held) return;
    await store.beat(head);
    lastHeartbeatMs = Date.now();
    await keepSnapshot();
  }

  async function runOnceOrFail(): Promise<void> {
    try {
      await runOnce();
    } catch (error) {
      published = undefined;
      isInTrouble = true;
      // The guard has reported this already.
      if (!(error instanceof PublicationRefused)) failed(error);
    }
  }

  function failed(error: unknown): void {
    totals.failures += 1;
    const problem = describeRedisError(error);
    if (problem === lastProblem) return;
    lastProblem = problem;
    logger.error({ problem }, 'publishing rulesets through Redis failed; trying again every second');
  }

  function beat(): void {
    beatDue = true;
    void rounds.request();
  }

  outbox.onCommitted(async () => {
    if (stopped) return;
    const carried = rounds.request();
    // Callers do not wait for a Redis that is known to be unreachable.
    if (isInTrouble) return;
    await carried;
    await writing;
  });

  function delay(): string | undefined {
    const behindMs = behindSinceMs === undefined ? 0 : Date.now() - behindSinceMs;
    if (behindMs < DELAYED_AFTER_MS) return undefined;
    const progress = builder.progress();
    const reason =
      progress === undefined
        ? (lastProblem ?? 'changes are being written')
        : `the ruleset is being built, ${progress.redirects} of ${progress.of} redirects`;
    return `Publishing is delayed: Redis has been behind for ${Math.round(behindMs / 1_000)} s (${reason}). Data planes read changes over HTTP where they can.`;
  }

  return {
    delay,
    start() {
      stopped = false;
      timer = setInterval(beat, HEARTBEAT_INTERVAL_MS);
      timer.unref();
      redis.on('ready', beat);
      beat();
    },
    async stop() {
      stopped = true;
      clearInterval(timer);
      redis.off('ready', beat);
      await rounds.stop();
      await writing;
      await lease.release();
    },
    stats: () => ({ ...totals, leads: lease.held, behindSinceMs, lastHeartbeatMs }),
  };
}

/** Maximum changes of a piece. A data plane needs about 2 ms to apply them. Visitors wait for that time. */
const MAX_CHANGES_PER_PIECE = 200;

/**
 * Cuts a delta into deltas that follow each other. It stays whole if a host changed twice, because a piece must have the
 * last state of each host that changed since its beginning. It also stays whole if it has pages of paths, which change in
 * one step with their redirect.
 *
 * @param since the version that the delta leads on from
 */
export function piecesOf(delta: ReadDelta, since: RulesetVersion): readonly RulesetDelta[] {
  const { version, changes, commits } = delta;
  const isOnePerChange = changes.length === version.seq - since.seq;
  const isShort = changes.length <= MAX_CHANGES_PER_PIECE;
  if (isShort || !isOnePerChange || changes.some(({ host }) => isPageKey(host))) return [delta];
  const pieces: RulesetDelta[] = [];
  let before = since;
  for (let start = 0; start < changes.length; start += MAX_CHANGES_PER_PIECE) {
    const end = Math.min(start + MAX_CHANGES_PER_PIECE, changes.length);
    const at = { seq: since.seq + end, commit: commits[end - 1] ?? null };
    const after =
      end === changes.length ? version : versionBetween(since, version, at, changes.slice(0, end));
    pieces.push({
      version: after,
      previousSeq: before.seq,
      ...(before.lineage !== undefined && { previousLineage: before.lineage }),
      changes: changes.slice(start, end),
    });
    before = after;
  }
  return pieces;
}
