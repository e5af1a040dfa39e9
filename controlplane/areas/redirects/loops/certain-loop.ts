import { stickyOf } from '../../../../shared/rules/choice/sticky.js';
import type { RuleCondition } from '../../../../shared/rules/rule-definition.js';
import { isStable, type Verdict, verdictOf } from './condition-verdict.js';
import type { LoopGraph, LoopNode, LoopRule } from './loop-graph.js';

/** A step from a host to the next one: to the redirect's own destination, or to a target of a rule. */
export interface LoopEdge {
  readonly host: string;
  /** Undefined for the redirect's own destination. */
  readonly rule: LoopRule | undefined;
  /** Index of the variant; 0 for actions without variants. */
  readonly target: number;
  readonly nextHost: string;
}

export interface CertainLoop {
  /** Hosts, the first again at the end. */
  readonly path: readonly string[];
  /** An edge of the loop that the caller selected. */
  readonly edge: LoopEdge;
}

/** Maximum work of one search: rules judged, their targets, and conditions compared. Takes 50 to 100 ms. */
const MAX_STEPS = 50_000;
/** Maximum conditions of a rule that are compared. A rule with more may match anybody. */
const MAX_CONDITIONS = 50;

/** Remaining work of a search; negative after it was given up. */
interface Work {
  stepsLeft: number;
}

/**
 * Finds a loop that is certain for all visitors who match a rule, or who get an own destination that `isAsked` selects.
 * Certain means that every possible next redirect is in `graph` and that the visitors return to the host that they
 * left. Visitors keep their attributes and their remembered choices; attributes that change between hops can have any
 * value. A rule that redirects to its own host is a loop of one host, unless its conditions or an earlier rule depend
 * on attributes that change. A rule that several earlier rules shadow only together counts as reachable. The result can
 * therefore be a loop that no visitor meets.
 *
 * @param isAsked selects edges; the loop must contain one of them
 * @returns undefined without a loop, or when the search would take too long
 */
export function findCertainLoop(
  graph: LoopGraph,
  isAsked: (edge: LoopEdge) => boolean,
): CertainLoop | undefined {
  const work: Work = { stepsLeft: MAX_STEPS };
  const edges = [...graph.values()].flatMap(edgesOf);
  const candidates = edges.filter(
    (edge) => (edge.rule !== undefined || isAsked(edge)) && graph.has(edge.nextHost),
  );
  // Selected edges come first. The message then shows the loop from the author's redirect.
  const ordered = [...candidates.filter(isAsked), ...candidates.filter((edge) => !isAsked(edge))];
  for (const candidate of ordered) {
    if (isUnreachable(candidate, graph, work)) continue;
    const walked = walkFrom(graph, candidate, work);
    if (work.stepsLeft < 0) return undefined;
    const edge = walked?.edges.find(isAsked);
    if (walked !== undefined && edge !== undefined) return { path: pathOf(walked.cameFrom, candidate), edge };
  }
  return undefined;
}

/** Returns whether earlier rules keep every visitor from the edge. */
function isUnreachable({ host, rule }: LoopEdge, graph: LoopGraph, work: Work): boolean {
  const rules = graph.get(host)?.rules ?? [];
  const earlier = rule === undefined ? rules : rules.slice(0, rules.indexOf(rule));
  const facts = factsOf(rule);
  return earlier.some(
    (other) => ruleVerdict(other, facts, work) === 'always' && !(rule === undefined && leavesSome(other)),
  );
}

function edgesOf(node: LoopNode): LoopEdge[] {
  return [...node.rules.flatMap((rule) => targetsOf(node.host, rule)), destinationOf(node)];
}

function targetsOf(host: string, rule: LoopRule): LoopEdge[] {
  return rule.targetHosts.map((nextHost, target) => ({ host, rule, target, nextHost }));
}

function destinationOf({ host, destinationHost }: LoopNode): LoopEdge {
  return { host, rule: undefined, target: 0, nextHost: destinationHost };
}

/**
 * Returns every edge that visitors of `candidate` may take next; undefined when one leaves the graph or none returns.
 */
