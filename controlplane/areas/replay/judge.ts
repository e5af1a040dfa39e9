import { createRecordedTexts } from '../../../shared/hits/recorded-texts.js';
import { entryIdOf } from '../../../shared/paths/entry-ids.js';
import type { PathPages } from '../../../shared/paths/path-matcher.js';
import { type Choice, compileChoice } from '../../../shared/rules/choice/compile-choice.js';
import { seedOfVariant } from '../../../shared/rules/choice/draw.js';
import { stickyOf } from '../../../shared/rules/choice/sticky.js';
import { createRegexGuard } from '../../../shared/rules/regex-guard.js';
import type { RuleDefinition } from '../../../shared/rules/rule-definition.js';
import type { RuleOutcome } from '../../../shared/rules/rule-matcher.js';
import {
  atThisTime,
  type CompiledRedirect,
  compileRedirect,
} from '../../../shared/ruleset/compiled-redirect.js';
import type { RedirectDefinition } from '../../../shared/ruleset/redirect-definition.js';
import type { Route } from '../../../shared/ruleset/route.js';
import { compileRuleVerdict, type RuleVerdict } from './condition-verdict.js';
import { decidePath } from './decided-path.js';
import type { Gap } from './gap.js';
import { StoredVisitor } from './stored-visitor.js';
import type { VisitGroup } from './visit-group.js';

/** The decision about a visitor, and the answer. */
export interface Answer {
  /** Rule that decides; 0 for none. */
  readonly ruleId: number;
  readonly variant: string;
  /** Destination as hits record it; empty without one. */
  readonly destination: string;
  readonly statusCode: number;
  /** Entry of the table of paths; 0 for none. */
  readonly entryId: number;
}

export type Change = 'otherDestination' | 'otherRule' | 'otherVariant';

/** Judgement about a group of visits. `answer` is the answer that its visitors would have received. */
export type Judgement =
  | { readonly kind: 'unchanged'; readonly answer: Answer }
  | { readonly kind: 'changed'; readonly change: Change; readonly answer: Answer }
  | { readonly kind: 'unjudged'; readonly gap: Gap };

/** A definition, ready to judge recorded visits. */
export interface Judge {
  readonly compiled: CompiledRedirect;
  readonly rules: readonly JudgedRule[];
  readonly visitor: StoredVisitor;
  judge(group: VisitGroup): Judgement;
  /** Returns whether a rule matches visits, regardless of the rules before it. */
  matches(rule: JudgedRule, group: VisitGroup): boolean;
}

/** A rule with its compiled verdict. */
export interface JudgedRule {
  readonly definition: RuleDefinition;
  readonly verdict: RuleVerdict;
  readonly choice: Choice;
}

/** Outcome that visits may have had. */
interface Possible {
  readonly outcome: RuleOutcome | undefined;
  /** The fact that is missing to be certain of it. */
  readonly gap: Gap | undefined;
  /** Whether it is of the rule that decided, whose cookie is all that is missing. */
  readonly isRemembered: boolean;
}

/** Requests that were refused for bytes or lengths that hits do not hold. */
const REFUSED: ReadonlySet<number> = new Set([414, 431]);
/** Problems that were found after the decision: the destination is recorded all the same. */
const PROBLEMS: ReadonlySet<number> = new Set([400, 508]);
const REFUSED_REQUEST: Gap = { attribute: 'request', reason: 'refused' };
const UNKNOWN_HOST: Gap = { attribute: 'host', reason: 'not_recorded' };

/** Length from which a stored host may have been cut. */
const CUT_HOST_LENGTH = 255;
/** Two hosts below a wildcard, for hits that do not say theirs. A destination that differs between them depends on the host. */
const PROBED_HOSTS = ['a.b.c.d.e.f.g.h', 'i.j.k.l.m.n.o.p'] as const;

/**
 * Compiles a definition to judge recorded visits, with the code that data planes decide by.
 *
 * @param pages of the table of paths, if the definition has one
 */
