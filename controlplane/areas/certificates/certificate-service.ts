import { checkCertificate, namesCover } from '../../../shared/certificates/certificate-material.js';
import type { AreaParts } from '../../area.js';
import { AppError } from '../../errors/app-error.js';
import { type Precondition, requirePrecondition } from '../../http/entity-tags.js';
import type { Queryable } from '../../storage/postgres/database.js';
import { parseFromDomain } from '../domains/public.js';
import { type Actor, recordAudit } from '../history/public.js';
import { type Certificate, certificateVersion, redirectHostOf, servedFrom } from './certificate.js';
import { type CertificateFilter, certificateListRepository } from './certificate-list-repository.js';
import { certificateRepository } from './certificate-repository.js';
import type { UploadCertificate } from './certificate-schema.js';
import type { CertificateState } from './certificate-states.js';
import type { DirectoryView } from './directory-view.js';
import type { SealingKeys } from './sealing-keys.js';
import { createKeyLossNotice } from './sealing-keys.js';

/** The certificates of users: reading, uploading and deleting them, and asking for another attempt. */
export interface CertificateService {
  /** @throws {AppError} NOT_FOUND, FORBIDDEN */
  get(userId: string, host: string): Promise<Certificate>;
  /** Returns up to `limit` certificates of hosts after the given one. */
  page(userId: string, search: CertificateSearch, after: string, limit: number): Promise<Certificate[]>;
  /** Counts the certificates by state. */
  count(userId: string, search: CertificateSearch): Promise<Partial<Record<CertificateState, number>>>;
  /**
   * @throws {AppError} VALIDATION_ERROR that names the fault of the certificate, NOT_FOUND, FORBIDDEN,
   *   PRECONDITION_FAILED
   */
  upload(
    user: Actor,
    host: string,
    upload: UploadCertificate,
    precondition: Precondition | undefined,
  ): Promise<Certificate>;
  /** @throws {AppError} NOT_FOUND, FORBIDDEN, PRECONDITION_FAILED */
  delete(user: Actor, host: string, precondition: Precondition | undefined): Promise<Certificate>;
  /** @throws {AppError} VALIDATION_ERROR where nothing is ordered, NOT_FOUND, FORBIDDEN */
  retry(userId: string, host: string): Promise<Certificate>;
  /** Returns the certificates of these hosts. */
  ofHosts(hosts: readonly string[]): Promise<ReadonlyMap<string, Certificate>>;
}

/** Restricts a list of certificates. */
export type CertificateSearch = Pick<CertificateFilter, 'search' | 'state'>;

export interface CertificateServiceDeps extends Pick<AreaParts, 'database' | 'outbox'> {
  readonly keys: SealingKeys;
  /** Certificates of TLS_CERTIFICATES_DIR. Visitors get them instead of others. */
  readonly directory: DirectoryView;
  /** Whether this installation obtains certificates. */
  readonly orders: boolean;
  /** Whether wildcards are among them. */
  readonly ordersWildcards: boolean;
  /** Called when a host became due. */
  readonly onDue: () => void;
}

