import type { RuleAction } from '../../../../shared/rules/rule-definition.js';
import { AppError } from '../../../errors/app-error.js';
import type { Queryable } from '../../../storage/postgres/database.js';
import { type CertainLoop, findCertainLoop, type LoopEdge } from './certain-loop.js';
import { readLoopGraph } from './loop-graph.js';

/** A rule that has been written, in the form in which it is stored. */
export interface WrittenRule {
  readonly id: number;
  readonly redirectId: string;
  readonly action: RuleAction;
  readonly startDate: Date | null;
  readonly endDate: Date | null;
}

/**
 * Refuses an active rule that certainly closes a loop at the first moment at which the rule is live. Data planes cut
 * the loops that are not certain. The caller holds the lock of the graph.
 *
 * @throws {AppError} REDIRECT_LOOP naming the URL
 */
export async function requireNoLoopByRule(tx: Queryable, rule: WrittenRule): Promise<void> {
  const now = new Date();
  const at = rule.startDate !== null && rule.startDate > now ? rule.startDate : now;
  if (rule.endDate !== null && rule.endDate < at) return;
  const loop = await findLoop(tx, rule.redirectId, at, (edge) => edge.rule?.id === rule.id);
  if (loop === undefined) return;
  const field = rule.action.type === 'ab_test' ? `action.variants.${loop.edge.target}.url` : 'action.url';
  throw loopError(field, loop.path);
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

async function findLoop(
  tx: Queryable,
  redirectId: string,
  at: Date,
  isAsked: (edge: LoopEdge) => boolean,
): Promise<CertainLoop | undefined> {
  const graph = await readLoopGraph(tx, redirectId, at);
  return graph === undefined ? undefined : findCertainLoop(graph, isAsked);
}

function loopError(field: string, path: readonly string[]): AppError {
  return new AppError('REDIRECT_LOOP', {
    field,
    message: `Visitors would be sent in a circle: ${path.join(' → ')}. Choose a destination outside this loop.`,
  });
}
