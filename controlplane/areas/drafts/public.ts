/** Exports of this area for other areas and the composition root. */

export { type Definition, draftedRules, prepareDefinition, prepareState, shownId } from './definition.js';
export { PutDraftSchema } from './draft-schema.js';
export { createDrafts, type Drafts } from './drafts.js';
