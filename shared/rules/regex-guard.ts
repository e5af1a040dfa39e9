import { LRUCache } from 'lru-cache';
import type { LinearPattern } from './regex/linear-pattern.js';
import { TimeBudget } from './regex/time-budget.js';

/** The time that the regexes of one redirect may take. */
export interface RegexAllowance {
  /**
   * Compiles `pattern`, or leaves that for later while there is no time.
   *
   * @returns false for a pattern that does not compile, as far as that is known
   */
  prepare(pattern: LinearPattern): boolean;
  /** Whether `pattern` is found in `text`; false while that would take more time than there is. Never throws. */
  test(pattern: LinearPattern, text: string): boolean;
}

/** Time that some work of one redirect may take, to be asked before and told after. */
export interface TimeAllowance {
  /** A clock that never goes back, in milliseconds with fractions. */
  nowMs(): number;
  isSpent(): boolean;
  spend(ms: number): void;
}

/** Time allowances for the rules of one redirect. */
export interface RedirectAllowances {
  allowance(): RegexAllowance;
  /** The time allowance for work on long texts, regexes or not. */
  timeAllowance(): TimeAllowance;
}

/**
 * Keeps the regexes of each redirect, and of all together, within a share of time and memory. Allowances that are asked
 * for without naming a redirect are new ones.
 */
export interface RegexGuard extends RedirectAllowances {
  /** Searches that were skipped or broken off since the start, of all redirects. */
  readonly skipped: number;
  /** Always the same for a redirect: compiled anew, its rules go on with what is left. */
  ofRedirect(redirectId: string): RedirectAllowances;
}

export interface RegexGuardOptions {
  /** A clock that never goes back, in milliseconds with fractions. */
  readonly nowMs?: () => number;
}

/** Burst and sustained share of time for the regexes of one redirect; the `COMMON` ones are for all redirects together. */
const BURST_MS = 100;
const SHARE = 0.01;
const COMMON_BURST_MS = 400;
const COMMON_SHARE = 0.1;
/** Share of its own time that a redirect needs left to search while the common time is used up. */
const FAIR_LEVEL = 0.5;

/** Searches of no more steps than this go on while the time is used up. */
const MAX_BRIEF_STEPS = 512;
/** Searches of no more steps than this are not worth breaking off. */
const MAX_UNBROKEN_STEPS = 20_000;
/** Maximum duration of one search. */
const MAX_SEARCH_MS = 10;

/** Cost of the slowest patterns, measured. The cost of ordinary searches is not charged. */
const MS_PER_STEP = 0.0001;
const MS_PER_BUILT_BYTE = 0.00002;
/** Ordinary cost of compiling, which is free. */
const FREE_COMPILING_MS = 0.1;

/** Redirects whose allowances are known, those compiled last. One that was forgotten has a full allowance. */
const MAX_KNOWN_REDIRECTS = 10_000;

/** Limit for all patterns together. Above it, all patterns drop their states. */
const MAX_KEPT_BYTES = 64 * 1024 * 1024;

/** Makes the guard of a process. */
export function createRegexGuard({ nowMs = () => performance.now() }: RegexGuardOptions = {}): RegexGuard {
  return new SharedGuard(nowMs);
}

class SharedGuard implements RegexGuard {
  skipped = 0;
  readonly nowMs: () => number;
  readonly common = new TimeBudget(COMMON_BURST_MS, COMMON_SHARE);
  private readonly ofRedirects = new LRUCache<string, SpentAllowances>({ max: MAX_KNOWN_REDIRECTS });
  private readonly keepers = new Set<LinearPattern>();
  private keptBytes = 0;

  constructor(nowMs: () => number) {
    this.nowMs = nowMs;
  }

  allowance(): SharedAllowance {
    return new SharedAllowance(this);
  }

  timeAllowance(): SharedAllowance {
    return new SharedAllowance(this);
  }

  ofRedirect(redirectId: string): RedirectAllowances {
    return new KeptAllowances(this, redirectId);
  }

  /** The allowances of a redirect, as far as they have been asked for. */
  keptOf(redirectId: string): SpentAllowances {
    const known = this.ofRedirects.get(redirectId);
    if (known !== undefined) return known;
    const none: SpentAllowances = { regexes: undefined, time: undefined };
    this.ofRedirects.set(redirectId, none);
    return none;
  }

