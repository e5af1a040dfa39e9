import type { Attribute } from '../../../shared/rules/attributes.js';
import type { RuleOutcome } from '../../../shared/rules/rule-matcher.js';
import { atThisTime, type CompiledRedirect } from '../../../shared/ruleset/compiled-redirect.js';
import { decideByPath } from '../../../shared/ruleset/decide-by-path.js';
import { PathRoute } from '../../../shared/ruleset/path-route.js';
import type { Route } from '../../../shared/ruleset/route.js';
import type { AnswerReason } from './example-schema.js';
import type { ServedState } from './served-state.js';
import type { Visit } from './visit.js';

/** An answer that a visitor can get. */
export interface Answer {
  readonly statusCode: number;
  /** Null without one. */
  readonly location: string | null;
  readonly reason: AnswerReason;
  /** Rule that matches; 0 for none. */
  readonly ruleId: number;
  /** Empty unless the rule is an A/B test. */
  readonly variant: string;
  /** Path that decides; 0 for none. */
  readonly entryId: number;
}

const NOBODY = { ruleId: 0, variant: '', entryId: 0 } as const;
const FORBIDDEN_METHODS: ReadonlySet<string> = new Set(['TRACE', 'CONNECT']);
const LOOP_STATUS_CODE = 508;

/** Overwritten by each decision. */
const pathRoute = new PathRoute();

/**
 * Returns the answers that a visit can get, with the matcher and the routes of data planes: more than one if the result
 * depends on a choice that the visit leaves open. The host counts as verified.
 */
export function answersTo(state: ServedState, visit: Visit): readonly Answer[] {
  const { redirect, compiled } = state;
  if (FORBIDDEN_METHODS.has(visit.method)) return [refusal(405, 'method')];
  if (!redirect.enabled && !state.hasFallback) return [refusal(404, 'disabled')];
  const mode = compiled.https?.mode;
  if (mode === 'off' && visit.isSecure) return [refusal(421, 'https')];
  const open = atThisTime(compiled, () => visit.nowMs);
  if (mode === 'upgrade' && !visit.isSecure) return [upgraded(open, redirect, visit)];
  if (typeof open === 'string') return [closed(open, redirect, visit)];
  if (open.hasEnded) {
    return [routed(open.routeOf(undefined), visit, redirect.enabled ? 'ended' : 'disabled')];
  }
  return outcomesOf(open, visit).map((outcome) =>
    typeof outcome === 'string' ? tooLong(outcome) : answerOf(open, state, outcome, visit),
  );
}

function refusal(statusCode: number, reason: AnswerReason): Answer {
  return { statusCode, location: null, reason, ...NOBODY };
}

/** Answers plain HTTP with the upgrade. A redirect that has ended with 410 answers 410 instead. */
function upgraded(
  open: CompiledRedirect | 'not_found' | 'gone',
  redirect: ServedState['redirect'],
  visit: Visit,
): Answer {
  if (open === 'gone') return closed(open, redirect, visit);
  const location = visit.upgrade.location(visit.host, visit.path, visit.query) ?? null;
  return { statusCode: 308, location, reason: 'https', ...NOBODY };
}

function closed(answer: 'not_found' | 'gone', redirect: ServedState['redirect'], visit: Visit): Answer {
  const reason = isOver(redirect, visit) ? 'ended' : 'not_started';
  return refusal(answer === 'gone' ? 410 : 404, reason);
}

function isOver({ endsAt }: ServedState['redirect'], { nowMs }: Visit): boolean {
  return endsAt !== null && nowMs >= endsAt.getTime();
}

/** Returns the possible outcomes of the rules for a visit, or an attribute that is too long to decide. */
function outcomesOf(
  { matcher }: CompiledRedirect,
  visit: Visit,
): readonly (RuleOutcome | undefined | Attribute)[] {
  if (matcher === undefined) return [undefined];
  visit.takeDraw();
  const outcome = matcher.decide(visit.visitor);
  if (matcher.givenUpOn !== undefined) return [matcher.givenUpOn];
  if (!visit.takeDraw() || outcome === undefined) return [outcome];
  return matcher.outcomes.filter(({ ruleId }) => ruleId === outcome.ruleId);
}

function tooLong(attribute: Attribute): Answer {
  const isTarget = attribute === 'url_path' || attribute === 'query_param';
  return refusal(isTarget ? 414 : 431, 'too_long');
}

function answerOf(
  redirect: CompiledRedirect,
  { pages }: ServedState,
  outcome: RuleOutcome | undefined,
  visit: Visit,
): Answer {
  const rule = { ruleId: outcome?.ruleId ?? 0, variant: outcome?.variant ?? '' };
  const own = redirect.routeOf(outcome);
  if (outcome?.target !== undefined) return { ...routed(own, visit, 'rule'), ...rule };
  if (redirect.paths === undefined) return { ...routed(own, visit, 'destination'), ...rule };
  const question = { path: visit.path, readQuery: () => visit.query, host: visit.host };
  const decided = decideByPath(redirect.paths, pages, question, pathRoute);
  const { entryId } = pathRoute;
  const found = { ...rule, entryId };
  if (typeof decided === 'string') {
    return { ...refusal(decided === 'gone' ? 410 : 404, entryId === 0 ? decided : 'path'), ...found };
  }
  if (decided === undefined) return { ...routed(own, visit, 'destination'), ...found };
  return { ...routed(decided, visit, entryId === 0 ? 'not_found' : 'path'), ...found };
}

/** Returns the answer of a route. There is none for a URL that redirects to itself. */
function routed(route: Route, { hostHeader, path, query }: Visit, reason: AnswerReason): Answer {
  const location = route.location(path, query, hostHeader);
  if (route.mayLoop && route.isLoop(location, hostHeader, path, query)) {
    return refusal(LOOP_STATUS_CODE, reason);
  }
  return { statusCode: route.statusCode, location, reason, ...NOBODY };
}
