import type { Redis } from 'ioredis';
import type { Logger } from 'pino';
import { createCoalescer } from '../../shared/async/coalescer.js';
import { redisKeys } from '../../shared/ruleset/redis-keys.js';
import { describeRedisError } from '../../shared/ruleset/redis-options.js';
import { parseVersion } from '../../shared/ruleset/ruleset-codec.js';
import type { RulesetFeed, RulesetFeedListener, RulesetSource } from '../../shared/ruleset/ruleset-feed.js';
import type { RulesetVersion } from '../../shared/ruleset/ruleset-version.js';
import { type Clock, systemClock } from './clock.js';
import { connectRedis } from './redis-connection.js';
import { createRulesetDelivery } from './redis-delivery.js';
import { createRedisFallback } from './redis-fallback.js';
import { createRedisReader, type RedisReader } from './redis-reader.js';
import { createRedisRuleset, type RedisRuleset } from './redis-ruleset.js';

const POLL_MS = 2_000;
/** A shorter interruption does not start the fallback. */
const OUT_OF_REACH_AFTER_MS = 3_000;
/** Control planes say every second that Redis is up to date, or that they write a ruleset. */
const UNATTENDED_AFTER_MS = 4_000;
/** The control plane replaces a snapshot that is damaged sooner. */
const SNAPSHOT_BAD_AFTER_MS = 15_000;

export interface RedisFeedDeps {
  /** May contain a password: never logged. */
  readonly url: string;
  readonly keyPrefix?: string;
  /**
   * Fallback source. It is read while Redis is unreachable for more than 3 s, while no control plane has reported for
   * 4 s that Redis is up to date or being written, and while its snapshot has been invalid for 15 s.
   */
  readonly fallback?: RulesetSource;
  readonly logger: Logger;
  readonly clock?: Clock;
  /** Random number for jitter, 0 to below 1. */
  readonly random?: () => number;
}

/**
 * Feed of the rulesets that control planes write to Redis. A published message is only a hint. The feed also looks
 * after each connection and about every 2 s, so a lost hint delays a change by that time. It never delivers a version
 * older than the last one.
 */
export function createRedisFeed(deps: RedisFeedDeps): RulesetFeed {
  let running: RunningFeed | undefined;
  return {
    start(listener, known) {
      running = runFeed(deps, listener, known);
    },
    requestSnapshot() {
      running?.requestSnapshot();
    },
    stop() {
      running?.stop();
      running = undefined;
    },
  };
}

interface RunningFeed {
  requestSnapshot(): void;
  stop(): void;
}

function runFeed(
  deps: RedisFeedDeps,
  listener: RulesetFeedListener,
  known: RulesetVersion | undefined,
): RunningFeed {
  const { url, fallback: source, logger, clock = systemClock, random = Math.random } = deps;
  const keys = redisKeys(deps.keyPrefix);
  const delivery = createRulesetDelivery(listener, known);
  let connectionProblem = 'Redis cannot be reached';
  const commands = connectRedis({
    url,
    name: 'waymark-dataplane',
    onProblem(problem) {
      connectionProblem = problem;
    },
    random,
  });
  // Both connections use the same server, so its problem is reported once.
  const hints = connectRedis({ url, name: 'waymark-dataplane-hints', onProblem() {}, random });
  const onProgress = (progress: string) => listener.onProgress?.(progress);
  const ruleset = createRedisRuleset(commands, keys, listener.onProblem, onProgress);
  const reader = createRedisReader({ ruleset, delivery, clock, random });
  const lookout = createLookout({
    reader,
    ruleset,
    onProgress: (progress) => {
      if (delivery.delivered === undefined) onProgress(`the control plane builds the ruleset: ${progress}`);
    },
    onConfirmed: listener.onHead,
    onFailure: (error) =>
      listener.onProblem(commands.status === 'ready' ? describeRedisError(error) : connectionProblem),
    clock,
  });
  const fallback =
    source &&
    createRedisFallback({
      source,
      isNeeded: () => lookout.isInVain,
      known: () => (delivery.wantsSnapshot ? undefined : delivery.delivered),
      onDelta(delta) {
        if (!delivery.deliverDelta(delta)) delivery.wantSnapshot();
      },
      onSnapshot: delivery.deliverSnapshot,
      onNothingNewer: listener.onHead,
      onProblem: listener.onProblem,
      clock,
      random,
    });
  let cancelPoll: (() => void) | undefined;

  const subscribe = followHints({
    redis: hints,
    channel: keys.hints,
    onHint(version) {
      if (delivery.isDelivered(version)) listener.onHead(version);
      else lookout.look();
    },
    logger,
  });

  function poll(): void {
    lookout.look();
    subscribe();
    cancelPoll = clock.schedule(poll, POLL_MS * (0.5 + random()));
  }

  commands.on('ready', () => {
    logger.info('connected to Redis');
    reader.reconnected();
    lookout.look();
  });
  // Report immediately that nothing can be read. The duration decides whether the fallback is used.
  commands.on('close', lookout.look);
  cancelPoll = clock.schedule(poll, POLL_MS * (0.5 + random()));
  fallback?.start();

  return {
    requestSnapshot() {
      delivery.wantSnapshot();
      lookout.look();
    },
    stop() {
      cancelPoll?.();
      fallback?.stop();
      lookout.stop();
      delivery.stop();
      for (const connection of [commands, hints]) connection.disconnect();
    },
  };
}

