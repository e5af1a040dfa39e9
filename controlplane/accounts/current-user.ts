import type { Plan } from './plans.js';
import type { Scope } from './scopes.js';

/** Who is asking, as the bearer token of a request says. */
export interface CurrentUser {
  readonly id: string;
  readonly email: string | null;
  readonly scopes: readonly Scope[];
  readonly plan: Plan;
}
