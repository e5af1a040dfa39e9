import type { RuleAction } from '../../../../shared/rules/rule-definition.js';
import { AppError } from '../../../errors/app-error.js';
import type { Queryable } from '../../../storage/postgres/database.js';
import { type CertainLoop, findCertainLoop, type LoopEdge } from './certain-loop.js';
import {
  type DraftedRedirect,
  draftedNode,
  type LoopGraph,
  readLoopGraph,
  servedGraph,
} from './loop-graph.js';

/** A written rule in its stored form. */
export interface WrittenRule {
  readonly id: number;
  readonly redirectId: string;
  readonly action: RuleAction;
  readonly startDate: Date | null;
  readonly endDate: Date | null;
}

/** Maximum moments that are searched for one change. A search may take 100 ms, and locks the graph. */
const MAX_MOMENTS = 10;

/** Rules that become live at one moment. */
interface Search {
  readonly at: Date;
  readonly ids: Set<number>;
}

/**
 * Refuses an active rule that certainly closes a loop at the first moment at which the rule is live. Data planes cut
 * the loops that are not certain. The caller holds the lock of the graph.
 *
 * @throws {AppError} REDIRECT_LOOP naming the URL
 */
export async function requireNoLoopByRule(tx: Queryable, rule: WrittenRule): Promise<void> {
  const found = await findLoopByRules(tx, [rule]);
  if (found !== undefined) throw found.error;
}

/**
 * Finds an active rule of one redirect that certainly closes a loop. Rules that start later are searched at the first
 * ten moments. The caller holds the lock of the graph.
 *
 * @returns the rule, and the error that names its URL
 */
export async function findLoopByRules(
  tx: Queryable,
  rules: readonly WrittenRule[],
): Promise<{ readonly rule: WrittenRule; readonly error: AppError } | undefined> {
  const byId = new Map(rules.map((rule) => [rule.id, rule]));
  for (const { at, ids } of searchesFor(rules).slice(0, MAX_MOMENTS)) {
    const { redirectId = '' } = rules[0] ?? {};
    const loop = await findLoop(tx, redirectId, at, (edge) => ids.has(edge.rule?.id ?? 0));
    const rule = byId.get(loop?.edge.rule?.id ?? 0);
    if (loop === undefined || rule === undefined) continue;
    const field = rule.action.type === 'ab_test' ? `action.variants.${loop.edge.target}.url` : 'action.url';
    return { rule, error: loopError(field, loop.path) };
  }
  return undefined;
}

/** Groups the rules by the moment from which they are live, now or later, in order of time. */
function searchesFor(rules: readonly WrittenRule[]): Search[] {
  const now = new Date();
  const searches = new Map<number, Search>();
  for (const { id, startDate, endDate } of rules) {
    const at = startDate !== null && startDate > now ? startDate : now;
    if (endDate !== null && endDate < at) continue;
    const search = searches.get(at.getTime()) ?? { at, ids: new Set() };
    search.ids.add(id);
    searches.set(at.getTime(), search);
  }
  return [...searches.values()].sort((a, b) => a.at.getTime() - b.at.getTime());
}

/**
 * Refuses a redirect whose own destination closes a loop through rules. The caller holds the lock of the graph.
 *
 * @throws {AppError} REDIRECT_LOOP naming `toDomain`
 */
export async function requireNoLoopByDestination(
  tx: Queryable,
  { id, fromDomain }: { readonly id: string; readonly fromDomain: string },
): Promise<void> {
  const isAsked = (edge: LoopEdge) => edge.host === fromDomain && edge.rule === undefined;
  const loop = await findLoop(tx, id, new Date(), isAsked);
  if (loop !== undefined) throw loopError('toDomain', loop.path);
}

/** Returns the hosts of a loop that a redirect would close once it is served. The caller holds the lock of the graph. */
export async function findLoopOfRedirect(
  tx: Queryable,
  { id, fromDomain }: { readonly id: string; readonly fromDomain: string },
): Promise<readonly string[] | undefined> {
  return (await findLoop(tx, id, new Date(), ({ host }) => host === fromDomain))?.path;
}

/** Returns the hosts of a loop that a drafted redirect would certainly close; undefined without one. */
export async function findLoopOfDraft(
  tx: Queryable,
  redirectId: string,
  draft: DraftedRedirect,
): Promise<readonly string[] | undefined> {
  const graph = await readLoopGraph(tx, redirectId, new Date(), draftedNode(draft));
  return graph && findLoopIn(graph, ({ host }) => host === draft.fromDomain)?.path;
}

async function findLoop(
  tx: Queryable,
  redirectId: string,
  at: Date,
  isAsked: (edge: LoopEdge) => boolean,
): Promise<CertainLoop | undefined> {
  const graph = await readLoopGraph(tx, redirectId, at);
  return graph && findLoopIn(graph, isAsked);
}

/**
 * Finds a loop as if disabled redirects were enabled, because enabling them is not checked. Otherwise finds one through the
 * fallbacks of their owners.
 */
function findLoopIn(graph: LoopGraph, isAsked: (edge: LoopEdge) => boolean): CertainLoop | undefined {
  const found = findCertainLoop(graph, isAsked);
  if (found !== undefined) return found;
  const served = servedGraph(graph);
  return served && findCertainLoop(served, isAsked);
}

function loopError(field: string, path: readonly string[]): AppError {
  return new AppError('REDIRECT_LOOP', {
    field,
    message: `Visitors would be sent in a circle: ${path.join(' → ')}. Choose a destination outside this loop.`,
  });
}