  /** Takes note of what `pattern` keeps by now; has all patterns forget when that is too much together. */
  keep(pattern: LinearPattern): void {
    const grownBytes = pattern.grownBytes();
    if (grownBytes === 0) return;
    this.keepers.add(pattern);
    this.keptBytes += grownBytes;
    if (this.keptBytes <= MAX_KEPT_BYTES) return;
    for (const keeper of this.keepers) keeper.forget();
    this.keepers.clear();
    this.keptBytes = 0;
  }
}

/** Allowances that were asked for, so that something may have been spent of them. */
interface SpentAllowances {
  regexes: SharedAllowance | undefined;
  time: SharedAllowance | undefined;
}

/** Most redirects need none: they are made when they are asked for. */
class KeptAllowances implements RedirectAllowances {
  private readonly guard: SharedGuard;
  private readonly redirectId: string;

  constructor(guard: SharedGuard, redirectId: string) {
    this.guard = guard;
    this.redirectId = redirectId;
  }

  allowance(): RegexAllowance {
    const kept = this.guard.keptOf(this.redirectId);
    kept.regexes ??= this.guard.allowance();
    return kept.regexes;
  }

  timeAllowance(): TimeAllowance {
    const kept = this.guard.keptOf(this.redirectId);
    kept.time ??= this.guard.timeAllowance();
    return kept.time;
  }
}

class SharedAllowance implements RegexAllowance, TimeAllowance {
  private readonly guard: SharedGuard;
  private readonly own = new TimeBudget(BURST_MS, SHARE);

  constructor(guard: SharedGuard) {
    this.guard = guard;
  }

  prepare(pattern: LinearPattern): boolean {
    if (this.isSpent()) return true;
    const startedAtMs = this.guard.nowMs();
    const compiles = pattern.prepare();
    this.guard.keep(pattern);
    const tookMs = this.guard.nowMs() - startedAtMs;
    this.spend(Math.min(tookMs, pattern.maxCompilingMs) - FREE_COMPILING_MS);
    return compiles;
  }

  test(pattern: LinearPattern, text: string): boolean {
    if (!pattern.isPrepared) this.prepare(pattern);
    const steps = pattern.maxSteps(text);
    if (!pattern.isPrepared || (steps > MAX_BRIEF_STEPS && this.isSpent())) return this.skip();
    try {
      return steps > MAX_UNBROKEN_STEPS
        ? this.searchMetered(pattern, text)
        : this.search(pattern, text, steps);
    } catch {
      // Broken off; or the engine has met a bound of its own, which no known pattern makes it do.
      return this.skip();
    } finally {
      this.guard.keep(pattern);
    }
  }

  private search(pattern: LinearPattern, text: string, steps: number): boolean {
    const { builtBytes, overflows } = pattern;
    const isFound = pattern.test(text);
    const slowMs = pattern.overflows === overflows ? 0 : steps * MS_PER_STEP;
    this.spend((pattern.builtBytes - builtBytes) * MS_PER_BUILT_BYTE + slowMs);
    return isFound;
  }

  private searchMetered(pattern: LinearPattern, text: string): boolean {
    const { nowMs } = this.guard;
    const { builtBytes, overflows } = pattern;
    const startedAtMs = nowMs();
    const isSlow = () => pattern.overflows !== overflows;
    try {
      return pattern.testUnless(() => isSlow() && nowMs() - startedAtMs > MAX_SEARCH_MS, text);
    } finally {
      const builtMs = (pattern.builtBytes - builtBytes) * MS_PER_BUILT_BYTE;
      this.spend(isSlow() ? nowMs() - startedAtMs : builtMs);
    }
  }

  private skip(): boolean {
    this.guard.skipped += 1;
    return false;
  }

  nowMs(): number {
    return this.guard.nowMs();
  }

  isSpent(): boolean {
    if (this.own.isFull) return false;
    const nowMs = this.guard.nowMs();
    const level = this.own.level(nowMs);
    return level <= 0 || (level < FAIR_LEVEL && this.guard.common.level(nowMs) <= 0);
  }

  spend(ms: number): void {
    if (ms <= 0) return;
    const nowMs = this.guard.nowMs();
    this.own.spend(ms, nowMs);
    this.guard.common.spend(ms, nowMs);
  }
}
