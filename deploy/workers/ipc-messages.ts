import type { Registry } from 'prom-client';
import type { Readiness } from '../../dataplane/http/admin-listener.js';
import type { ReplacementUrgency } from '../../dataplane/tls/loaded-certificates.js';
import type { DataplaneReport } from '../../shared/ruleset/dataplane-report.js';
import type { RulesetDelta, RulesetSnapshot } from '../../shared/ruleset/ruleset-feed.js';
import type { RulesetVersion } from '../../shared/ruleset/ruleset-version.js';

/** Metrics in the form that prom-client sends between processes. */
export type WorkerMetrics = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

/** State of a worker. */
export interface WorkerStatus {
  readonly readiness: Readiness;
  readonly metrics: WorkerMetrics;
}

/** Messages of a worker to its parent. */
export type WorkerMessage =
  /** Sent when the worker answers visitors. */
  | { readonly type: 'ready' }
  /** Answers `ping`. */
  | { readonly type: 'pong' }
  | { readonly type: 'failed'; readonly reason: string }
  | { readonly type: 'report'; readonly report: DataplaneReport }
  /** `known` is the version that the worker has at its start. A delta from it is enough. */
  | { readonly type: 'snapshot-wanted'; readonly known?: RulesetVersion }
  /** Answers `applied-wanted`: all rulesets and changes sent before it are in effect. */
  | { readonly type: 'applied' }
  /** `id` is repeated in the answer, here and below. */
  | { readonly type: 'hit-batch'; readonly id: number; readonly encoded: Uint8Array }
  | { readonly type: 'status-answer'; readonly id: number; readonly status: WorkerStatus }
  | { readonly type: 'host-answer'; readonly id: number; readonly isServed: boolean }
  /** The worker must be replaced to serve the right certificates. */
  | { readonly type: 'replacement-wanted'; readonly urgency: ReplacementUrgency };

/** Messages of the parent to a worker. */
export type ParentMessage =
  | { readonly type: 'ping' }
  | { readonly type: 'snapshot'; readonly snapshot: RulesetSnapshot }
  | { readonly type: 'delta'; readonly delta: RulesetDelta }
  | { readonly type: 'head'; readonly version: RulesetVersion }
  | { readonly type: 'applied-wanted' }
  | { readonly type: 'feed-problem'; readonly problem: string }
  /** The batch is stored, unless there is an `error`. */
  | { readonly type: 'hit-batch-answer'; readonly id: number; readonly error?: string }
  | { readonly type: 'status-wanted'; readonly id: number }
  /** Asks whether there is a redirect for a host. */
  | { readonly type: 'host-asked'; readonly id: number; readonly host: string }
  /** Address of the API of the control plane in the parent. */
  | { readonly type: 'api'; readonly url: string }
  /** The parent ends. The worker serves for up to `forMs` without it, until the next one takes over. */
  | { readonly type: 'hand-over'; readonly forMs: number }
  | { readonly type: 'drain' };
