import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { addCounter, addGauge, addLabelledCounter } from '../../shared/process/metrics.js';
import { DATAPLANE_STATES } from '../../shared/ruleset/dataplane-report.js';
import type { HitStats } from '../hits/hit-recorder.js';
import type { SyncStatus } from '../sync/synchronizer.js';
import type { ConnectionCounts } from './connection-watch.js';
import type { RequestCounts, RuleCounts } from './request-counts.js';

/**
 * Sources of the metrics. They are read when metrics are requested, so the visitor path only increments plain fields.
 */
export interface MetricSources {
  readonly counts: RequestCounts;
  readonly ruleCounts: RuleCounts;
  readonly skippedRegexes: () => number;
  readonly unreadableAddresses: () => number;
  readonly connections: () => number;
  readonly connectionCounts: ConnectionCounts;
  readonly hosts: () => number;
  readonly isReady: () => boolean;
  readonly syncStatus: () => SyncStatus;
  readonly hitStats: () => HitStats;
}

/** A separate registry, because several data planes can run in one process. */
export function createMetrics(sources: MetricSources): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  addLabelledCounter(
    registry,
    'waymark_requests_total',
    'Requests of visitors by outcome',
    'outcome',
    () => sources.counts,
  );
  addLabelledCounter(
    registry,
    'waymark_connections_unanswered_total',
    'Connections that ended before an answer of the handler: early (refused or left), idle, or cut (too many were open)',
    'end',
    () => sources.connectionCounts.unanswered,
  );
  addStates(registry, sources.syncStatus);

  const { hitStats, ruleCounts, syncStatus } = sources;
  const counters: [name: string, help: string, read: () => number][] = [
    ['waymark_connections_total', 'Connections of visitors opened', () => sources.connectionCounts.opened],
    [
      'waymark_connections_not_kept_total',
      'Connections of visitors that were to end with their first answer because too many were kept open',
      () => sources.connectionCounts.notKept,
    ],
    [
      'waymark_connections_unread_total',
      'Connections of visitors closed because memory was scarce and the client did not read its answers',
      () => sources.connectionCounts.unread,
    ],
    ['waymark_rule_matches_total', 'Requests that a rule decided', () => ruleCounts.matches],
    [
      'waymark_rule_regexes_skipped_total',
      'Regexes skipped or broken off because their time was used up',
      sources.skippedRegexes,
    ],
    [
      'waymark_visitor_addresses_unreadable_total',
      'Visitors of unknown address: a trusted proxy named no valid one',
      sources.unreadableAddresses,
    ],
    ['waymark_hits_recorded_total', 'Hits chosen by sampling', () => hitStats().recorded],
    ['waymark_hits_delivered_total', 'Hits the store has acknowledged', () => hitStats().delivered],
    ['waymark_hits_dropped_total', 'Hits given up because a buffer was full', () => hitStats().dropped],
    [
      'waymark_hits_refused_by_share_total',
      'Hits given up because their redirect held its fair share of the buffer; also in waymark_hits_dropped_total',
      () => hitStats().refusedByShare,
    ],
    [
      'waymark_user_agents_unparsed_total',
      'User agents recorded without a device because new ones had used up the time for parsing',
      () => hitStats().unparsedAgents,
    ],
    ['waymark_hits_lost_total', 'Hits lost with processes killed before this one', () => hitStats().lost],
    ['waymark_hit_delivery_errors_total', 'Failed deliveries of hits', () => hitStats().deliveryErrors],
    ['waymark_hit_spool_errors_total', 'Hit batches that disk did not take', () => hitStats().spoolErrors],
    [
      'waymark_hit_spool_damaged_bytes_total',
      'Bytes that ended processes left in the hit spool and that could not be read back',
      () => hitStats().damagedBytes,
    ],
    [
      'waymark_hit_batches_recovered_total',
      'Hit batches delivered that ended processes had left in the spool',
      () => hitStats().recoveredBatches,
    ],
  ];
  const gauges: [name: string, help: string, read: () => number][] = [
    ['waymark_ready', '1 when visitors can be answered', () => Number(sources.isReady())],
    ['waymark_open_connections', 'Connections of visitors', sources.connections],
    ['waymark_ruleset_hosts', 'Hosts served', sources.hosts],
    ['waymark_ruleset_epoch', 'Epoch of the ruleset served', () => syncStatus().version?.epoch ?? 0],
    ['waymark_ruleset_seq', 'Sequence number of the ruleset served', () => syncStatus().version?.seq ?? 0],
    [
      'waymark_ruleset_age_seconds',
      'Time since the ruleset was last confirmed or changed',
      () => (syncStatus().ageMs ?? Number.NaN) / 1_000,
    ],
    ['waymark_hits_buffered', 'Hits in memory that no batch holds yet', () => hitStats().buffered],
    ['waymark_hits_spooled', 'Hits that wait for the store to acknowledge them', () => hitStats().spooled],
    [
      'waymark_hit_spool_bytes',
      'Size of the hit spool on disk; NaN until it was looked for',
      () => hitStats().spoolBytes ?? Number.NaN,
    ],
  ];
  for (const [name, help, read] of counters) addCounter(registry, name, help, read);
  for (const [name, help, read] of gauges) addGauge(registry, name, help, read);
  return registry;
}

function addStates(registry: Registry, syncStatus: () => SyncStatus): void {
  new Gauge({
    name: 'waymark_ruleset_state',
    help: '1 for the state the ruleset is in',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      const { state } = syncStatus();
      for (const one of DATAPLANE_STATES) this.set({ state: one }, Number(one === state));
    },
  });
}
