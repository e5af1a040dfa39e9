import { boundsOf } from '../../../shared/rules/choice/pick.js';
import { stickyOf } from '../../../shared/rules/choice/sticky.js';
import type { RuleDefinition } from '../../../shared/rules/rule-definition.js';
import type { CompiledRedirect } from '../../../shared/ruleset/compiled-redirect.js';
import type { RedirectDefinition } from '../../../shared/ruleset/redirect-definition.js';
import { COLUMNS_OF_ATTRIBUTE } from './stored-visitor.js';
import type { GroupColumn } from './visit-group.js';

/** Facts of visits that a definition needs. Fewer columns make fewer groups. */
export interface NeededFacts {
  readonly columns: readonly GroupColumn[];
  /** Whether visits represent different amounts of traffic. Default: no, each represents one visit. */
  readonly isWeighted?: boolean;
  /** Whether the hour or the day decides. */
  readonly needsClock: boolean;
  /** Bounds that draws are compared with, ascending. */
  readonly drawBounds: readonly number[];
  /** Times at which the definition begins to decide otherwise. Unix milliseconds, ascending. */
  readonly turningPoints: readonly number[];
}

export function neededFacts(definition: RedirectDefinition, compiled: CompiledRedirect): NeededFacts {
  const { rules = [], startsAt, endsAt } = definition;
  const conditions = rules.flatMap((rule) => rule.conditions);
  const columns = new Set(conditions.flatMap(({ attribute }) => COLUMNS_OF_ATTRIBUTE[attribute]));
  const routes = [undefined, ...(compiled.matcher?.outcomes ?? [])].map((one) => compiled.routeOf(one));
  const hasPaths = definition.paths !== undefined;
  if (hasPaths || routes.some(({ readsPath }) => readsPath)) columns.add('path');
  if (hasPaths || routes.some(({ readsQuery }) => readsQuery)) columns.add('query');
  if (definition.host.startsWith('*.') && (hasPaths || routes.some(({ mayLoop }) => mayLoop))) {
    columns.add('requested_host');
  }
  const drawing = rules.flatMap(({ action }) => (action.type === 'redirect' ? [] : [action]));
  if (drawing.some((action) => stickyOf(action) === 'visitor')) columns.add('visitor');
  if (drawing.some((action) => stickyOf(action) !== 'visitor')) columns.add('draw');
  const changes = rules.flatMap(({ startMs, endMs }) => [startMs, endMs && endMs + 1]);
  return {
    columns: [...columns].sort(),
    needsClock: conditions.some(({ attribute }) => COLUMNS_OF_ATTRIBUTE[attribute].length === 0),
    drawBounds: ascending(drawing.flatMap(boundsOfAction)),
    turningPoints: ascending([...changes, startsAt, endsAt].filter((time) => time !== undefined)),
  };
}

/** The bounds that `compileChoice` compares draws with, computed as it computes them. */
function boundsOfAction(action: Exclude<RuleDefinition['action'], { type: 'redirect' }>): number[] {
  return action.type === 'percentage_redirect'
    ? boundsOf([action.percentage, 100 - action.percentage])
    : boundsOf(action.variants.map(({ percentage }) => percentage));
}

function ascending(numbers: readonly number[]): number[] {
  return [...new Set(numbers)].sort((one, other) => one - other);
}