export function createJudge(definition: RedirectDefinition, pages: PathPages | undefined): Judge {
  // Its clock does not advance, so no regex runs out of time. Visitors get that time unless a redirect is overloaded.
  const guard = createRegexGuard({ nowMs: () => 0 });
  const compiled = compileRedirect(definition, guard);
  const rules = judgedRules(definition.rules ?? [], guard.allowance());
  const visitor = new StoredVisitor(
    (ruleId, variant) => seedOfVariant(ruleId, variant).toString(36),
    definition.queryRecording ?? 'full',
  );
  const recorded = createRecordedTexts();
  visitor.knowsDraws = rules.every(({ definition: { id } }) => id > 0);
  const knowsAllDraws = visitor.knowsDraws;

  function judge(group: VisitGroup): Judgement {
    if (REFUSED.has(group.status_code)) return { kind: 'unjudged', gap: REFUSED_REQUEST };
    visitor.take(group);
    const redirect = atThisTime(compiled, () => group.timeMs);
    if (typeof redirect === 'string') return compared(group, noWay(redirect === 'gone' ? 410 : 404));
    if (redirect.matcher === undefined) return judgeOutcome(redirect, undefined, group);
    visitor.knowsDraws = knowsAllDraws;
    const outcome = redirect.matcher.decide(visitor);
    if (redirect.matcher.givenUpOn !== undefined) return { kind: 'unjudged', gap: REFUSED_REQUEST };
    return visitor.missed === undefined ? judgeOutcome(redirect, outcome, group) : judgeAll(redirect, group);
  }

  /** Judges visits of which something is missing by every outcome that they may have had. */
  function judgeAll(redirect: CompiledRedirect, group: VisitGroup): Judgement {
    const possible = possibleOutcomes(group);
    let common: Judgement | undefined;
    let differ = false;
    for (const { outcome, isRemembered } of possible) {
      const judged = judgeOutcome(redirect, outcome, group);
      if (judged.kind === 'unjudged') return judged;
      if (isRemembered && judged.kind === 'unchanged') return judged;
      if (common === undefined) common = judged;
      else differ ||= common.kind === 'unjudged' || !isSame(common.answer, judged.answer);
    }
    if (common !== undefined && !differ) return common;
    return { kind: 'unjudged', gap: possible.find(({ gap }) => gap !== undefined)?.gap ?? REFUSED_REQUEST };
  }

  /** Returns the outcomes that cannot be ruled out, those of the first rules before the others. */
  function possibleOutcomes(group: VisitGroup): readonly Possible[] {
    const possible: Possible[] = [];
    let doubt: Gap | undefined;
    for (const { definition: rule, verdict, choice } of rules) {
      const judged = verdict.judge(visitor);
      if (judged.verdict === 'no') continue;
      doubt ??= judged.gap;
      visitor.missed = undefined;
      visitor.knowsDraws = rule.id > 0;
      const chosen = choice.choose(visitor);
      const gap = doubt ?? visitor.missed;
      const isRemembered = doubt === undefined && rule.id === group.rule_id && remembers(rule);
      const outcomes = visitor.missed === undefined ? [chosen] : choice.outcomes;
      for (const outcome of outcomes) possible.push({ outcome, gap, isRemembered });
      if (judged.verdict === 'yes') return possible;
    }
    possible.push({ outcome: undefined, gap: doubt, isRemembered: false });
    return possible;
  }

  function judgeOutcome(
    redirect: CompiledRedirect,
    outcome: RuleOutcome | undefined,
    group: VisitGroup,
  ): Judgement {
    if (!definition.host.startsWith('*.')) return judgeAt(redirect, outcome, group, definition.host);
    const { requested_host: requested = '' } = group;
    if (requested !== '' && requested.length < CUT_HOST_LENGTH) {
      return judgeAt(redirect, outcome, group, requested);
    }
    const zone = definition.host.slice(1);
    const [one, other] = PROBED_HOSTS.map((labels) => judgeAt(redirect, outcome, group, labels + zone));
    if (one === undefined || other === undefined || one.kind === 'unjudged')
      return one ?? { kind: 'unjudged', gap: UNKNOWN_HOST };
    return other.kind !== 'unjudged' && isSame(one.answer, other.answer)
      ? one
      : { kind: 'unjudged', gap: UNKNOWN_HOST };
  }

  function judgeAt(
    redirect: CompiledRedirect,
    outcome: RuleOutcome | undefined,
    group: VisitGroup,
    host: string,
  ): Judgement {
    const { path = '/', query = '' } = group;
    const ruleId = outcome?.ruleId ?? 0;
    const variant = outcome?.variant ?? '';
    let entryId = 0;
    let route: Route = redirect.routeOf(outcome);
    let isFilledIn = false;
    if (redirect.paths !== undefined && outcome?.target === undefined) {
      const byPath = decidePath(redirect.paths, pages, { path, query, host });
      const gap = visitor.pathGap() ?? (byPath?.readsQuery ? visitor.queryGap() : undefined);
      if (gap !== undefined) return { kind: 'unjudged', gap };
      if (byPath !== undefined && byPath.statusCode !== 0) {
        entryId = byPath.entryId;
        if (byPath.route === undefined) {
          return compared(group, {
            ruleId,
            variant,
            destination: '',
            statusCode: byPath.statusCode,
            entryId,
          });
        }
        route = byPath.route;
        isFilledIn = route.pathForwarding;
      }
    }
    const location = route.location(route.readsPath ? path : '/', route.readsQuery ? query : undefined, host);
    const isLoop = route.mayLoop && route.isLoop(location, host, path, query);
    const judged = compared(group, {
      ruleId,
      variant,
      destination: recorded.url(location, visitor.queryRecording),
      statusCode: isLoop ? 508 : route.statusCode,
      entryId,
    });
    if (judged.kind !== 'changed' || judged.change !== 'otherDestination') return judged;
    // A missing part of the path or the query may be the difference.
    const gap =
      (route.readsPath ? visitor.pathGap() : undefined) ??
      (route.readsQuery && isFilledIn ? visitor.queryGap() : undefined);
    return gap === undefined ? judged : { kind: 'unjudged', gap };
  }

  return {
    compiled,
    rules,
    visitor,
    judge,
    matches(rule, group) {
      visitor.take(group);
      return rule.verdict.judge(visitor).verdict === 'yes';
    },
  };
}

