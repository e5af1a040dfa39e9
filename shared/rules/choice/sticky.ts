import type { DrawingAction, RuleAction, Sticky } from '../rule-definition.js';

/** Default memory of a choice. */
export const DEFAULT_STICKY = { percentage_redirect: 'none', ab_test: 'cookie' } as const satisfies Partial<
  Record<RuleAction['type'], Sticky>
>;

/** Returns the memory of an action's choice, or the default. */
export function stickyOf({ type, sticky }: DrawingAction): Sticky {
  return sticky ?? DEFAULT_STICKY[type];
}