function walkFrom(graph: LoopGraph, candidate: LoopEdge, work: Work) {
  const facts = factsOf(candidate.rule);
  const cameFrom = new Map([[candidate.nextHost, candidate.host]]);
  const edges = [candidate];
  for (const host of cameFrom.keys()) {
    const node = graph.get(host);
    if (node === undefined) return undefined;
    for (const edge of edgesFor(node, candidate, facts, work)) {
      edges.push(edge);
      if (!cameFrom.has(edge.nextHost)) cameFrom.set(edge.nextHost, host);
    }
  }
  return cameFrom.has(candidate.host) ? { cameFrom, edges } : undefined;
}

/** Returns the conditions that hold at every hop for the visitors that `rule` matches. */
function factsOf(rule: LoopRule | undefined): readonly RuleCondition[] {
  if (rule === undefined || rule.conditions.length > MAX_CONDITIONS) return [];
  const { conditions, conditionLogic } = rule;
  return conditionLogic === 'AND' || conditions.length === 1 ? conditions.filter(isStable) : [];
}

/** Returns the edges that visitors of `candidate` may take at a host. */
function edgesFor(
  node: LoopNode,
  candidate: LoopEdge,
  facts: readonly RuleCondition[],
  work: Work,
): LoopEdge[] {
  const edges: LoopEdge[] = [];
  const destination = destinationOf(node);
  const isBack = node.host === candidate.host;
  let isBefore = isBack;
  for (const rule of node.rules) {
    const isCandidate = isBack && rule.id === candidate.rule?.id;
    if (isCandidate) isBefore = false;
    const verdict = isCandidate ? againVerdict(rule) : ruleVerdict(rule, facts, work);
    // The rule did not match the visitor before, and the attributes that it tests are the same.
    const isPassedBy =
      isBefore && rule.conditions.every(isStable) && !(candidate.rule === undefined && leavesSome(rule));
    if (verdict === 'never' || isPassedBy) continue;
    const isRemembered = isCandidate && remembers(rule);
    edges.push(
      ...targetsOf(node.host, rule).filter(({ target }) => !isRemembered || target === candidate.target),
    );
    // Visitors outside the percentage get the own destination, even if later rules would match them.
    if (leavesSome(rule) && !isRemembered) edges.push(destination);
    if (verdict === 'always') return edges;
  }
  return [...edges, destination];
}

/** Returns whether a rule that matched a visitor matches that visitor again. */
function againVerdict({ conditions }: LoopRule): Verdict {
  return conditions.every(isStable) ? 'always' : 'perhaps';
}

function ruleVerdict(
  { conditions, conditionLogic, targetHosts }: LoopRule,
  facts: readonly RuleCondition[],
  work: Work,
): Verdict {
  work.stepsLeft -= 1 + targetHosts.length;
  if (conditions.length === 0) return 'always';
  work.stepsLeft -= conditions.length * facts.length;
  if (conditions.length > MAX_CONDITIONS || work.stepsLeft < 0) return 'perhaps';
  const verdicts = conditions.map((condition) => verdictOf(condition, facts));
  const [deciding, other] =
    conditionLogic === 'AND' ? (['never', 'always'] as const) : (['always', 'never'] as const);
  if (verdicts.includes(deciding)) return deciding;
  return verdicts.every((verdict) => verdict === other) ? other : 'perhaps';
}

/** Returns whether some visitors that the rule matches get the redirect's own destination. */
function leavesSome({ action }: LoopRule): boolean {
  return action.type === 'percentage_redirect' && action.percentage < 100;
}

/** Returns whether a visitor who comes back gets the same choice again. */
function remembers({ action }: LoopRule): boolean {
  return action.type === 'redirect' || stickyOf(action) !== 'none';
}

function pathOf(cameFrom: ReadonlyMap<string, string>, { host, nextHost }: LoopEdge): string[] {
  const path = [host];
  let before = cameFrom.get(host);
  // Hosts are added in the order of the search, so walking back ends at the first edge.
  while (before !== undefined && before !== host && path.length <= cameFrom.size) {
    path.unshift(before);
    if (before === nextHost) break;
    before = cameFrom.get(before);
  }
  return [host, ...path];
}
