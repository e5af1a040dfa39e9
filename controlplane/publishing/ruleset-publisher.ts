import type { Logger } from 'pino';
import { createCoalescer } from '../../shared/async/coalescer.js';
import type { RulesetFeed, RulesetFeedListener } from '../../shared/ruleset/ruleset-feed.js';
import { formatVersion, type RulesetVersion } from '../../shared/ruleset/ruleset-version.js';
import type { RulesetOutbox } from './ruleset-outbox.js';
import { readSnapshot } from './ruleset-reading.js';
import { MAX_CHANGES_PER_DELTA, type RulesetRepository } from './ruleset-repository.js';

/**
 * Enough for the largest change that deltas can carry, and for a data plane that was offline for a short time. Others
 * get a snapshot.
 */
const KEPT_CHANGES = 20_000;
/** Interval of trimming, in every process that commits. It costs little if another process has trimmed already. */
const TRIM_INTERVAL_MS = 60_000;
/** Interval that confirms the head, and repairs failed reads, without a commit. */
const POLL_INTERVAL_MS = 2_000;

export interface RulesetPublisherDeps {
  readonly outbox: RulesetOutbox;
  readonly repository: RulesetRepository;
  /** Returns why nothing may be published, or undefined. Default: always undefined. */
  readonly refusal?: () => string | undefined;
  readonly logger: Logger;
}

/** Publishes committed changes from the outbox to data planes, in order, each once per connected feed. */
export interface RulesetPublisher {
  /** Returns a feed for one data plane in this process. */
  createFeed(): RulesetFeed;
  /** Reason, for operators, why the last update of data planes failed; undefined if it succeeded. */
  readonly problem: string | undefined;
  stop(): Promise<void>;
}

interface Subscriber {
  readonly listener: RulesetFeedListener;
  /** Version it has; `undefined` before its first snapshot and while it requests a new one. */
  sent: RulesetVersion | undefined;
}

export function createRulesetPublisher({
  outbox,
  repository,
  refusal = () => undefined,
  logger,
}: RulesetPublisherDeps): RulesetPublisher {
  const subscribers = new Set<Subscriber>();
  const rounds = createCoalescer(serveAll);
  let trimmedAtMs = Number.NEGATIVE_INFINITY;
  let problem: string | undefined;

  /** Updates one subscriber, by deltas if the change log has them. */
  async function serve(subscriber: Subscriber): Promise<void> {
    while (subscribers.has(subscriber)) {
      const { sent } = subscriber;
      if (sent === undefined) {
        await sendSnapshot(subscriber);
        continue;
      }
      const delta = await repository.readDelta(sent, MAX_CHANGES_PER_DELTA);
      if (delta === undefined) {
        await sendSnapshot(subscriber);
      } else if (subscriber.sent === sent && subscribers.has(subscriber)) {
        subscriber.sent = delta.version;
        if (delta.changes.length > 0) subscriber.listener.onDelta(delta);
        else subscriber.listener.onHead(delta.version);
        if (!delta.hasMore) return;
      }
    }
  }

  async function sendSnapshot(subscriber: Subscriber): Promise<void> {
    const snapshot = await readSnapshot(repository);
    if (!subscribers.has(subscriber)) return;
    logger.debug({ version: formatVersion(snapshot.version) }, 'sending a ruleset snapshot');
    subscriber.sent = snapshot.version;
    subscriber.listener.onSnapshot(snapshot);
  }

  async function serveAll(): Promise<void> {
    problem = refusal();
    if (problem === undefined) {
      try {
        for (const subscriber of subscribers) await serve(subscriber);
        return;
      } catch (error) {
        logger.error({ err: error }, 'publishing ruleset changes failed; trying again shortly');
        problem = 'the control plane cannot read the rulesets';
      }
    }
    for (const { listener } of subscribers) listener.onProblem(problem);
  }

  function trimNowAndThen(): void {
    // Not the Unix time, because it may be set back.
    const nowMs = performance.now();
    if (nowMs - trimmedAtMs < TRIM_INTERVAL_MS) return;
    trimmedAtMs = nowMs;
    repository
      .trimChanges(KEPT_CHANGES)
      .catch((error: unknown) => logger.warn({ err: error }, 'trimming the ruleset change log failed'));
  }

  outbox.onCommitted(async () => {
    trimNowAndThen();
    await rounds.request();
    await Promise.all(Array.from(subscribers, ({ listener }) => listener.applied?.()));
  });
  const poll = setInterval(() => void rounds.request(), POLL_INTERVAL_MS);
  poll.unref();

  return {
    createFeed() {
      let subscriber: Subscriber | undefined;
      return {
        start(listener, known) {
          subscriber = { listener, sent: known };
          subscribers.add(subscriber);
          void rounds.request();
        },
        requestSnapshot() {
          if (subscriber === undefined) return;
          subscriber.sent = undefined;
          void rounds.request();
        },
        stop() {
          if (subscriber !== undefined) subscribers.delete(subscriber);
          subscriber = undefined;
        },
      };
    },
    get problem() {
      return problem;
    },
    async stop() {
      clearInterval(poll);
      subscribers.clear();
      await rounds.stop();
    },
  };
}
