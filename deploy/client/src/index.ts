export { type Client, type ClientOptions, createClient } from './client.js';
export { type ErrorCode, WaymarkError } from './errors.js';
/** All shapes of the API, by the names of the OpenAPI document. */
export type * as Schemas from './operations.js';
export type {
  Hit,
  Import,
  Operations,
  PathEntry,
  Redirect,
  Rule,
  RuleCondition,
  VerificationReport,
} from './operations.js';
export type { List } from './pages.js';
export type {
  Answer,
  CallOptions,
  FullAnswer,
  Method,
  Operation,
  PathOf,
  RequestOptions,
} from './request-types.js';
export type { Requests } from './requests.js';
export type { BulkOperation, Resources, StatsName } from './resources.js';
export {
  verifyWebhook,
  type WebhookEvent,
  type WebhookOptions,
  WebhookVerificationError,
} from './webhooks.js';
