/** Exports of this area for other areas and the composition root. */

export type { DefinitionApplier, TriedDefinition } from './apply-definition.js';
export { type Definition, prepareDefinition, prepareState } from './definition.js';
export { PutDraftSchema } from './draft-schema.js';
export { draftedRules, shownId } from './drafted-rules.js';
export { createDrafts, type Drafts } from './drafts.js';
