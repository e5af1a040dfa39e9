import { LRUCache } from 'lru-cache';
import type { LinearPattern } from './regex/linear-pattern.js';

/** The time that the regexes of one redirect may take. */
export interface RegexAllowance {
  /**
   * Compiles `pattern`, or postpones it while no time is left.
   *
   * @returns false for a pattern that is known not to compile
   */
  prepare(pattern: LinearPattern): boolean;
  /**
   * Returns whether `pattern` is found in `text`; false if the search would exceed the remaining time. Never throws.
   */
  test(pattern: LinearPattern, text: string): boolean;
}

/** Time allowance for some work of one redirect. Callers check it before the work and charge it afterwards. */
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
 * Limits the time and memory of the regexes of each redirect and of all together. An allowance without a redirect's
 * id is always new.
 */
export interface RegexGuard extends RedirectAllowances {
  /** Number of searches that were skipped or cancelled since the start, for all redirects. */
  readonly skipped: number;
  /** Returns the same allowances for the same redirect. After a recompilation its rules continue with the remaining time. */
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
/**
 * Minimum remaining share of a redirect's own time. Below it, the redirect cannot search while the common time is used
 * up.
 */
const FAIR_LEVEL = 0.5;

/** Searches of at most this many steps continue while the time is used up. */
const MAX_BRIEF_STEPS = 512;
/** Searches of at most this many steps are never cancelled. */
const MAX_UNBROKEN_STEPS = 20_000;
/** Maximum duration of one search. */
const MAX_SEARCH_MS = 10;

/** Cost of the slowest patterns, measured. The cost of ordinary searches is not charged. */
const MS_PER_STEP = 0.0001;
const MS_PER_BUILT_BYTE = 0.00002;
/** Ordinary cost of compiling, which is free. */
const FREE_COMPILING_MS = 0.1;

/**
 * Maximum number of redirects whose allowances are kept: the most recently compiled ones. A removed redirect starts
 * again with full allowances.
 */
const MAX_KNOWN_REDIRECTS = 10_000;

/** Limit for all patterns together. Above it, all patterns drop their states. */
const MAX_KEPT_BYTES = 64 * 1024 * 1024;

/** A time budget that refills at a steady rate up to a burst. The last expense may overdraw it. */
class TimeBudget {
  private refilledAtMs = 0;
  private leftMs: number;

  /**
   * @param burstMs size of the full budget, which is also the start
   * @param share milliseconds refilled for each millisecond
   */
  constructor(
    private readonly burstMs: number,
    private readonly share: number,
  ) {
    this.leftMs = burstMs;
  }

  /** Whether the budget is full. Does not read the clock. */
  get isFull(): boolean {
    return this.leftMs === this.burstMs;
  }

  /** Returns the share of the burst that is left: 1 when full, 0 or less when used up. */
  level(nowMs: number): number {
    this.leftMs = Math.min(this.burstMs, this.leftMs + (nowMs - this.refilledAtMs) * this.share);
    this.refilledAtMs = nowMs;
    return this.leftMs / this.burstMs;
  }

  spend(ms: number, nowMs: number): void {
    this.level(nowMs);
    this.leftMs -= ms;
  }
}

/** Creates the guard of a process. */
export function createRegexGuard({ nowMs = () => performance.now() }: RegexGuardOptions = {}): RegexGuard {
  return new SharedGuard(nowMs);
}

class SharedGuard implements RegexGuard {
  skipped = 0;
  readonly common = new TimeBudget(COMMON_BURST_MS, COMMON_SHARE);
  private readonly ofRedirects = new LRUCache<string, SpentAllowances>({ max: MAX_KNOWN_REDIRECTS });
  private readonly keepers = new Set<LinearPattern>();
  private keptBytes = 0;

  constructor(readonly nowMs: () => number) {}

  allowance(): SharedAllowance {
    return new SharedAllowance(this);
  }

  timeAllowance(): SharedAllowance {
    return new SharedAllowance(this);
  }

  ofRedirect(redirectId: string): RedirectAllowances {
    return new KeptAllowances(this, redirectId);
  }

  /** Returns the used allowances of a redirect. */
  keptOf(redirectId: string): SpentAllowances {
    const known = this.ofRedirects.get(redirectId);
    if (known !== undefined) return known;
    const none: SpentAllowances = { regexes: undefined, time: undefined };
    this.ofRedirects.set(redirectId, none);
    return none;
  }

  /** Records the memory that `pattern` keeps. If all patterns together keep too much, they drop their states. */
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

/** Allowances that were used and may therefore not be full. */
interface SpentAllowances {
  regexes: SharedAllowance | undefined;
  time: SharedAllowance | undefined;
}

/** Created on first use, because most redirects need none. */
class KeptAllowances implements RedirectAllowances {
  constructor(
    private readonly guard: SharedGuard,
    private readonly redirectId: string,
  ) {}

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
  private readonly own = new TimeBudget(BURST_MS, SHARE);

  constructor(private readonly guard: SharedGuard) {}

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
      // The search was cancelled, or the engine reached its own limit. No known pattern reaches that limit.
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
