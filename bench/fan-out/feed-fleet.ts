import { pino } from 'pino';
import { createRedisFeed } from '../../dataplane/sync/redis-feed.js';
import { until } from '../../deploy/faults/until.js';
import type { RulesetFeed } from '../../shared/ruleset/ruleset-feed.js';
import { compareVersions, type RulesetVersion } from '../../shared/ruleset/ruleset-version.js';

const ARRIVAL_LIMIT_MS = 300_000;
const LOOK_AGAIN_MS = 5;

/** Feeds of many data planes in one process. They read Redis as data planes do and keep no redirects. */
export interface FeedFleet {
  /** Waits until all feeds have the version or a later one. Resolves to the arrival times by the monotonic clock. */
  arrivals(version: RulesetVersion): Promise<readonly number[]>;
  /** Waits until Redis has confirmed the version to all feeds after this call. */
  confirmed(version: RulesetVersion): Promise<void>;
  stop(): void;
}

interface Member {
  readonly feed: RulesetFeed;
  version: RulesetVersion | undefined;
  arrivedAtMs: number;
  confirmedAtMs: number;
}

/** Starts feeds that have no ruleset yet. */
export function startFeedFleet(redisUrl: string, size: number): FeedFleet {
  const logger = pino({ level: 'silent' });
  const members = Array.from({ length: size }, () => startMember(createRedisFeed({ url: redisUrl, logger })));

  async function untilAll(isDone: (member: Member) => boolean): Promise<void> {
    let waiting: readonly Member[] = members;
    const haveArrived = () => {
      waiting = waiting.filter((member) => !isDone(member));
      return waiting.length === 0;
    };
    await until(haveArrived, { timeoutMs: ARRIVAL_LIMIT_MS, intervalMs: LOOK_AGAIN_MS, what: 'the arrival' });
  }

  return {
    async arrivals(version) {
      await untilAll((member) => hasReached(member, version));
      return members.map(({ arrivedAtMs }) => arrivedAtMs);
    },
    async confirmed(version) {
      const sinceMs = performance.now();
      await untilAll((member) => member.confirmedAtMs > sinceMs && hasReached(member, version));
    },
    stop() {
      for (const { feed } of members) feed.stop();
    },
  };
}

function startMember(feed: RulesetFeed): Member {
  const member: Member = { feed, version: undefined, arrivedAtMs: 0, confirmedAtMs: 0 };
  const arrive = ({ version }: { readonly version: RulesetVersion }) => {
    member.version = version;
    member.arrivedAtMs = performance.now();
    member.confirmedAtMs = member.arrivedAtMs;
  };
  feed.start(
    {
      onSnapshot: arrive,
      onDelta: arrive,
      onHead: () => {
        member.confirmedAtMs = performance.now();
      },
      onProblem: () => undefined,
    },
    undefined,
  );
  return member;
}

function hasReached({ version: reached }: Member, version: RulesetVersion): boolean {
  return reached !== undefined && compareVersions(reached, version) >= 0;
}
