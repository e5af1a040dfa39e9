import { entryIdOf, entryOfHit } from '../../../shared/paths/entry-ids.js';
import type { AreaParts } from '../../area.js';
import { AppError } from '../../errors/app-error.js';
import { asAnswer } from '../analytics/public.js';
import { type StateOf, UNCERTAIN_MS, type VersionState, versionAt } from '../history/public.js';
import { readEntrySource, readLiveTable } from '../paths/public.js';
import type { Redirect, RedirectService } from '../redirects/public.js';
import { type Rule, ruleRepository } from '../rules/public.js';
import { choiceOf, explainRules } from './explained-rules.js';
import type { Gap } from './gap.js';
import { createJudge, type Judge, receivedBy } from './judge.js';
import {
  type DecidingRule,
  definitionOf,
  formerDefinition,
  rulesOfState,
  tableOf,
} from './replay-definition.js';
import { answerRecord } from './replay-result.js';
import type { Explanation } from './replay-schema.js';
import { COLUMNS_OF_ATTRIBUTE } from './stored-visitor.js';
import { EXPRESSIONS, type GroupColumn, type VisitGroup } from './visit-group.js';

/** Explains the decision about a recorded visit. Throws NOT_FOUND and FORBIDDEN. */
export type ExplainHit = (userId: string, redirectId: string, hitId: string) => Promise<Explanation>;

export interface ExplainHitDeps extends Pick<AreaParts, 'database' | 'store'> {
  readonly redirects: Pick<RedirectService, 'requireOwned'>;
  readonly stateOf: StateOf;
}

const COLUMNS: readonly GroupColumn[] = [
  ...new Set([
    ...Object.values(COLUMNS_OF_ATTRIBUTE).flat(),
    'path',
    'query',
    'visitor',
    'draw',
    'requested_host',
  ] as const),
];
const HIT_ID = /^(.+)-([1-9]\d{0,15})$/;

interface StoredHit extends Omit<VisitGroup, 'visits' | 'weight' | 'squares' | 'example'> {
  readonly ruleset_version: string;
  /** Entry beside a rule; 0 for none. */
  readonly entry_id: number;
}

/** A definition to explain hits by. */
interface Explained {
  readonly judge: Judge;
  readonly rules: readonly DecidingRule[];
  /** Version that it is of. */
  readonly version: number;
  /** Its state; undefined for the current one, which is read from the tables. */
  readonly state: VersionState | undefined;
}

