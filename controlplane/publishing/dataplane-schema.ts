import { type Static, Type } from 'typebox';
import { DATAPLANE_STATES } from '../../shared/ruleset/dataplane-report.js';
import { formatVersion } from '../../shared/ruleset/ruleset-version.js';
import type { DataplaneOverview, DataplaneStanding } from './dataplane-reports.js';
import type { ProducerAccount } from './producer-accounts.js';

const DataplaneSchema = Type.Object(
  {
    id: Type.String({ description: 'Of the process; a restarted one has another.' }),
    host: Type.String({ description: 'Name of its machine.' }),
    pid: Type.Integer({ description: 'Process id on that machine.' }),
    version: Type.Union([Type.String(), Type.Null()], {
      description: 'The ruleset it serves, as `epoch.seq`; null while it serves none.',
    }),
    hosts: Type.Optional(
      Type.Integer({ description: 'Hosts it serves; absent where its release does not tell.' }),
    ),
    state: Type.Enum([...DATAPLANE_STATES], {
      description:
        '`cold`: serves nothing yet. `live`: serves what it was told last. `resync`: has missed something and is catching up. `stale`: serves the last good ruleset, unconfirmed.',
    }),
    ageMs: Type.Union([Type.Integer(), Type.Null()], {
      description: 'Time since what it serves was last confirmed, when it reported; null while `cold`.',
    }),
    behind: Type.Union([Type.Integer(), Type.Null()], {
      description:
        'Changes it has yet to serve; null while it serves none, or those of another epoch or history.',
    }),
    lastError: Type.Optional(
      Type.String({ description: 'What went wrong since it last was told something good.' }),
    ),
    startedAt: Type.String({ format: 'date-time' }),
    reportedAt: Type.String({ format: 'date-time' }),
  },
  { title: 'Dataplane' },
);

const ProducerSchema = Type.Object(
  {
    id: Type.String({ description: 'Of one run of one data-plane process, as hits have it.' }),
    seenAt: Type.String({
      format: 'date-time',
      description: 'When it closed the last batch that has arrived.',
    }),
    recorded: Type.Integer({ description: 'Hits chosen by sampling.' }),
    stored: Type.Integer({
      description: 'Of those, in the store, each counted once, expired ones included.',
    }),
    duplicated: Type.Integer({ description: 'Hits in the store more than once: the surplus.' }),
    lost: Type.Integer({
      description:
        'Recorded and not stored: dropped, lost when the process was killed, or not arrived while later ones have.',
    }),
  },
  { title: 'Producer' },
);

export const DataplaneListSchema = Type.Object({
  dataplanes: Type.Array(DataplaneSchema, { description: 'Those that have reported lately.' }),
  head: Type.String({ description: 'The newest ruleset there is, as `epoch.seq`.' }),
  producers: Type.Union([Type.Array(ProducerSchema), Type.Null()], {
    description:
      'How hits have fared, for the 64 producers heard of last; null while the statistics cannot be read.',
  }),
});

/** The overview as it is answered. @param producers undefined while they cannot be read */
export function dataplaneList(
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
