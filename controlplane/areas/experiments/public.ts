/** Exports of this area for other areas and the composition root. */
export { createExperiments } from './experiments.js';
export { rateInterval } from './statistics/rate-interval.js';