export function createCertificateService(deps: CertificateServiceDeps): CertificateService {
  const { database, outbox, keys, directory } = deps;
  const present = createKeyLossNotice(keys.knownKeyIds);

  /** The one place where ownership is checked. @returns the host in its stored spelling */
  async function requireOwned(userId: string, input: string): Promise<string> {
    const host = requireHost(input);
    const owner = await certificateRepository.findOwner(database, host);
    if (owner === undefined) {
      throw new AppError('NOT_FOUND', { message: `There is no verified redirect for ${host}.` });
    }
    if (owner !== userId) {
      throw new AppError('FORBIDDEN', { message: `The redirect of ${host} belongs to someone else.` });
    }
    return host;
  }

  /** Returns the host of the redirect that names the certificate of a host. */
  async function redirectHostFor(host: string): Promise<string> {
    const [known] = await certificateRepository.findByHosts(database, [host]);
    return known === undefined ? host : redirectHostOf(known);
  }

  function filterOf(userId: string, { search, state }: CertificateSearch): CertificateFilter {
    const { knownKeyIds } = keys;
    return { userId, search: search?.toLowerCase(), state, names: directory.names(), knownKeyIds };
  }

  async function requireCertificate(host: string): Promise<Certificate> {
    const [certificate] = await certificateRepository.findByHosts(database, [host]);
    if (certificate !== undefined) return present(certificate);
    if (directory.find(host, '') !== undefined) {
      throw new AppError('NOT_FOUND', {
        message: `The certificate for ${host} is in TLS_CERTIFICATES_DIR. Only the operator can change it there.`,
      });
    }
    throw new AppError('NOT_FOUND', {
      message: `There is no certificate for ${host}, and none is being obtained. Upload one with PUT /certificates/${host}.`,
    });
  }

  return {
    async get(userId, input) {
      const host = await requireOwned(userId, input);
      return directory.find(host, userId) ?? requireCertificate(host);
    },

    async page(userId, search, after, limit) {
      const hosts = await certificateListRepository.page(database, filterOf(userId, search), after, limit);
      const found = new Map(
        (await certificateRepository.findByHosts(database, hosts)).map((one) => [one.host, present(one)]),
      );
      return hosts.flatMap((host) => directory.find(host, userId) ?? found.get(host) ?? []);
    },

    async count(userId, search) {
      const counts = await certificateListRepository.countByState(database, filterOf(userId, search));
      return Object.fromEntries(counts.map(({ state, count }) => [state, count]));
    },

    async upload(user, input, upload, precondition) {
      const userId = user.id;
      const host = await requireOwned(userId, input);
      const checked = checkCertificate(upload, Date.now());
      if ('problem' in checked) throw new AppError('VALIDATION_ERROR', checked.problem);
      const { facts, material } = checked;
      if (!coversHost(facts.names, host)) {
        const message = `certificate names ${facts.names.slice(0, 10).join(', ')}, and must name ${host}.`;
        throw new AppError('VALIDATION_ERROR', { field: 'certificate', message });
      }
      const redirectHost = await redirectHostFor(host);
      await outbox.commit(async (tx, record) => {
        await requireVersion(tx, host, precondition);
        await certificateRepository.upload(tx, {
          ...servedFrom(facts),
          host,
          userId,
          keyId: keys.keyId,
          sealed: keys.sealing.seal(facts.fingerprint, material),
        });
        const names = facts.names.slice(0, MAX_NAMED).join(', ');
        await recordCertificate(tx, user, 'certificate.uploaded', host, `Uploaded one for ${names}`);
        record(redirectHost);
      });
      return requireCertificate(host);
    },

    async delete(user, input, precondition) {
      const host = await requireOwned(user.id, input);
      const certificate = await requireCertificate(host);
      await outbox.commit(async (tx, record) => {
        await requireVersion(tx, host, precondition);
        await certificateRepository.delete(tx, host);
        await recordCertificate(tx, user, 'certificate.deleted', host, 'Deleted');
        record(redirectHostOf(certificate));
      });
      return certificate;
    },

    async retry(userId, input) {
      const host = await requireOwned(userId, input);
      const [known] = await certificateRepository.findByHosts(database, [host]);
      const isInDirectory = directory.find(host, userId) !== undefined;
      const obstacle = retryObstacle(deps, host, known, isInDirectory);
      if (obstacle !== undefined) throw new AppError('VALIDATION_ERROR', { message: obstacle });
      await database.transaction((tx) => certificateRepository.makeDue(tx, host, userId));
      deps.onDue();
      return requireCertificate(host);
    },

    async ofHosts(hosts) {
      if (hosts.length === 0) return new Map();
      const found = await certificateRepository.findByHosts(database, hosts);
      const stored = found.map((certificate) => [certificate.host, present(certificate)] as const);
      const inDirectory = hosts.flatMap((host) => {
        const certificate = directory.find(host, '');
        return certificate === undefined ? [] : [[host, certificate] as const];
      });
      return new Map([...stored, ...inDirectory]);
    },
  };
}

/** Names of a certificate in the audit log. */
const MAX_NAMED = 10;

function recordCertificate(
  tx: Queryable,
  by: Actor,
  action: 'certificate.uploaded' | 'certificate.deleted',
  host: string,
  summary: string,
): Promise<void> {
  return recordAudit(tx, { userId: by.id, by, action, resourceId: host, resourceName: host, summary });
}

/** @throws {AppError} INVALID_REQUEST */
function requireHost(input: string): string {
  const isWildcard = input.startsWith('*.');
  const parsed = parseFromDomain(isWildcard ? input.slice(2) : input);
  if (parsed.ok) return (isWildcard ? '*.' : '') + parsed.domain;
  throw new AppError('INVALID_REQUEST', { field: 'host', message: parsed.message });
}

/** @throws {AppError} PRECONDITION_FAILED */
async function requireVersion(
  tx: Queryable,
  host: string,
  precondition: Precondition | undefined,
): Promise<void> {
  if (precondition === undefined) return;
  const [current] = await certificateRepository.findByHosts(tx, [host]);
  requirePrecondition(precondition, certificateVersion(current));
}

/** A certificate for a wildcard host must name the wildcard. */
function coversHost(names: readonly string[], host: string): boolean {
  return host.startsWith('*.') ? names.includes(host) : namesCover(names, host);
}

function retryObstacle(
  { orders, ordersWildcards }: Pick<CertificateServiceDeps, 'orders' | 'ordersWildcards'>,
  host: string,
  known: Certificate | undefined,
  isInDirectory: boolean,
): string | undefined {
  if (isInDirectory) {
    return `The certificate for ${host} is in TLS_CERTIFICATES_DIR, so none is ordered. Only the operator can change it there.`;
  }
  if (!orders) {
    return `This service does not obtain certificates (ACME_EMAIL is not set). Upload one with PUT /certificates/${host}.`;
  }
  if (host.startsWith('*.') && !ordersWildcards) {
    return `Wildcards cannot be validated by HTTP, and this service has no name server for them (ACME_DNS_SERVER is not set). Upload a certificate with PUT /certificates/${host}.`;
  }
  if (known?.source === 'uploaded') {
    return `${host} has an uploaded certificate. Delete it first to have one ordered.`;
  }
  return undefined;
}
