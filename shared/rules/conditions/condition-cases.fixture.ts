import { TEXT_CASES } from './text-cases.fixture.js';
import { VALUE_CASES } from './value-cases.fixture.js';

/** Each attribute with each operator that it takes. */
export const CONDITION_CASES = [...TEXT_CASES, ...VALUE_CASES];
