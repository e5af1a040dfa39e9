import type { Logger } from 'pino';
import { Gauge, type Registry } from 'prom-client';
import { DATAPLANE_STATES } from '../../shared/ruleset/dataplane-report.js';
import { type DataplaneStanding, type OverviewDeps, readOverview } from './dataplane-reports.js';

/** Maximum number of data planes in the metrics. Limits the series even if invalid reports are written. */
const MAX_SHOWN = 256;

export interface DataplaneMetricsDeps extends OverviewDeps {
  readonly logger: Logger;
}

/** Exports the reports of data planes to Prometheus; nothing while they cannot be read. */
export function registerDataplaneMetrics(
  registry: Registry,
  { logger, ...deps }: DataplaneMetricsDeps,
): void {
  let reading: Promise<readonly DataplaneStanding[] | undefined> | undefined;

  /** Reads the overview once for all gauges, which are collected together. */
  function read(): Promise<readonly DataplaneStanding[] | undefined> {
    reading ??= readOverview(deps)
      .then(
        ({ dataplanes }) => dataplanes.slice(0, MAX_SHOWN),
        (error: unknown) => {
          logger.warn({ err: error }, 'the reports of the data planes could not be read for metrics');
          return undefined;
        },
      )
      .finally(() => {
        reading = undefined;
      });
    return reading;
  }

  new Gauge({
    name: 'waymark_dataplanes',
    help: 'Data planes that have reported lately, by the state of their ruleset.',
    labelNames: ['state'],
    registers: [registry],
    async collect() {
      const standings = await read();
      this.reset();
      if (standings === undefined) return;
      for (const state of DATAPLANE_STATES) {
        this.set({ state }, standings.filter(({ report }) => report.state === state).length);
      }
    },
  });

  function showEach(
    name: string,
    help: string,
    measure: (standing: DataplaneStanding) => number | null,
  ): void {
    new Gauge({
      name,
      help,
      labelNames: ['host', 'pid'],
      registers: [registry],
      // Removed data planes leave no series.
      async collect() {
        const standings = (await read()) ?? [];
        this.reset();
        for (const standing of standings) {
          const value = measure(standing);
          const { host, pid } = standing.report;
          if (value !== null) this.set({ host, pid }, value);
        }
      },
    });
  }

  showEach(
    'waymark_dataplane_behind_changes',
    'Changes of the ruleset that a data plane has yet to serve.',
    ({ behind }) => behind,
  );
  showEach(
    'waymark_dataplane_unconfirmed_seconds',
    'Time since what a data plane serves was last confirmed, when it reported.',
    ({ report }) => (report.ageMs === null ? null : report.ageMs / 1000),
  );
}
