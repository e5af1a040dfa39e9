import { type Static, Type } from 'typebox';
import { DATAPLANE_STATES } from '../../shared/ruleset/dataplane-report.js';
import { formatVersion } from '../../shared/ruleset/ruleset-version.js';
import type { DataplaneOverview, DataplaneStanding } from './dataplane-reports.js';

const DataplaneSchema = Type.Object({
  id: Type.String({ description: 'Of the process; a restarted one has another.' }),
  host: Type.String({ description: 'Name of its machine.' }),
  pid: Type.Integer({ description: 'Process id on that machine.' }),
  version: Type.Union([Type.String(), Type.Null()], {
    description: 'The ruleset it serves, as `epoch.seq`; null while it serves none.',
  }),
  state: Type.Enum([...DATAPLANE_STATES], {
    description:
      '`cold`: serves nothing yet. `live`: serves what it was told last. `resync`: has missed something and is catching up. `stale`: serves the last good ruleset, unconfirmed.',
  }),
  ageMs: Type.Union([Type.Integer(), Type.Null()], {
    description: 'Time since what it serves was last confirmed, when it reported; null while `cold`.',
  }),
  behind: Type.Union([Type.Integer(), Type.Null()], {
    description: 'Changes it has yet to serve; null while it serves none, or those of another epoch.',
  }),
  lastError: Type.Optional(
    Type.String({ description: 'What went wrong since it last was told something good.' }),
  ),
  startedAt: Type.String({ format: 'date-time' }),
  reportedAt: Type.String({ format: 'date-time' }),
});

export const DataplaneListSchema = Type.Object({
  dataplanes: Type.Array(DataplaneSchema, { description: 'Those that have reported lately.' }),
  head: Type.String({ description: 'The newest ruleset there is, as `epoch.seq`.' }),
});

/** The overview as it is answered. */
export function dataplaneList({ head, dataplanes }: DataplaneOverview): Static<typeof DataplaneListSchema> {
  return { dataplanes: dataplanes.map(dataplaneRecord), head: formatVersion(head) };
}

function dataplaneRecord({ report, behind }: DataplaneStanding): Static<typeof DataplaneSchema> {
  return { ...report, version: report.version && formatVersion(report.version), behind };
}
