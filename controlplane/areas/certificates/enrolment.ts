import type { AreaParts } from '../../area.js';
import { createBackgroundWork } from '../../jobs/background-work.js';
import type { Queryable } from '../../storage/postgres/database.js';
import { IS_OF_OWNER, KEPT_BY_OWNER } from './certificate.js';

const INTERVAL_MS = 2_000;
const PAGE_SIZE = 1_000;
const ORPHAN_DAYS = 30;
const ORPHAN_INTERVAL_MS = 3_600_000;

export interface EnrolmentDeps extends Pick<AreaParts, 'database' | 'logger'> {
  /** Whether wildcards get certificates. */
  readonly wildcards: boolean;
  /** Called when hosts may have been added. */
  readonly onEnrolled: () => void;
}

/**
 * Adds the hosts of verified redirects to the queue. Follows the change log, which contains every change of a redirect.
 * Reads all redirects at the start, and whenever the log does not reach back far enough.
 */
export function createEnrolment({ database, logger, wildcards, onEnrolled }: EnrolmentDeps) {
  let position: LogPosition | undefined;
  let orphansDeletedMs = Number.NEGATIVE_INFINITY;
  let isStarted = false;

  async function readAll(): Promise<void> {
    const head = await enrolmentRepository.readHead(database);
    for (let after: string | undefined = ''; after !== undefined && !work.isStopping(); ) {
      after = await enrolmentRepository.enrolPage(database, after, PAGE_SIZE, wildcards);
      onEnrolled();
    }
    if (!work.isStopping()) position = head;
  }

  async function follow(from: LogPosition): Promise<void> {
    for (let at = from; !work.isStopping(); ) {
      const changes = await enrolmentRepository.readLog(database, at, PAGE_SIZE);
      const [first] = changes;
      const last = changes.at(-1);
      if (first === undefined || last === undefined) return;
      if (first.epoch !== at.epoch || first.seq !== at.seq + 1) return readAll();
      await enrolmentRepository.enrolHosts(
        database,
        [...new Set(changes.map(({ host }) => host))],
        wildcards,
      );
      at = { epoch: last.epoch, seq: last.seq };
      position = at;
      onEnrolled();
    }
  }

  async function runRound(): Promise<void> {
    await (position === undefined ? readAll() : follow(position));
    if (performance.now() - orphansDeletedMs < ORPHAN_INTERVAL_MS) return;
    orphansDeletedMs = performance.now();
    await enrolmentRepository.deleteOrphans(database, ORPHAN_DAYS);
  }

  const work = createBackgroundWork({
    intervalMs: INTERVAL_MS,
    runRound,
    logger,
    failure: 'hosts that want certificates could not be read; trying again shortly',
    beginsAtOnce: true,
  });
  return {
    /** Reads the log now. */
    wake() {
      if (isStarted) void work.wake();
    },
    start() {
      isStarted = true;
      work.start();
    },
    stop: work.stop,
  };
}

/** Redirects that want a certificate. Wildcards cannot be validated by HTTP. @param wildcards whether they get one */
const wantsCertificate = (wildcards: boolean) => `verified_at IS NOT NULL AND deleted_at IS NULL
  AND https_mode IS DISTINCT FROM 'off'${wildcards ? '' : ` AND from_domain NOT LIKE '*%'`}`;

/**
 * Adds the selected hosts to the queue. A host of a new owner starts from the beginning. A host whose work had stopped
 * continues. A host that a wildcard served before now has its own redirect.
 *
 * @param hosts a subquery of columns from_domain and user_id
 */
const enrol = (hosts: string) => `
  INSERT INTO certificates (host, user_id, source, state, next_attempt_at)
  SELECT from_domain, user_id, 'acme', 'waiting_for_dns', now() FROM (${hosts}) AS wanted
  ON CONFLICT (host) DO UPDATE SET user_id = excluded.user_id, source = 'acme', next_attempt_at = now(), claim = NULL,
    updated_at = now(), removed_at = NULL, wildcard = NULL, seen_at = NULL, ${KEPT_BY_OWNER},
    state = CASE WHEN certificates.fingerprint IS NOT NULL AND ${IS_OF_OWNER} THEN 'issued' ELSE 'waiting_for_dns' END
  WHERE NOT ${IS_OF_OWNER} OR certificates.wildcard IS NOT NULL
    OR (certificates.next_attempt_at IS NULL AND certificates.source = 'acme' AND certificates.removed_at IS NULL)`;

/** A position in the log of changes. */
export interface LogPosition {
  readonly epoch: number;
  readonly seq: number;
}

/** SQL that keeps the queue in step with the redirects. */
export const enrolmentRepository = {
  async readHead(source: Queryable): Promise<LogPosition> {
    const [row] = await source.query<LogPosition>('SELECT epoch, seq FROM ruleset_head');
    return row ?? { epoch: 0, seq: 0 };
  },

  /** Returns changes after a position, in their order. */
  async readLog(
    source: Queryable,
    { epoch, seq }: LogPosition,
    limit: number,
  ): Promise<(LogPosition & { readonly host: string })[]> {
    return source.query(
      `SELECT epoch, seq, host FROM ruleset_changes WHERE (epoch, seq) > ($1, $2) ORDER BY epoch, seq LIMIT $3`,
      [epoch, seq, limit],
    );
  },

  async enrolHosts(source: Queryable, hosts: readonly string[], wildcards: boolean): Promise<void> {
    await source.query(
      enrol(
        `SELECT from_domain, user_id FROM redirects WHERE from_domain = ANY ($1) AND ${wantsCertificate(wildcards)}
         ORDER BY from_domain`,
      ),
      [[...hosts]],
    );
  },

  /** Enrols up to `limit` hosts after the given one. @returns the last one; undefined after the last page */
  async enrolPage(
    source: Queryable,
    after: string,
    limit: number,
    wildcards: boolean,
  ): Promise<string | undefined> {
    const [row] = await source.query<{ last: string | null; count: number }>(
      `SELECT max(from_domain) AS last, count(*) AS count FROM (SELECT from_domain FROM redirects
         WHERE verified_at IS NOT NULL AND from_domain > $1 ORDER BY from_domain LIMIT $2) AS page`,
      [after, limit],
    );
    const last = row?.last ?? undefined;
    if (last === undefined) return undefined;
    await source.query(
      enrol(
        `SELECT from_domain, user_id FROM redirects WHERE from_domain > $1 AND from_domain <= $2
         AND ${wantsCertificate(wildcards)} ORDER BY from_domain`,
      ),
      [after, last],
    );
    return row?.count === limit ? last : undefined;
  },

  /** Deletes rows with their keys when the host has had no redirect for so many days. */
  async deleteOrphans(source: Queryable, days: number): Promise<void> {
    await source.query(
      `DELETE FROM certificates WHERE host IN (SELECT host FROM certificates
         WHERE next_attempt_at IS NULL AND updated_at < now() - make_interval(days => $1)
           AND NOT EXISTS (SELECT FROM redirects WHERE from_domain = coalesce(wildcard, host)
             AND verified_at IS NOT NULL) LIMIT 1000)`,
      [days],
    );
  },
};
