import { createSharedIndexes } from '../../shared/rules/index/shared-indexes.js';
import type { RegexGuard } from '../../shared/rules/regex-guard.js';
import { compilePlainRedirect, compileRedirect } from '../../shared/ruleset/compiled-redirect.js';
import { isWildcard } from '../../shared/ruleset/host-name.js';
import type { RedirectSet, RulesetDelta, RulesetSnapshot } from '../../shared/ruleset/ruleset-feed.js';
import { formatVersion, type RulesetVersion } from '../../shared/ruleset/ruleset-version.js';
import type { HitRecorder, RedirectTally } from '../hits/hit-recorder.js';
import { NO_NOTE } from '../texts/text-index.js';
import {
  type CapturedRedirects,
  type ColdRedirect,
  ColdRedirects,
  coldFormOf,
} from './cold/cold-redirects.js';
import { TablePages } from './cold/table-pages.js';
import { createServedRedirects, type ServedRedirect, type ServedRedirects } from './served-redirects.js';

export type { ServedRedirect };

export interface RulesetTableDeps {
  readonly recorder: Pick<HitRecorder, 'tallyOf'>;
  /** Limits the time of the regexes of all rules. */
  readonly regexGuard: RegexGuard;
  /** Maximum estimated memory of compiled redirects. Default: 128 MiB. */
  readonly compiledBytes?: number;
}

/** Tallies of redirects without rules. */
const NO_TALLIES: ServedRedirect['ruleTallies'] = [];
const NO_WAYS: ServedRedirect['leadsElsewhere'] = [];
/** Marks routes in `ServedRedirect.leadsElsewhere` that were not looked up. No generation has this number. */
const UNKNOWN = 0;

/** Some 14,000 redirects with ten rules each, or 180,000 without rules. */
const COMPILED_BYTES = 128 * 1024 * 1024;

/**
 * The rulesets that this process answers from. A change becomes visible in one step: requests run between calls of
 * these methods, never inside one. A class, because V8 treats an object literal with accessors as a dictionary, and
 * visitors would need a look-up for each member.
 */
export class RulesetTable {
  /** Undefined before the first snapshot. Then nothing is known, which differs from a ruleset without hosts. */
  version: RulesetVersion | undefined;
  /** Whether redirects of the last snapshot were left out, see `RulesetSnapshot`. */
  isIncomplete = false;
  /** `version` as text; empty if there is none. Formatted once per change, not per request. */
  versionText = '';
  /** Grows with each added or removed host. */
  hostGeneration = 1;
  private readonly recorder: RulesetTableDeps['recorder'];
  private readonly regexGuard: RegexGuard;
  private readonly compiled: ServedRedirects;
  private readonly indexes = createSharedIndexes();
  private cold = new ColdRedirects();

  constructor({ recorder, regexGuard, compiledBytes = COMPILED_BYTES }: RulesetTableDeps) {
    this.recorder = recorder;
    this.regexGuard = regexGuard;
    this.compiled = createServedRedirects(compiledBytes);
  }

  /** Number of hosts. */
  get size(): number {
    return this.cold.length;
  }

  /** @param host as in `RedirectDefinition.host` */
  find(host: string): ServedRedirect | undefined {
    return this.compiled.get(host) ?? this.warm(host);
  }

  /**
   * Returns the redirect of the most exact wildcard host that covers a host. Costs nothing where there are none.
   *
   * @param host normalised
   */
  findWildcard(host: string): ServedRedirect | undefined {
    return this.cold.wildcards.firstAbove(host, (wildcard) => this.find(wildcard));
  }

  /** Returns whether the host itself has a redirect. Compiles nothing. */
  has(host: string): boolean {
    return this.cold.has(host);
  }

  /** Returns whether a redirect answers for the host, by its name or by a wildcard. Compiles nothing. */
  serves(host: string): boolean {
    const has = (name: string) => this.cold.has(name) || undefined;
    return this.cold.has(host) || this.cold.wildcards.firstAbove(host, has) === true;
  }

  /**
   * Takes over a whole ruleset. One in the form of `ColdRedirects` needs no conversion. On an exception the old one
   * stays.
   */
  replaceAll(snapshot: RulesetSnapshot<RedirectSet>): void {
    this.cold = coldFormOf(snapshot.redirects, snapshot.pages);
    this.hostGeneration += 1;
    this.compiled.clear();
    this.isIncomplete = snapshot.isIncomplete ?? false;
    this.show(snapshot.version);
  }

  /** Applies changes to the current ruleset. The caller checks that they fit. */
  apply(delta: RulesetDelta): void {
    const { membershipChanges } = this.cold;
    this.cold.apply(delta.changes);
    if (this.cold.membershipChanges !== membershipChanges) this.hostGeneration += 1;
    for (const { host } of delta.changes) this.compiled.remove(host);
    this.show(delta.version);
  }

  /** Returns the redirects as a snapshot that later changes do not affect; undefined without a version. */
  current(): RulesetSnapshot<CapturedRedirects> | undefined {
    const { version, isIncomplete } = this;
    if (version === undefined) return undefined;
    return { version, redirects: this.cold.capture(), ...(isIncomplete && { isIncomplete }) };
  }

  private warm(host: string): ServedRedirect | undefined {
    const found = this.cold.find(host);
    if (found === undefined) return undefined;
    const { definition } = found;
    const redirect = found.isPlain
      ? compilePlainRedirect(definition)
      : compileRedirect(definition, this.regexGuard, this.indexes);
    const outcomes = redirect.matcher?.outcomes.length ?? 0;
    const ruleTallies = outcomes === 0 ? NO_TALLIES : new Array<undefined>(outcomes).fill(undefined);
    const hasWays = outcomes > 0 || isWildcard(redirect.host);
    const leadsElsewhere = hasWays ? new Array<number>(outcomes + 1).fill(UNKNOWN) : NO_WAYS;
    const pages = redirect.paths === undefined ? undefined : new TablePages(() => this.cold, redirect.id);
    const served = { redirect, tally: this.tallyOf(found), ruleTallies, leadsElsewhere, pages };
    this.compiled.offer(served, found.hash, found.lineBytes);
    return served;
  }

  /** The recorder keeps tallies by id: a redirect that is compiled again or changed continues with its own. */
  private tallyOf({ definition, place, note }: ColdRedirect): RedirectTally {
    if (note !== NO_NOTE) return note;
    const tally = this.recorder.tallyOf(definition.id);
    this.cold.note(place, tally);
    return tally;
  }

  private show(next: RulesetVersion): void {
    this.version = next;
    this.versionText = formatVersion(next);
  }
}
