import type { Redis } from 'ioredis';
import type { Logger } from 'pino';
import { createSingleFlight } from '../../shared/process/single-flight.js';
import { redisKeys } from '../../shared/ruleset/redis-keys.js';
import { describeRedisError } from '../../shared/ruleset/redis-options.js';
import type { RulesetDelta } from '../../shared/ruleset/ruleset-feed.js';
import type { RulesetVersion } from '../../shared/ruleset/ruleset-version.js';
import { type PublicationGuard, PublicationRefused } from './publication-guard.js';
import { countHostsInRedis } from './redis-hosts.js';
import { createRedisLease } from './redis-lease.js';
import { createRedisRulesetStore } from './redis-ruleset-store.js';
import type { RulesetOutbox } from './ruleset-outbox.js';
import { MAX_CHANGES_PER_DELTA, type RulesetRepository } from './ruleset-repository.js';

/** Each lost race means that another control plane has brought Redis forward meanwhile. */
const MOST_RACES = 20;
const HEARTBEAT_INTERVAL_MS = 1_000;
/** A snapshot that does not cure what it was made for is not made again and again. */
const REPAIR_PAUSE_MS = 5_000;
/** As the guard names it. */
const PLACE = 'the ruleset in Redis';

export interface RedisPublicationDeps {
  readonly redis: Redis;
  readonly repository: RulesetRepository;
  readonly guard: Pick<PublicationGuard, 'admit' | 'clear' | 'refusal'>;
  readonly outbox: Pick<RulesetOutbox, 'onCommitted'>;
  readonly logger: Logger;
  readonly keyPrefix?: string;
}

export interface RedisPublicationStats {
  /** Whether this process keeps the heartbeat and the snapshot. */
  readonly leads: boolean;
  readonly deltasAppended: number;
  readonly snapshotsWritten: number;
  /** Writes that another control plane was quicker with. */
  readonly racesLost: number;
  readonly failures: number;
  /** Unix time in milliseconds since when Redis has been behind; undefined while it is not. */
  readonly behindSinceMs: number | undefined;
  /** Unix time in milliseconds of this process's last heartbeat. */
  readonly lastHeartbeatMs: number | undefined;
}

/**
 * Carries committed changes into Redis, where data planes read them; see decision 0004. Every process appends what
 * it finds committed, at once after a commit of its own; the one that leads also looks for what others have left,
 * keeps the snapshot and says every second that the head is the head.
 */
export interface RedisPublication {
  start(): void;
  /** Finishes what is under way and hands the lead on. Does not close the connection. Never rejects. */
  stop(): Promise<void>;
  stats(): RedisPublicationStats;
}

export function createRedisPublication(deps: RedisPublicationDeps): RedisPublication {
  const { redis, repository, guard, outbox, logger } = deps;
  const keys = redisKeys(deps.keyPrefix);
  const store = createRedisRulesetStore(redis, keys);
  const lease = createRedisLease(redis, keys.leader);
  const totals = { deltasAppended: 0, snapshotsWritten: 0, racesLost: 0, failures: 0 };
  const rounds = createSingleFlight(runOnceOrFail);
  let beatDue = false;
  let stopped = true;
  let timer: NodeJS.Timeout | undefined;
  let behindSinceMs: number | undefined;
  let lastHeartbeatMs: number | undefined;
  let lastRepairMs = Number.NEGATIVE_INFINITY;
  let lastProblem: string | undefined;
  /** Whether the last round has failed: Redis is away, or refuses what it is given. */
  let isInTrouble = false;
  /** Up to where Redis holds everything, as far as this process knows: a wrong one only fails the comparison there. */
  let published: RulesetVersion | undefined;
  let keeping: Promise<void> | undefined;

  /** @returns up to where Redis now holds everything; undefined when that is left to whoever leads */
  async function bringUpToDate(): Promise<RulesetVersion | undefined> {
    for (let race = 0; race < MOST_RACES; race += 1) {
      // Redis first: what it holds was committed, so what the database says after it cannot be older.
      published ??= await store.readHead();
      const delta = published && (await repository.readDelta(published, MAX_CHANGES_PER_DELTA));
      await admit(published, delta);
      const isCarried = delta !== undefined && store.fits(delta);
      const outcome = isCarried ? await carry(delta) : await replaceAll(published);
      if (outcome === 'left to the leader') return undefined;
      if (outcome !== 'lost a race') {
        published = outcome;
        return outcome;
      }
      published = undefined;
      totals.racesLost += 1;
    }
    throw new Error('other control planes were always quicker');
  }

  /**
   * Where no delta leads on from what Redis holds, the database may be the wrong one, or have lost commits.
   *
   * @throws {PublicationRefused} when nothing may be published
   */
  async function admit(before: RulesetVersion | undefined, delta: RulesetDelta | undefined): Promise<void> {
    if (before === undefined || delta !== undefined) guard.clear(PLACE);
    else {
      const hosts = () => countHostsInRedis(redis, keys);
      await guard.admit({ place: PLACE, version: before, hosts });
    }
    if (guard.refusal !== undefined) throw new PublicationRefused(guard.refusal);
  }

  /** @returns what Redis then holds everything up to, or why it does not */
  async function carry(delta: RulesetDelta) {
    if (delta.changes.length === 0) return delta.version;
    if (!(await store.append(delta))) return 'lost a race';
    totals.deltasAppended += 1;
    return delta.version;
  }

  /**
   * Writes the whole ruleset, where no delta leads on from what Redis holds, or only one that is too long.
   *
   * @returns what Redis then holds everything up to, or why it does not
   */
  async function replaceAll(before: RulesetVersion | undefined) {
    if (!lease.held) return 'left to the leader';
    const snapshot = await repository.readSnapshot();
    if (!(await store.writeSnapshot(snapshot, { replaces: before }))) return 'lost a race';
    totals.snapshotsWritten += 1;
    logger.info('wrote the whole ruleset to Redis');
    return snapshot.version;
  }

  async function keepSnapshot(): Promise<void> {
    // Not the Unix time: that may be set back.
    const nowMs = performance.now();
    if (nowMs - lastRepairMs < REPAIR_PAUSE_MS) return;
    const reason = await store.snapshotFault();
    if (reason === undefined) return;
    lastRepairMs = nowMs;
    if (!(await store.writeSnapshot(await repository.readSnapshot(), 'joins the log'))) return;
    totals.snapshotsWritten += 1;
    logger.info({ reason }, 'wrote a new ruleset snapshot to Redis');
  }

  async function runOnce(): Promise<void> {
    const isBeat = beatDue;
    beatDue = false;
    if (isBeat) {
      // Redis may have lost what it was given.
      published = undefined;
      await lease.hold();
    }
    behindSinceMs ??= Date.now();
    const head = await bringUpToDate();
    if (head === undefined) return;
    behindSinceMs = undefined;
    isInTrouble = false;
    lastProblem = undefined;
    if (!isBeat || !lease.held) return;
    await store.beat(head);
    lastHeartbeatMs = Date.now();
    // Beside the changes that come meanwhile: a large one takes its time.
    keeping ??= keepSnapshot()
      .catch(failed)
      .finally(() => {
        keeping = undefined;
      });
  }

  async function runOnceOrFail(): Promise<void> {
    try {
      await runOnce();
    } catch (error) {
      published = undefined;
      isInTrouble = true;
      // The guard has said so already.
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
    // Nobody waits for a Redis that is known to be away.
    if (!isInTrouble) await carried;
  });

  return {
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
      await keeping;
      await lease.release();
    },
    stats: () => ({ ...totals, leads: lease.held, behindSinceMs, lastHeartbeatMs }),
  };
}
