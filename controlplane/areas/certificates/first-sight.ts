import type { PublicTarget } from '../../../shared/config/acme-config.js';
import { MAX_NAMED_CERTIFICATES } from '../../../shared/ruleset/redirect-options.js';
import type { AreaParts } from '../../area.js';
import { type BackgroundWork, createBackgroundWork } from '../../jobs/background-work.js';
import type { Queryable } from '../../storage/postgres/database.js';
import { parseFromDomain } from '../domains/public.js';
import { IS_OF_OWNER, KEPT_BY_OWNER } from './certificate.js';
import { checkDns } from './dns-check.js';
import { createDnsLookup } from './dns-lookup.js';

const INTERVAL_MS = 1_000;
/** Time for which reports of the same name are ignored. */
const REPEATED_MS = 300_000;
/** Times after which a name is looked at again when its records do not point here. After them it needs another report. */
const RECHECK_DELAYS_MS = [60_000, 300_000, 900_000];
/** Maximum number of names whose reports are ignored. */
const MAX_RECENT = 20_000;
const MAX_WAITING = 2_000;
/** Maximum names of one read, and maximum names of one owner in it. */
const BATCH = 200;
const MAX_PER_OWNER = 4;
/** A wildcard may have this many look-ups per hour for each certificate that it may get per week. */
const CHECKS_PER_CERTIFICATE = 3;
/** Repeated look-ups may use this many of them. The rest is for new names. */
const REPEATED_CHECKS_PER_CERTIFICATE = 2;
const CHECK_PERIOD_MS = 3_600_000;
/** An owner may get certificates for this many times as many names as one wildcard. */
const WILDCARDS_PER_OWNER = 5;

export interface FirstSightDeps extends Pick<AreaParts, 'database' | 'logger'> {
  readonly target: PublicTarget;
  readonly dnsServers?: readonly string[] | undefined;
  /** Maximum number of names per wildcard and week. */
  readonly namesPerWildcard: number;
  /** Called when hosts were added to the queue. */
  readonly onEnrolled: () => void;
  readonly recheckDelaysMs?: readonly number[];
  /** Default: a second. */
  readonly intervalMs?: number;
}

/** A name whose DNS records did not point here. */
interface FailedName {
  readonly failures: number;
  /** Time of the next look-up. */
  readonly atMs: number;
}

/**
 * Adds names below wildcards to the queue of certificates after a handshake requested them. Anyone can invent such
 * names, so the DNS records of each must point here first. The numbers of look-ups and of names are limited per
 * wildcard and per owner. A name that does not point here is looked up three more times within 21 minutes, because its
 * owner may add the record in that time.
 */
export interface FirstSight extends BackgroundWork {
  /**
   * Takes names of handshakes that data planes report. Drops names beyond the limits; data planes report them again
   * after an hour.
   */
  report(names: readonly string[]): void;
}