interface HintsDeps {
  readonly redis: Redis;
  readonly channel: string;
  readonly onHint: (version: RulesetVersion) => void;
  readonly logger: Logger;
}

/**
 * Receives the hints.
 *
 * @returns a function that subscribes again. Called often, it also shows whether the other end of a silent connection
 * still exists.
 */
function followHints({ redis, channel, onHint, logger }: HintsDeps): () => void {
  let isComplaintLogged = false;
  redis.on('message', (_channel: string, text: string) => {
    const version = parseVersion(text);
    if (version !== undefined) onHint(version);
  });

  function subscribe(): void {
    if (redis.status !== 'ready') return;
    redis.subscribe(channel).catch((error: unknown) => {
      if (isComplaintLogged) return;
      isComplaintLogged = true;
      logger.warn(
        { problem: describeRedisError(error) },
        'no hints from Redis: changes are seen some seconds later',
      );
    });
  }

  redis.on('ready', subscribe);
  return subscribe;
}

interface Lookout {
  /** Reads Redis now; once more if a read is running. */
  look(): void;
  /** Returns whether Redis cannot be relied on: it is unreachable, or no control plane keeps it up to date. */
  readonly isInVain: boolean;
  stop(): void;
}

interface LookoutDeps {
  readonly reader: RedisReader;
  readonly ruleset: Pick<RedisRuleset, 'readSigns'>;
  readonly onProgress: (progress: string) => void;
  readonly onConfirmed: (head: RulesetVersion) => void;
  readonly onFailure: (error: unknown) => void;
  readonly clock: Clock;
}

function createLookout({ reader, ruleset, onProgress, onConfirmed, onFailure, clock }: LookoutDeps): Lookout {
  let stopped = false;
  /** Start of Redis's silence. */
  let silentSinceMs: number | undefined;
  /** Time of the last heartbeat of a control plane. */
  let attendedAtMs = clock.elapsedMs();
  /** Time of the last check. A long read delays it. */
  let lookedAtMs = attendedAtMs;

  async function lookForSigns(): Promise<void> {
    const startedMs = clock.elapsedMs();
    try {
      const { heartbeatAgeMs, building } = await ruleset.readSigns();
      silentSinceMs = undefined;
      lookedAtMs = startedMs;
      const ageMs = building === undefined ? heartbeatAgeMs : 0;
      if (ageMs !== undefined) attendedAtMs = Math.max(attendedAtMs, startedMs - ageMs);
      if (building !== undefined && !stopped) onProgress(building);
    } catch {
      // Reading the ruleset fails as well, and reports the reason.
      silentSinceMs ??= startedMs;
    }
  }

  async function lookOnce(): Promise<void> {
    await lookForSigns();
    try {
      const confirmed = await reader.read();
      if (confirmed !== undefined && !stopped) onConfirmed(confirmed);
    } catch (error) {
      if (!stopped) onFailure(error);
    }
  }

  const looks = createCoalescer(lookOnce);

  return {
    look: () => void looks.request(),
    get isInVain() {
      const nowMs = clock.elapsedMs();
      return (
        lookedAtMs - attendedAtMs > UNATTENDED_AFTER_MS ||
        nowMs - (silentSinceMs ?? nowMs) > OUT_OF_REACH_AFTER_MS ||
        nowMs - (reader.snapshotBadSinceMs ?? nowMs) > SNAPSHOT_BAD_AFTER_MS
      );
    },
    stop() {
      stopped = true;
      void looks.stop();
    },
  };
}
