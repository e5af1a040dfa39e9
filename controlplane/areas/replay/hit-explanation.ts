import { entryIdOf } from '../../../shared/paths/entry-ids.js';
import { stickyOf } from '../../../shared/rules/choice/sticky.js';
import { AppError } from '../../errors/app-error.js';
import type { AnalyticsStore } from '../../storage/clickhouse/analytics-store.js';
import type { Database } from '../../storage/postgres/database.js';
import { asAnswer } from '../analytics/public.js';
import { readEntrySource, readLiveTable } from '../paths/public.js';
import type { Redirect, RedirectService } from '../redirects/public.js';
import { type Rule, ruleRepository } from '../rules/public.js';
import type { Verdict } from './condition-verdict.js';
import type { Gap } from './gap.js';
import { createJudge, type Judge, type JudgedRule, receivedBy } from './judge.js';
import { definitionOf } from './replay-definition.js';
import { answerRecord } from './replay-result.js';
import type { Explanation } from './replay-schema.js';
import { COLUMNS_OF_ATTRIBUTE, EXPRESSIONS, type GroupColumn, type VisitGroup } from './visit-group.js';

/** Explains the decision about a recorded visit. Throws NOT_FOUND and FORBIDDEN. */
export type ExplainHit = (userId: string, redirectId: string, hitId: string) => Promise<Explanation>;

export interface ExplainHitDeps {
  readonly database: Database;
  readonly store: AnalyticsStore;
  readonly redirects: Pick<RedirectService, 'requireOwned'>;
}

const COLUMNS: readonly GroupColumn[] = [
  ...new Set([...Object.values(COLUMNS_OF_ATTRIBUTE).flat(), 'path', 'query', 'visitor', 'draw'] as const),
];
const HIT_ID = /^(.+)-([1-9]\d{0,15})$/;

interface StoredHit extends Omit<VisitGroup, 'visits' | 'example'> {
  readonly ruleset_version: string;
}

export function createExplainHit({ database, store, redirects }: ExplainHitDeps): ExplainHit {
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
                 ruleset_version AS ruleset_version_, ${columns}
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

  return async (userId, redirectId, hitId) => {
    const redirect = await redirects.requireOwned(redirectId, userId);
    const hit = await readHit(userId, redirectId, hitId);
    const rules = await ruleRepository.listOfRedirect(database, redirectId);
    const table = await readLiveTable(database, redirectId);
    const judge = createJudge(definitionOf(redirect, rules, table), table.pages);
    const example = { timeMs: hit.timeMs, path: '', country: '', deviceType: '' };
    const group: VisitGroup = { ...hit, visits: 1, example };
    const judged = judge.judge(group);
    judge.visitor.take(group);
    const explained = explainRules(judge, rules);
    const entryId = entryIdOf(hit.rule_id);
    return {
      hitId,
      timestamp: new Date(hit.timeMs).toISOString(),
      rulesetVersion: hit.ruleset_version,
      received: answerRecord(receivedBy(group)),
      definitionChanged: isChangedSince(hit, redirect, rules),
      outcome: OUTCOMES[judged.kind],
      answer: judged.kind === 'unjudged' ? null : answerRecord(judged.answer),
      rules: explained.rules,
      choice: choiceOf(group, rules),
      entry:
        entryId === undefined
          ? null
          : { id: entryId, source: await readEntrySource(database, redirectId, entryId) },
      notRecorded: gapsOf([...explained.gaps, ...(judged.kind === 'unjudged' ? [judged.gap] : [])]),
    };
  };
}

const OUTCOMES = { unchanged: 'reproduced', changed: 'differs', unjudged: 'unknown' } as const;
const MATCHED: Readonly<Record<Verdict, boolean | null>> = { yes: true, no: false, unknown: null };

/** Explains the rules up to the one that decides. The visitor of the judge has the visit. */
function explainRules({ rules, visitor }: Judge, stored: readonly Rule[]) {
  const names = new Map(stored.map(({ id, name }) => [id, name]));
  const explained: Explanation['rules'] = [];
  const gaps: Gap[] = [];
  for (const rule of rules) {
    const { definition, verdict } = rule;
    const judged = verdict.judge(visitor);
    const isDecided = judged.verdict === 'yes' && explained.every(({ matched }) => matched === false);
    explained.push({
      ruleId: definition.id,
      ruleName: names.get(definition.id) ?? '',
      matched: MATCHED[judged.verdict],
      decided: isDecided,
      isLive: isLive(rule, visitor.nowMs()),
      conditions: definition.conditions.map(({ attribute, operator }, index) => {
        const condition = verdict.conditions[index]?.(visitor) ?? { verdict: 'no' };
        if (condition.gap !== undefined) gaps.push(condition.gap);
        return { index, attribute, operator, matched: MATCHED[condition.verdict] };
      }),
    });
    if (judged.verdict === 'yes') break;
  }
  return { rules: explained, gaps };
}

function isLive({ definition }: JudgedRule, atMs: number): boolean {
  const { startMs = Number.NEGATIVE_INFINITY, endMs = Number.POSITIVE_INFINITY } = definition;
  return startMs <= atMs && atMs <= endMs;
}

/** Explains the choice of the rule that decided then. Hits of earlier releases do not say whether something was drawn. */
function choiceOf(hit: VisitGroup, rules: readonly Rule[]): Explanation['choice'] {
  const action = rules.find(({ id }) => id === hit.rule_id)?.action;
  if (action === undefined || action.type === 'redirect') return null;
  const sticky = stickyOf(action);
  const { draw = 0, variant, query_recording } = hit;
  const saysDraw = query_recording !== '';
  return {
    sticky,
    draw: draw === 0 ? null : draw,
    remembered: sticky === 'cookie' ? (saysDraw ? draw === 0 : null) : false,
    variant: variant === '' ? null : variant,
  };
}

/** A rule that decided and is gone also shows that the definition is another one. */
function isChangedSince(hit: StoredHit, redirect: Redirect, rules: readonly Rule[]): boolean {
  const changes = [redirect.updatedAt, ...rules.map(({ updatedAt }) => updatedAt)];
  if (changes.some((at) => at.getTime() > hit.timeMs)) return true;
  const isRule = hit.rule_id !== 0 && entryIdOf(hit.rule_id) === undefined;
  return isRule && !rules.some(({ id, status }) => id === hit.rule_id && status === 'active');
}

function gapsOf(gaps: readonly Gap[]): Explanation['notRecorded'] {
  const distinct = new Map(
    gaps.map(({ attribute, reason }) => [`${attribute} ${reason}`, { attribute, reason }]),
  );
  return [...distinct.values()];
}
