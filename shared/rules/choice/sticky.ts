import type { DrawingAction, RuleAction, Sticky } from '../rule-definition.js';

/** How a choice is remembered unless the action says so. */
export const DEFAULT_STICKY = { percentage_redirect: 'none', ab_test: 'cookie' } as const satisfies Partial<
  Record<RuleAction['type'], Sticky>
>;

/** How the choice of an action is remembered, said or not. */
export function stickyOf({ type, sticky }: DrawingAction): Sticky {
  return sticky ?? DEFAULT_STICKY[type];
}