function judgedRules(
  rules: readonly RuleDefinition[],
  allowance: Parameters<typeof compileRuleVerdict>[1],
): JudgedRule[] {
  let firstIndex = 0;
  return rules.map((definition) => {
    const choice = compileChoice(definition, firstIndex);
    firstIndex += choice.outcomes.length;
    return { definition, verdict: compileRuleVerdict(definition, allowance), choice };
  });
}

function remembers({ action }: RuleDefinition): boolean {
  return action.type !== 'redirect' && stickyOf(action) === 'cookie';
}

function noWay(statusCode: number): Answer {
  return { ruleId: 0, variant: '', destination: '', statusCode, entryId: 0 };
}

/** Returns the answer that visitors of a group received. */
export function receivedBy(group: VisitGroup): Answer {
  const entryId = entryIdOf(group.rule_id);
  return {
    ruleId: entryId === undefined ? group.rule_id : 0,
    variant: group.variant,
    destination: group.destination_url,
    statusCode: group.status_code,
    entryId: entryId ?? 0,
  };
}

/** Compares an answer with the received one. Path entries are compared by their answers, not by their ids. */
function compared(group: VisitGroup, answer: Answer): Judgement {
  const received = receivedBy(group);
  if (isSame(received, answer)) return { kind: 'unchanged', answer };
  const change =
    received.ruleId !== answer.ruleId
      ? 'otherRule'
      : received.variant !== answer.variant
        ? 'otherVariant'
        : 'otherDestination';
  return { kind: 'changed', change, answer };
}

function isSame(received: Answer | undefined, answer: Answer): boolean {
  return (
    received !== undefined &&
    received.ruleId === answer.ruleId &&
    received.variant === answer.variant &&
    received.destination === answer.destination &&
    (received.statusCode === answer.statusCode || PROBLEMS.has(received.statusCode))
  );
}