export function createExplainHit({ database, store, redirects, stateOf }: ExplainHitDeps): ExplainHit {
  async function readHit(userId: string, redirectId: string, hitId: string): Promise<StoredHit> {
    const [, producer, ordinal] = HIT_ID.exec(hitId) ?? [];
    const columns = COLUMNS.map((column) => `${EXPRESSIONS[column] ?? column} AS ${column}_`).join(', ');
    const [row] =
      producer === undefined
        ? []
        : await store
            .query<Record<string, unknown>>(
              `SELECT toUnixTimestamp64Milli(timestamp) AS timeMs_, rule_id AS rule_id_, variant AS variant_,
                 destination_url AS destination_url_, status_code AS status_code_, query_recording AS query_recording_,
                 ruleset_version AS ruleset_version_, entry_id AS entry_id_, ${columns}
               FROM hits WHERE redirect_id = {redirect:String} AND producer_id = {producer:String}
                 AND ordinal = {ordinal:UInt64} LIMIT 1`,
              { redirect: redirectId, producer, ordinal: Number(ordinal) },
              { owner: userId },
            )
            .catch((error: unknown) => {
              throw asAnswer(error);
            });
    if (row === undefined) {
      const message = 'There is no hit with this id among those of the redirect.';
      throw new AppError('NOT_FOUND', { message });
    }
    const facts = Object.entries(row).map(([name, value]) => [name.slice(0, -1), value]);
    return Object.fromEntries(facts) as StoredHit;
  }

  async function current(redirect: Redirect, rules: readonly Rule[]): Promise<Explained> {
    const table = await readLiveTable(database, redirect.id);
    const judge = createJudge(definitionOf(redirect, rules, table), table.pages);
    return { judge, rules, version: redirect.version, state: undefined };
  }

  /** Resolves to undefined where the state of the version is no longer known, or no longer accepted. */
  async function former(redirect: Redirect, version: number): Promise<Explained | undefined> {
    const state = await stateOf(database, redirect.id, version);
    if (state === undefined) return undefined;
    try {
      const { definition, draftTable } = await formerDefinition(database, redirect, state);
      const { destination: toDomain, queryForwarding } = definition;
      const table = await tableOf(database, { ...redirect, toDomain, queryForwarding }, draftTable);
      return { judge: createJudge(definition, table.pages), rules: rulesOfState(state), version, state };
    } catch (error) {
      if (error instanceof AppError && error.status < 500) return undefined;
      throw error;
    }
  }

  async function sourceOf(redirectId: string, entryId: number, state: VersionState | undefined) {
    if (state === undefined) return readEntrySource(database, redirectId, entryId);
    return state.paths.entries.find(({ id }) => id === entryId)?.source ?? null;
  }

  return async (userId, redirectId, hitId) => {
    const redirect = await redirects.requireOwned(redirectId, userId);
    const hit = await readHit(userId, redirectId, hitId);
    const rules = await ruleRepository.listOfRedirect(database, redirectId);
    const visit = { rulesetVersion: hit.ruleset_version, at: new Date(hit.timeMs) };
    const found = await versionAt(database, redirectId, visit);
    const definitionChanged =
      found === undefined ? isChangedSince(hit, redirect, rules) : found !== redirect.version;
    const version = found ?? (definitionChanged ? undefined : redirect.version);
    const isFormer = version !== undefined && version !== redirect.version;
    const earlier = isFormer ? await former(redirect, version) : undefined;
    const explained = earlier ?? (await current(redirect, rules));
    const { judge } = explained;
    const example = { timeMs: hit.timeMs, path: '', country: '', deviceType: '' };
    const group: VisitGroup = { ...hit, visits: 1, weight: 1, squares: 1, example };
    const judged = judge.judge(group);
    judge.visitor.take(group);
    const { rules: explainedRules, gaps } = explainRules(judge, explained.rules);
    const entryId = entryOfHit(hit);
    return {
      hitId,
      timestamp: visit.at.toISOString(),
      rulesetVersion: hit.ruleset_version,
      version: version ?? null,
      explainedVersion: explained.version,
      received: answerRecord(receivedBy(group)),
      definitionChanged,
      outcome: OUTCOMES[judged.kind],
      answer: judged.kind === 'unjudged' ? null : answerRecord(judged.answer),
      rules: explainedRules,
      choice: choiceOf(group, explained.rules),
      entry:
        entryId === undefined
          ? null
          : { id: entryId, source: await sourceOf(redirectId, entryId, explained.state) },
      notRecorded: gapsOf([...gaps, ...(judged.kind === 'unjudged' ? [judged.gap] : [])]),
    };
  };
}

const OUTCOMES = { unchanged: 'reproduced', changed: 'differs', unjudged: 'unknown' } as const;

/**
 * Returns whether the definition has changed since the visit, or may have: changes at about that time count. A missing rule
 * that decided is also a change.
 */
function isChangedSince(hit: StoredHit, redirect: Redirect, rules: readonly Rule[]): boolean {
  const changes = [redirect.updatedAt, ...rules.map(({ updatedAt }) => updatedAt)];
  if (changes.some((at) => at.getTime() > hit.timeMs - UNCERTAIN_MS)) return true;
  const isRule = hit.rule_id !== 0 && entryIdOf(hit.rule_id) === undefined;
  return isRule && !rules.some(({ id, status }) => id === hit.rule_id && status === 'active');
}

function gapsOf(gaps: readonly Gap[]): Explanation['notRecorded'] {
  const distinct = new Map(
    gaps.map(({ attribute, reason }) => [`${attribute} ${reason}`, { attribute, reason }]),
  );
  return [...distinct.values()];
}
