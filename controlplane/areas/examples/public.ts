/** Exports of this area for other areas and the composition root. */

export { createExampleGuard, type Examples } from './example-guard.js';
export { createExamples } from './examples.js';
