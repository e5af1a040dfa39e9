import type { AreaParts } from '../../area.js';
import type { PlanAccess } from './plan-access.js';
import type { PlanCatalogue } from './plan-catalogue.js';

/** Parts of areas that deal with plans. */
export interface PlanParts extends AreaParts {
  readonly catalogue: PlanCatalogue;
  readonly access: PlanAccess;
}