export function createFirstSight(deps: FirstSightDeps): FirstSight {
  const { database, target, dnsServers, namesPerWildcard, onEnrolled, logger } = deps;
  const { recheckDelaysMs = RECHECK_DELAYS_MS, intervalMs = INTERVAL_MS } = deps;
  const limits: FirstSightLimits = {
    perWildcard: namesPerWildcard,
    perOwner: WILDCARDS_PER_OWNER * namesPerWildcard,
  };
  /** Times from which names are looked at again, the oldest first. */
  const recent = new Map<string, number>();
  /** Numbers of failed checks, by name. */
  const waiting = new Map<string, number>();
  const failed = new Map<string, FailedName>();
  const checks = new Map<string, number>();
  let checksEndMs = Number.NEGATIVE_INFINITY;

  /** Notes a name. @returns whether it was not looked at recently */
  function isNew(name: string): boolean {
    const nowMs = performance.now();
    for (const [oldest, untilMs] of recent) {
      if (untilMs > nowMs && recent.size < MAX_RECENT) break;
      recent.delete(oldest);
    }
    if (recent.has(name)) return false;
    recent.set(name, nowMs + REPEATED_MS);
    return true;
  }

  /** Counts a look-up. @returns whether the wildcard may have one more */
  function mayCheck({ wildcard }: SeenName, failures: number): boolean {
    if (performance.now() >= checksEndMs) {
      checksEndMs = performance.now() + CHECK_PERIOD_MS;
      checks.clear();
    }
    const count = checks.get(wildcard) ?? 0;
    const perCertificate = failures === 0 ? CHECKS_PER_CERTIFICATE : REPEATED_CHECKS_PER_CERTIFICATE;
    if (count >= perCertificate * namesPerWildcard) return false;
    checks.set(wildcard, count + 1);
    return true;
  }

  function checkLater(name: string, failures: number): void {
    const delayMs = recheckDelaysMs[failures];
    if (delayMs === undefined || failed.size >= MAX_WAITING) return;
    failed.set(name, { failures: failures + 1, atMs: performance.now() + delayMs });
  }

  function takeDue(): void {
    const nowMs = performance.now();
    for (const [name, { failures, atMs }] of failed) {
      if (atMs > nowMs) continue;
      failed.delete(name);
      waiting.set(name, failures);
    }
  }

  /** Takes names of each owner, with their failures. The others wait for the next round. */
  async function take(): Promise<[SeenName, number][]> {
    const names = [...waiting.keys()].slice(0, BATCH);
    const served = await firstSightRepository.findServed(database, names);
    const counts = new Map<string, number>();
    const taken: [SeenName, number][] = [];
    const later: [string, number][] = [];
    for (const seen of served) {
      const count = counts.get(seen.userId) ?? 0;
      const failures = waiting.get(seen.name) ?? 0;
      counts.set(seen.userId, count + 1);
      if (count < MAX_PER_OWNER) taken.push([seen, failures]);
      else later.push([seen.name, failures]);
    }
    // Those that wait go behind the names that were not read yet.
    for (const name of names) waiting.delete(name);
    for (const [name, failures] of later) waiting.set(name, failures);
    return taken;
  }

  async function enrol([seen, failures]: [SeenName, number]): Promise<void> {
    const { name, wildcard } = seen;
    if (!mayCheck(seen, failures) || !(await firstSightRepository.hasRoom(database, seen, limits))) {
      logger.debug({ name, wildcard }, 'a name below a wildcard gets no certificate: the limit is reached');
      return;
    }
    const { failure } = await checkDns(createDnsLookup(dnsServers), name, target);
    if (failure !== undefined) {
      logger.debug({ name, detail: failure.message }, 'a name below a wildcard gets no certificate');
      checkLater(name, failures);
      return;
    }
    const isEnrolled = await database.transaction((tx) => firstSightRepository.enrol(tx, seen, limits));
    if (isEnrolled) onEnrolled();
  }

  async function runRound(): Promise<void> {
    takeDue();
    while (waiting.size > 0 && !work.isStopping()) {
      for (const result of await Promise.allSettled((await take()).map(enrol))) {
        if (result.status === 'rejected') throw result.reason;
      }
    }
  }

  const work = createBackgroundWork({
    intervalMs,
    runRound,
    logger,
    failure:
      'names below wildcards were not added to the queue of certificates; data planes report them again within an hour',
  });
  return {
    report(names) {
      if (namesPerWildcard === 0) return;
      for (const name of names) {
        if (waiting.size >= MAX_WAITING || waiting.has(name) || failed.has(name)) continue;
        const parsed = parseFromDomain(name);
        if (parsed.ok && parsed.domain === name && isNew(name)) waiting.set(name, 0);
      }
    },
    start: work.start,
    stop: work.stop,
  };
}

/** A name from a TLS handshake, and the wildcard redirect that serves it. */
interface SeenName {
  readonly name: string;
  readonly wildcard: string;
  readonly userId: string;
}

/** Maximum numbers of names per week that begin to get a certificate. */
interface FirstSightLimits {
  readonly perWildcard: number;
  readonly perOwner: number;
}

