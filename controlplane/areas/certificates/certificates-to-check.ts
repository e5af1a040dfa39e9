import type { Static } from 'typebox';
import {
  decodeCursor,
  type PagePosition,
  READ_PER_PAGE,
  type ReadRow,
  timeOfPosition,
  toReadPage,
} from '../../http/page-cursor.js';
import type { Queryable } from '../../storage/postgres/database.js';
import type { Certificate } from './certificate.js';
import { CERTIFICATE_COLUMNS, type CertificateRow, toCertificate } from './certificate.js';
import { isCovered } from './certificate-list-repository.js';
import { REDIRECT_OF } from './certificate-repository.js';
import {
  type CertificatesToCheckQuerySchema,
  type CertificatesToCheckSchema,
  certificateRecord,
} from './certificate-schema.js';
import type { DirectoryView } from './directory-view.js';
import type { SealingKeys } from './sealing-keys.js';
import { createKeyLossNotice } from './sealing-keys.js';

/** Reads a page of the certificates of all users that end soon, fail or are missing, the first end first. */
export type ReadCertificatesToCheck = (
  query: Static<typeof CertificatesToCheckQuerySchema>,
) => Promise<Static<typeof CertificatesToCheckSchema>>;

interface Listed extends ReadRow {
  readonly certificate: Certificate;
  readonly email: string | null;
}

/** Filter and position of a page of the certificates in the database. */
interface Wanted {
  readonly after: PagePosition;
  readonly limit: number;
  /** Part of the host, in lower case. */
  readonly search: string | undefined;
  /** Certificates that end before this time are listed. */
  readonly before: Date;
  /** Names of certificates on disk, which visitors get instead. */
  readonly names: readonly string[];
}

const DAY_MS = 86_400_000;
/** Certificates are in the order of their end. A host without one has no end, and is last. */
const FIRST: PagePosition = { at: '-infinity', id: '' };

export function createCertificatesToCheck({
  database,
  directory,
  keys,
}: {
  readonly database: Queryable;
  readonly directory: DirectoryView;
  readonly keys: SealingKeys;
}): ReadCertificatesToCheck {
  const present = createKeyLossNotice(keys.knownKeyIds);

  return async ({ limit, cursor, days, search: text }) => {
    const after = decodeCursor(cursor, FIRST);
    const search = text?.toLowerCase();
    const before = new Date(Date.now() + days * DAY_MS);
    const stored = await readStored(database, { after, limit, search, before, names: directory.names() });
    const last = stored.find(({ place }) => place === READ_PER_PAGE);
    const onDisk = directory
      .endingBefore(before)
      .filter(({ host }) => search === undefined || host.includes(search))
      .map((certificate) => ({
        ...positionOf(certificate),
        certificate,
        email: null,
        isMatch: true,
        place: 0,
      }))
      .filter((one) => inOrder(after, one) < 0 && (last === undefined || inOrder(one, last) < 0));
    return toReadPage([...stored, ...onDisk].sort(inOrder), limit, ({ certificate, email }) => ({
      ...certificateRecord(present(certificate)),
      userId: certificate.source === 'directory' ? null : certificate.userId,
      email,
    }));
  };
}

/**
 * Reads up to `READ_PER_PAGE` rows. Certificates that end soon come before all others: each part has an index. Also
 * reads certificates without a redirect, and certificates that visitors do not get. These do not match.
 *
 * @returns rows for `toReadPage`
 */
async function readStored(source: Queryable, { after, limit, search, ...wanted }: Wanted): Promise<Listed[]> {
  const part = (end: string, condition: string) =>
    `(SELECT ${CERTIFICATE_COLUMNS}, user_id, ${end} AS ends FROM certificates
      WHERE removed_at IS NULL AND ${condition} AND (${end}, host COLLATE "C") > ($3::timestamptz, $4)
      ORDER BY ${end}, host COLLATE "C" LIMIT ${READ_PER_PAGE})`;
  const rows = await source.query<CertificateRow & ReadRow & { readonly email: string | null }>(
    `SELECT listed.*, ends::text AS at, host AS id, email FROM (
       SELECT certificates.*, redirects.id IS NOT NULL AND ($5::text IS NULL OR strpos(host, $5) > 0)
           AND NOT ${isCovered('host')} AS "isMatch"
       FROM (
         SELECT *, row_number() OVER (ORDER BY ends, host COLLATE "C") AS place FROM (
           ${part('not_after', 'fingerprint IS NOT NULL AND not_after < $1')}
           UNION ALL
           ${part(END, `(fingerprint IS NULL OR last_error IS NOT NULL) AND ${END} >= $1`)}
         ) AS parts ORDER BY ends, host COLLATE "C" LIMIT ${READ_PER_PAGE}
       ) AS certificates LEFT JOIN redirects ON ${REDIRECT_OF}
     ) AS listed LEFT JOIN users ON users.id = user_id
     WHERE "isMatch" OR place = ${READ_PER_PAGE} ORDER BY ends, host COLLATE "C" LIMIT $6`,
    [wanted.before, [...wanted.names], after.at, after.id, search ?? null, limit + 1],
  );
  return rows.map(({ at, id, email, isMatch, place, ...row }) => ({
    at,
    id,
    email,
    isMatch,
    place,
    certificate: toCertificate(row),
  }));
}

const END = `coalesce(not_after, 'infinity'::timestamptz)`;

function positionOf({ host, served }: Certificate): PagePosition {
  const at = served?.notAfter.toISOString().replace('T', ' ').replace('Z', '+00');
  return { at: at ?? 'infinity', id: host };
}

function inOrder(one: PagePosition, other: PagePosition): number {
  const [first, second] = [timeOfPosition(one), timeOfPosition(other)];
  if (first !== second) return first < second ? -1 : 1;
  return one.id < other.id ? -1 : Number(one.id > other.id);
}
