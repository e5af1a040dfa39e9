/** Exports of this area for other areas and the composition root. */
export { createDestinations } from './destinations.js';
