import { hitIdOf, NO_ENTRY } from '../../shared/paths/entry-ids.js';
import type { RuleOutcome } from '../../shared/rules/rule-matcher.js';
import { isWildcard, normalizeHost } from '../../shared/ruleset/host-name.js';
import type { HitRecorder, HitSlot, RuleTally } from '../hits/hit-recorder.js';
import type { RulesetTable, ServedRedirect } from '../sync/ruleset-table.js';
import type { RequestVisitor } from '../visitor/request-visitor.js';
import type { CurrentRequest } from './current-request.js';
import type { RuleCounts } from './request-counts.js';

/** The decision about the current request. This object is reused for every request. */
export class Decision {
  served!: ServedRedirect;
  /** Whether rules decided. */
  isByRules = false;
  /** The rule that matched; undefined if there is none. */
  outcome: RuleOutcome | undefined;
  /** The entry of the table of paths that matched; 0 if there is none. */
  entryId = 0;

  begin(served: ServedRedirect): void {
    this.served = served;
    this.isByRules = false;
    this.outcome = undefined;
    this.entryId = 0;
  }
}

/** Random numbers for choices. Notes whether one was drawn, and the last one. */
export interface NotedDice {
  readonly roll: () => number;
  readonly rolled: number;
  wasRolled: boolean;
}

export interface VisitRecorderDeps {
  readonly recorder: Pick<
    HitRecorder,
    'countRequest' | 'ruleTallyOf' | 'isPerson' | 'countMatch' | 'shouldRecord' | 'claim'
  >;
  readonly ruleCounts: RuleCounts;
  readonly table: Pick<RulesetTable, 'versionText'>;
  readonly request: CurrentRequest;
  readonly visitor: RequestVisitor;
  readonly dice: NotedDice;
}

/** Counts and records the visits of redirects. */
export interface VisitRecorder {
  /** Counts a visit exactly, independent of the sampling rate. */
  count(decision: Decision): void;
  /**
   * Records a visit. Call it before the answer, because the request is gone once its answer is ended.
   *
   * @param answer text that ends with the location. The hit takes the location as a slice of the answer, so V8 joins
   * the parts only once. The slice keeps the whole text in memory, so a text with a long start is not used.
   * @returns the time of the hit, Unix ms; undefined if it is not recorded
   */
  record(decision: Decision, statusCode: number, location: string, answer?: string): number | undefined;
}

/**
 * Maximum length of an answer's start that a hit keeps in memory with its location. The limits of the hit buffer do not
 * count it. It is longer only with long headers of the owner, up to 1,700.
 */
const MAX_KEPT_START = 256;

export function createVisitRecorder(deps: VisitRecorderDeps): VisitRecorder {
  const { recorder, ruleCounts, table, request, visitor, dice } = deps;

  /** Looks the tally up on first use: many redirects are compiled for one visitor, who meets one rule of ten. */
  function ruleTallyOf({ redirect, ruleTallies }: ServedRedirect, outcome: RuleOutcome): RuleTally {
    const { index, ruleId, variant } = outcome;
    const known = ruleTallies[index];
    if (known !== undefined) return known;
    const tally = recorder.ruleTallyOf(redirect.id, ruleId, variant);
    ruleTallies[index] = tally;
    return tally;
  }

  /** Looks the tally up once, as `ruleTallyOf` does. */
  function entryTallyOf({ redirect, pages }: ServedRedirect, entryId: number): RuleTally {
    const known = pages?.tallies.get(entryId);
    if (known !== undefined) return known;
    const tally = recorder.ruleTallyOf(redirect.id, hitIdOf(entryId), '');
    pages?.tallies.set(entryId, tally);
    return tally;
  }

  return {
    count({ served, outcome, entryId }) {
      recorder.countRequest(served.tally);
      if (entryId !== 0) recorder.countMatch(entryTallyOf(served, entryId), false);
      if (outcome === undefined) return;
      ruleCounts.matches += 1;
      const isPerson = recorder.isPerson(request.method(), request.purpose(), request.userAgent());
      recorder.countMatch(ruleTallyOf(served, outcome), isPerson);
    },
    record({ served, isByRules, outcome, entryId }, statusCode, location, answer = location) {
      const { redirect, tally } = served;
      if (!recorder.shouldRecord(redirect.samplingRate)) return undefined;
      const hit = recorder.claim(tally, redirect.id, redirect.samplingRate);
      if (hit === undefined) return undefined;
      hit.host = redirect.host;
      if (isWildcard(redirect.host)) hit.requestedHost = normalizeHost(request.hostHeader());
      const startLength = answer.length - location.length;
      hit.location = startLength > MAX_KEPT_START ? location : answer.slice(startLength);
      hit.statusCode = statusCode;
      hit.retentionDays = redirect.retentionDays;
      hit.queryRecording = redirect.queryRecording;
      hit.rulesetVersion = table.versionText;
      if (outcome !== undefined) {
        hit.ruleId = outcome.ruleId;
        hit.variant = outcome.variant;
        if (dice.wasRolled) hit.draw = dice.rolled;
        hit.entryId = entryId === 0 && redirect.paths !== undefined && !outcome.target ? NO_ENTRY : entryId;
      } else if (entryId !== 0) hit.ruleId = hitIdOf(entryId);
      // Conditions and dates used this clock. It is read again only if none of them read it.
      if (isByRules) hit.timestampMs = visitor.nowMs();
      describeVisitor(hit, request);
      return hit.timestampMs;
    },
  };
}

/** Copies the visitor's texts from the request into the hit. */
export function describeVisitor(hit: HitSlot, request: CurrentRequest): void {
  hit.path = request.path();
  hit.query = request.query();
  hit.method = request.method();
  hit.userAgent = request.userAgent();
  hit.referrer = request.referrer();
  hit.acceptLanguage = request.acceptLanguage();
  hit.purpose = request.purpose();
  hit.address = request.address();
}
