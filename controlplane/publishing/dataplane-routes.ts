import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { type Static, Type } from 'typebox';
import { DATAPLANE_STATES } from '../../shared/ruleset/dataplane-report.js';
import { formatVersion } from '../../shared/ruleset/ruleset-version.js';
import { type IsOperator, requireOperator } from '../http/current-user.js';
import {
  type DataplaneOverview,
  type DataplaneStanding,
  type OverviewDeps,
  readOverview,
} from './dataplane-reports.js';
import type { ProducerAccount } from './producer-accounts.js';

const DataplaneSchema = Type.Object(
  {
    id: Type.String({ description: 'Id of the process. A restarted process has a new id.' }),
    host: Type.String({ description: 'Host name of the machine.' }),
    pid: Type.Integer({ description: 'Process id on the machine.' }),
    version: Type.Union([Type.String(), Type.Null()], {
      description: 'Ruleset that it serves, as `epoch.seq`. Null if it serves none.',
    }),
    hosts: Type.Optional(
      Type.Integer({ description: 'Number of hosts it serves. Absent if its release does not report it.' }),
    ),
    state: Type.Enum([...DATAPLANE_STATES], {
      description:
        '`cold`: serves nothing yet. `live`: serves the latest ruleset. `resync`: missed changes and is catching up. `stale`: serves the last good ruleset, unconfirmed.',
    }),
    ageMs: Type.Union([Type.Integer(), Type.Null()], {
      description: 'Time from the last confirmation of the ruleset to the report. Null while `cold`.',
    }),
    behind: Type.Union([Type.Integer(), Type.Null()], {
      description:
        'Number of changes that the data plane has not served yet. Null if it serves nothing, or a ruleset of another epoch.',
    }),
    lastError: Type.Optional(Type.String({ description: 'Error since the last successful update.' })),
    startedAt: Type.String({ format: 'date-time' }),
    reportedAt: Type.String({ format: 'date-time' }),
  },
  { title: 'Dataplane' },
);

const ProducerSchema = Type.Object(
  {
    id: Type.String({ description: 'Id of one run of a data-plane process. Hits have the same id.' }),
    seenAt: Type.String({
      format: 'date-time',
      description: 'Time when the producer closed its latest batch.',
    }),
    recorded: Type.Integer({ description: 'Number of hits chosen by sampling.' }),
    stored: Type.Integer({
      description: 'Number of recorded hits in the store, each counted once, including expired ones.',
    }),
    duplicated: Type.Integer({ description: 'Number of surplus copies in the store.' }),
    lost: Type.Integer({
      description:
        'Number of recorded hits that are not stored: dropped, lost in a crash, or still missing although later hits have arrived.',
    }),
  },
  { title: 'Producer' },
);

const DataplaneListSchema = Type.Object({
  dataplanes: Type.Array(DataplaneSchema, { description: 'Data planes that have reported recently.' }),
  head: Type.String({ description: 'Newest ruleset, as `epoch.seq`.' }),
  producers: Type.Union([Type.Array(ProducerSchema), Type.Null()], {
    description: 'Delivery of hits for the 64 most recent producers. Null if the statistics are unavailable.',
  }),
});

/**
 * Returns the overview as the API shows it.
 *
 * @param producers undefined while they cannot be read
 */
function dataplaneList(
  { head, dataplanes }: DataplaneOverview,
  producers: readonly ProducerAccount[] | undefined,
): Static<typeof DataplaneListSchema> {
  return {
    dataplanes: dataplanes.map(dataplaneRecord),
    head: formatVersion(head),
    producers: producers?.map(producerRecord) ?? null,
  };
}

function producerRecord({ seenAt, ...account }: ProducerAccount): Static<typeof ProducerSchema> {
  return { ...account, seenAt: new Date(seenAt * 1_000).toISOString() };
}

function dataplaneRecord({ report, behind }: DataplaneStanding): Static<typeof DataplaneSchema> {
  return { ...report, version: report.version && formatVersion(report.version), behind };
}

export interface DataplaneRoutesDeps extends OverviewDeps {
  readonly isOperator: IsOperator;
  /** Rejects while the store cannot be read. */
  readonly readProducers: () => Promise<readonly ProducerAccount[]>;
}

/** `/admin/dataplanes`. */
export function createDataplaneRoutes({
  isOperator,
  readProducers,
  ...overview
}: DataplaneRoutesDeps): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      '/admin/dataplanes',
      {
        config: { scope: 'all' },
        schema: {
          tags: ['operations'],
          operationId: 'listDataplanes',
          summary: 'State of data planes and their hits',
          description: 'Only the operator (the first user of the installation) can use it.',
          response: { 200: DataplaneListSchema },
        },
      },
      async (request) => {
        await requireOperator(isOperator, request.user, 'see its data planes');
        const [standings, producers] = await Promise.all([
          readOverview(overview),
          readProducers().catch((error: unknown) => {
            request.log.warn({ err: error }, 'the accounts of hits could not be read');
            return undefined;
          }),
        ]);
        return dataplaneList(standings, producers);
      },
    );
  };
}
