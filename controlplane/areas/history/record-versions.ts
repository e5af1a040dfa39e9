import { type Queryable, sendLater } from '../../storage/postgres/database.js';
import {
  type Actor,
  AUDIT_COLUMNS,
  AUDIT_VALUES,
  auditValues,
  RESOURCE_COUNT,
  type VersionAction,
} from './audit-entry.js';
import { encodeDelta } from './delta-text.js';
import type { ReverseDelta } from './reverse-delta.js';

/**
 * Maximum size of a redirect's compressed deltas. Older ones are deleted. This bounds the cost of restoring a state.
 */
const MAX_PACKED_BYTES = 64 * 1_024 * 1_024;

/** A change of one or more redirects of one owner. */
export interface RecordedChange {
  /** Owner of the redirects. */
  readonly userId: string;
  /** Null for the service itself. */
  readonly by: Actor | null;
  readonly action: VersionAction;
  readonly summary: string;
}

/** Effect of a change on one redirect. */
export interface RecordedVersion {
  readonly redirectId: string;
  /** `fromDomain` of the redirect. */
  readonly name: string;
  /** Version number that the statement of the change has set. Undefined: the next number. */
  readonly version?: number;
  /** Null for a creation. */
  readonly delta: ReverseDelta | null;
}

/**
 * Records versions of redirects and one entry of the audit log, in the transaction of their change and with its next
 * statement.
 * The caller holds the locks of the redirects' rows. All versions have a number, or none has one.
 */
export async function recordVersions(
  tx: Queryable,
  change: RecordedChange,
  versions: readonly RecordedVersion[],
): Promise<void> {
  const [first] = versions;
  if (first === undefined) return;
  const isOne = versions.length === 1;
  const entry = {
    ...change,
    resourceId: isOne ? first.redirectId : null,
    resourceName: isOne ? first.name : null,
    resourceCount: versions.length,
  };
  const deltas = await Promise.all(versions.map(({ delta }) => encodeDelta(delta)));
  const packed = deltas.map((one) => one.packed && Buffer.from(one.packed).toString('base64'));
  await sendLater(tx, first.version === undefined ? NEXT_VERSIONS : GIVEN_VERSIONS, [
    ...auditValues(entry),
    versions.map(({ redirectId }) => redirectId),
    deltas.map(({ delta }) => delta),
    packed,
    ...(first.version === undefined ? [] : [versions.map(({ version }) => version)]),
  ]);
  if (isOne && packed[0] != null) await forgetOldest(tx, first.redirectId);
}

/** A change of one redirect, with its effect. */
export interface RecordedRedirectChange extends RecordedChange {
  readonly version: RecordedVersion & { readonly version: number };
}

/**
 * Does the same as `recordVersions` for changes by any users and of any owners, with an entry for each change and with
 * as many statements as for one. Each change must be about another redirect.
 */
export async function recordEachVersion(
  tx: Queryable,
  changes: readonly RecordedRedirectChange[],
): Promise<void> {
  const entries = changes.map(({ version, ...change }) =>
    auditValues({
      ...change,
      resourceId: version.redirectId,
      resourceName: version.name,
      resourceCount: 1,
    }),
  );
  const deltas = await Promise.all(changes.map(({ version }) => encodeDelta(version.delta)));
  await sendLater(tx, EACH_VERSION, [
    ...Array.from({ length: AUDIT_VALUES }, (_, at) => entries.map((entry) => entry[at])),
    changes.map(({ version }) => version.version),
    deltas.map(({ delta }) => delta),
    deltas.map(({ packed }) => packed && Buffer.from(packed).toString('base64')),
  ]);
  for (const [at, { version }] of changes.entries()) {
    if (deltas[at]?.packed != null) await forgetOldest(tx, version.redirectId);
  }
}

const values = Array.from({ length: AUDIT_VALUES }, (_, index) => `$${index + 1}`).join(', ');
const ENTRY = `WITH entry AS (INSERT INTO audit_log (${AUDIT_COLUMNS}) VALUES (${values}) RETURNING id)`;
const at = (place: number) => `$${AUDIT_VALUES + place}`;
const INSERT = 'INSERT INTO redirect_versions (redirect_id, version, audit_id, delta, packed)';

const GIVEN_VERSIONS = `${ENTRY} ${INSERT}
  SELECT redirect_id, version, entry.id, delta, decode(packed, 'base64')
  FROM entry, unnest(${at(1)}::text[], ${at(2)}::text[], ${at(3)}::text[], ${at(4)}::int[])
    AS given (redirect_id, delta, packed, version)`;

const NEXT_VERSIONS = `${ENTRY},
  next AS (UPDATE redirects SET version = version + 1 WHERE id = ANY (${at(1)}::text[]) RETURNING id, version)
  ${INSERT}
  SELECT redirect_id, next.version, entry.id, delta, decode(packed, 'base64')
  FROM entry, unnest(${at(1)}::text[], ${at(2)}::text[], ${at(3)}::text[]) AS given (redirect_id, delta, packed)
    JOIN next ON next.id = redirect_id`;

const AUDIT_LISTS = Array.from(
  { length: AUDIT_VALUES },
  (_, index) => `$${index + 1}::${index === RESOURCE_COUNT ? 'int' : 'text'}[]`,
).join(', ');
const EACH_VERSION = `WITH given AS (SELECT * FROM unnest(${AUDIT_LISTS}, ${at(1)}::int[], ${at(2)}::text[], ${at(3)}::text[])
    AS given (${AUDIT_COLUMNS}, version, delta, packed)),
  entries AS (INSERT INTO audit_log (${AUDIT_COLUMNS}) SELECT ${AUDIT_COLUMNS} FROM given RETURNING id, resource_id)
  ${INSERT}
  SELECT resource_id, version, id, delta, decode(packed, 'base64') FROM given JOIN entries USING (resource_id)`;

async function forgetOldest(tx: Queryable, redirectId: string): Promise<void> {
  await tx.query(
    `DELETE FROM redirect_versions WHERE redirect_id = $1 AND version <= (
       SELECT max(version) FROM (SELECT version, sum(length(packed)) OVER (ORDER BY version DESC) AS bytes
         FROM redirect_versions WHERE redirect_id = $1) AS newest WHERE bytes > $2)`,
    [redirectId, MAX_PACKED_BYTES],
  );
}
