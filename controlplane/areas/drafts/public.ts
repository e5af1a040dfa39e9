/** Exports of this area for other areas and the composition root. */

export type { DefinitionApplier, TriedDefinition } from './apply-definition.js';
export { type Definition, prepareDefinition, prepareState } from './definition.js';
export { createDrafts, type Drafts } from './drafts.js';