const WILDCARD_OF = (name: string) => `'*' || substr(${name}, strpos(${name}, '.'))`;

/** SQL about certificates of names below wildcards. */
const firstSightRepository = {
  /**
   * Returns the names that need a certificate: a wildcard redirect directly above the name serves it, and has no
   * certificate. Omits names with their own redirect, with pending work or with a certificate.
   */
  async findServed(source: Queryable, names: readonly string[]): Promise<SeenName[]> {
    const rows = await source.query<{ name: string; wildcard: string; user_id: string }>(
      `SELECT name, from_domain AS wildcard, redirects.user_id FROM unnest($1::text[]) AS name
         JOIN redirects ON from_domain = ${WILDCARD_OF('name')} AND verified_at IS NOT NULL AND deleted_at IS NULL
           AND https_mode IS DISTINCT FROM 'off'
       WHERE NOT EXISTS (SELECT FROM redirects AS own WHERE own.from_domain = name AND own.verified_at IS NOT NULL
           AND own.deleted_at IS NULL)
         AND NOT EXISTS (SELECT FROM certificates WHERE host = from_domain AND fingerprint IS NOT NULL
           AND certificates.user_id = redirects.user_id)
         AND NOT EXISTS (SELECT FROM certificates WHERE host = name AND certificates.user_id = redirects.user_id
           AND (removed_at IS NOT NULL OR (wildcard = from_domain AND next_attempt_at IS NOT NULL)))`,
      [[...names]],
    );
    return rows.map(({ name, wildcard, user_id: userId }) => ({ name, wildcard, userId }));
  },

  /** Returns whether the limits allow another name of this wildcard. */
  async hasRoom(
    source: Queryable,
    { wildcard, userId }: SeenName,
    limits: FirstSightLimits,
  ): Promise<boolean> {
    const [row] = await source.query<{ of_wildcard: number; of_owner: number; total: number }>(
      `SELECT count(*) FILTER (WHERE wildcard = $2 AND seen_at > now() - interval '7 days') AS of_wildcard,
         count(*) FILTER (WHERE seen_at > now() - interval '7 days') AS of_owner,
         count(*) FILTER (WHERE wildcard = $2) AS total
       FROM certificates WHERE user_id = $1 AND wildcard IS NOT NULL`,
      [userId, wildcard],
    );
    const { of_wildcard: ofWildcard = 0, of_owner: ofOwner = 0, total = 0 } = row ?? {};
    return ofWildcard < limits.perWildcard && ofOwner < limits.perOwner && total < MAX_NAMED_CERTIFICATES;
  },

  /** Adds the name to the queue. @returns whether the limits allowed it */
  async enrol(tx: Queryable, seen: SeenName, limits: FirstSightLimits): Promise<boolean> {
    // Names of an owner are counted one after another. Other changes of the owner do not wait.
    await tx.query('SELECT FROM users WHERE id = $1 FOR NO KEY UPDATE', [seen.userId]);
    if (!(await this.hasRoom(tx, seen, limits))) return false;
    await tx.query(
      `INSERT INTO certificates (host, user_id, source, state, next_attempt_at, wildcard, seen_at)
       VALUES ($1, $2, 'acme', 'waiting_for_dns', now(), $3, now())
       ON CONFLICT (host) DO UPDATE SET user_id = excluded.user_id, source = 'acme', next_attempt_at = now(), claim = NULL,
         updated_at = now(), removed_at = NULL, wildcard = excluded.wildcard, seen_at = now(), ${KEPT_BY_OWNER},
         state = CASE WHEN certificates.fingerprint IS NOT NULL AND ${IS_OF_OWNER} THEN 'issued'
           ELSE 'waiting_for_dns' END
       WHERE NOT ${IS_OF_OWNER} OR certificates.removed_at IS NULL`,
      [seen.name, seen.userId, seen.wildcard],
    );
    return true;
  },
};
