import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { createOwnReport } from '../../dataplane/sync/own-report.js';
import type { SyncStatus } from '../../dataplane/sync/synchronizer.js';
import { allEnded } from '../../shared/async/all-ended.js';
import type { DataplaneConfig } from '../../shared/config/config.js';
import type { HitSink } from '../../shared/hits/hit-batch.js';
import type { RulesetFeed, RulesetSource } from '../../shared/ruleset/ruleset-feed.js';
import type { ParentChannel } from './parent-channel.js';

const PARENT_REPORT_INTERVAL_MS = 2_000;

/** Source of a worker's rulesets, and sink of its hits. */
export interface ServerLinks {
  readonly feed: RulesetFeed;
  readonly sink: HitSink;
  /** Aborted when the sink no longer accepts hits. */
  readonly sinkGone: AbortSignal | undefined;
  /** Begins to report the served ruleset every few seconds. Called once. */
  reportOn(status: () => SyncStatus): void;
  /** Adds metrics of the data sent to the servers to `registry`. Called once. */
  registerMetrics(registry: Registry): void;
  close(): Promise<void>;
}

export interface ServerLinksDeps {
  readonly config: Pick<DataplaneConfig, 'redisUrl' | 'kafka' | 'controlPlaneUrl'>;
  readonly secretKey: Buffer;
  readonly parent: ParentChannel;
  /** Whether the parent has a control plane. */
  readonly hasOwnApi: boolean;
  readonly logger: Logger;
}

/** Returns the address of the control plane's API: the configured one, or that of the parent, which sends it later. */
export function controlPlaneUrl({
  config,
  parent,
  hasOwnApi,
}: Pick<ServerLinksDeps, 'config' | 'parent' | 'hasOwnApi'>) {
  const url = config.controlPlaneUrl;
  if (url !== undefined) return () => url;
  return hasOwnApi ? parent.apiUrl : undefined;
}

/**
 * Creates links. Each connects to its server if one is configured, otherwise to the parent. Clients are loaded only
 * when they are used, because a restart of a worker must be fast.
 */
export async function openServerLinks(deps: ServerLinksDeps): Promise<ServerLinks> {
  const [rulesets, hits] = await Promise.all([openRulesetLink(deps), openHitLink(deps)]);
  let report: { stop(): Promise<void> } | undefined;
  return {
    feed: rulesets.feed,
    ...hits,
    reportOn(status) {
      report = rulesets.startReport(status);
    },
    async close() {
      await allEnded([report?.stop(), hits.close()]);
    },
  };
}

async function openRulesetLink({ config, secretKey, parent, hasOwnApi, logger }: ServerLinksDeps) {
  const { redisUrl: url, controlPlaneUrl } = config;
  if (url === undefined) {
    return {
      feed: parent.feed,
      startReport: (status: () => SyncStatus) => reportToParent(status, parent),
    };
  }
  const [{ createRedisFeed }, { startRedisDataplaneReport }, { createHttpRulesetSource }] = await Promise.all(
    [
      import('../../dataplane/sync/redis-feed.js'),
      import('../../dataplane/sync/redis-dataplane-report.js'),
      import('../../dataplane/sync/http-ruleset-source.js'),
    ],
  );
  const sourceAt = (apiUrl: string) => createHttpRulesetSource({ url: apiUrl, secretKey, logger });
  const ownApi = hasOwnApi ? createAnnouncedSource(parent.apiUrl, sourceAt) : undefined;
  const fallback = controlPlaneUrl === undefined ? ownApi : sourceAt(controlPlaneUrl);
  return {
    feed: createRedisFeed({ url, logger, ...(fallback && { fallback }) }),
    startReport: (status: () => SyncStatus) => startRedisDataplaneReport({ url, status }),
  };
}

/** Reports the served ruleset to the control plane in the parent every few seconds, until `stop`. */
function reportToParent(status: () => SyncStatus, parent: ParentChannel): { stop(): Promise<void> } {
  const own = createOwnReport(status, Date.now());
  const report = () => parent.send({ type: 'report', report: own.at(Date.now()) });
  report();
  const timer = setInterval(report, PARENT_REPORT_INTERVAL_MS);
  return { stop: async () => clearInterval(timer) };
}

/** Reads from an API whose address is not known yet, because workers start first. */
function createAnnouncedSource(
  apiUrl: () => string | undefined,
  sourceAt: (apiUrl: string) => RulesetSource,
): RulesetSource {
  let source: RulesetSource | undefined;
  return {
    async read(known) {
      const url = apiUrl();
      if (url === undefined) throw new Error('the control plane in the same command is still starting');
      source ??= sourceAt(url);
      return source.read(known);
    },
  };
}

async function openHitLink({ config: { kafka }, parent, logger }: ServerLinksDeps) {
  if (kafka === undefined) {
    return { sink: parent.sink, sinkGone: parent.gone, registerMetrics: () => {}, close: async () => {} };
  }
  const [{ createKafkaSink }, { registerKafkaSinkMetrics }] = await Promise.all([
    import('../../dataplane/hits/kafka-sink.js'),
    import('../../dataplane/hits/kafka-sink-metrics.js'),
  ]);
  const sink = createKafkaSink({ ...kafka, logger });
  return {
    sink,
    sinkGone: undefined,
    registerMetrics: (registry: Registry) => registerKafkaSinkMetrics(registry, sink.stats),
    close: () => sink.close(),
  };
}
