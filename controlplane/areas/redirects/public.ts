/** Exports of this area for other areas and the composition root. */

export { operationTable } from './bulk/bulk-files.js';
export type { OperationBatches, Outcome, PreparedOperation } from './bulk/operation-batches.js';
export { MAX_DATE_LENGTH, parseDateField } from './date-field.js';
export { decidingDefinition, fallbackDefinition } from './deciding-definition.js';
export { releaseDomain } from './domain-ownership.js';
export type { ExampleGuard, GuardedUser } from './example-guard.js';
export { findFallback } from './find-fallback.js';
export { lockLoopGraph } from './loops/loop-graph.js';
export { findLoopByRules, findLoopOfDraft, requireNoLoopByRule } from './loops/rule-loops.js';
export type { Redirect } from './redirect.js';
export type { RedirectAnswers } from './redirect-answers.js';
export type { ChangeSettings, RedirectChanges } from './redirect-changes.js';
export { recordAside, redirectState } from './redirect-history.js';
export { redirectRepository } from './redirect-repository.js';
export {
  type PatchRedirect,
  PatchRedirectSchema,
  RedirectSchema,
  type UpdateRedirect,
} from './redirect-schema.js';
export { REDIRECT_HEALTHS, type RedirectHealth } from './redirect-search.js';
export { type RedirectService, settingsAfter } from './redirect-service.js';
export { changedSettings, patchedSettings } from './redirect-settings.js';
export { createRedirects, type Redirects } from './redirects.js';
export { createUserStreams, type StreamToUser } from './user-streams.js';
