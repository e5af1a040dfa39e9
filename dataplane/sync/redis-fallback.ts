import { messageOf } from '../../shared/process/error-facts.js';
import type {
  RedirectSet,
  RulesetDelta,
  RulesetSnapshot,
  RulesetSource,
} from '../../shared/ruleset/ruleset-feed.js';
import type { RulesetVersion } from '../../shared/ruleset/ruleset-version.js';
import type { Clock } from './clock.js';

const POLL_MS = 2_000;

export interface RedisFallbackDeps {
  readonly source: RulesetSource;
  /** Returns whether Redis cannot be relied on now. */
  readonly isNeeded: () => boolean;
  readonly known: () => RulesetVersion | undefined;
  readonly onDelta: (delta: RulesetDelta) => void;
  readonly onSnapshot: (snapshot: RulesetSnapshot<RedirectSet>) => void;
  /** The known version is the newest. */
  readonly onNothingNewer: (known: RulesetVersion) => void;
  readonly onProblem: (problem: string) => void;
  readonly clock: Clock;
  /** 0 up to, not including, 1. */
  readonly random: () => number;
}

/** Reads rulesets from another source while Redis cannot be relied on: one read at a time, about every 2 s. */
export interface RedisFallback {
  start(): void;
  stop(): void;
}

export function createRedisFallback(deps: RedisFallbackDeps): RedisFallback {
  const { source, isNeeded, known, onDelta, onSnapshot, onNothingNewer, onProblem, clock, random } = deps;
  let cancel: (() => void) | undefined;
  let stopped = false;

  function schedule(): void {
    // Jitter from half to one and a half, because all data planes lose Redis at the same moment.
    if (!stopped) cancel = clock.schedule(() => void poll().finally(schedule), POLL_MS * (0.5 + random()));
  }

  async function poll(): Promise<void> {
    if (!isNeeded()) return;
    const before = known();
    try {
      const newer = await source.read(before);
      if (stopped) return;
      if (newer === undefined) {
        if (before !== undefined) onNothingNewer(before);
      } else if ('changes' in newer) onDelta(newer);
      else onSnapshot(newer);
    } catch (error) {
      if (!stopped) onProblem(messageOf(error));
    }
  }

  return {
    start: schedule,
    stop() {
      stopped = true;
      cancel?.();
    },
  };
}
