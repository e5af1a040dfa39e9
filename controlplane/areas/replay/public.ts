/** Exports of this area for other areas and the composition root. */
export { createReplays } from './replays.js';
