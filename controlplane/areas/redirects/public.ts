/** Everything that other areas and the composition root may import from this area. */

export { operationTable } from './bulk/bulk-files.js';
export type { OperationBatches, Outcome, PreparedOperation } from './bulk/operation-batches.js';
export { MAX_DATE_LENGTH, parseDateField } from './date-field.js';
export { releaseDomain } from './domain-ownership.js';
export { lockLoopGraph } from './loops/loop-graph.js';
export { requireNoLoopByRule } from './loops/rule-loops.js';
export type { Redirect } from './redirect.js';
export { IdParamSchema, MessageSchema, NotModifiedSchema } from './redirect-schema.js';
export type { RedirectService } from './redirect-service.js';
export { createRedirects } from './redirects.js';
export { createUserStreams, type StreamToUser } from './user-streams.js';
