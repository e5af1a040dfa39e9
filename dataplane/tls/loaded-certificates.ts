import { generateKeyPairSync } from 'node:crypto';
import type { Logger } from 'pino';
import {
  type CertificateMaterial,
  checkCertificate,
  wildcardFor,
} from '../../shared/certificates/certificate-material.js';
import type {
  DirectoryCertificate,
  DirectoryCertificates,
} from '../../shared/certificates/directory-certificates.js';
import { issueCertificate } from '../../shared/certificates/issue-certificate.js';
import { messageOf } from '../../shared/process/error-facts.js';
import type { CompiledRedirect } from '../../shared/ruleset/compiled-redirect.js';
import type { RulesetChange } from '../../shared/ruleset/ruleset-feed.js';
import type { LoadableCertificate, ServerCertificates } from '../http/tls-app.js';
import type { CertificateCache } from './certificate-cache.js';
import type { KeyFiles } from './key-files.js';
import { type LoadedName, LoadedNames } from './loaded-names.js';
import { findOutdated, type ReplacementUrgency } from './outdated-names.js';

export type { ReplacementUrgency };

/** Maximum number of certificates that are loaded together with a wildcard. */
const MAX_BELOW_WILDCARD = 1_000;
/** Maximum number of certificates of wildcard redirects whose names are remembered. */
const MAX_REMEMBERED = 1_000;

/** The top-level domain `invalid` never exists (RFC 2606). */
const FALLBACK_NAME = 'unknown-host.invalid';
const DAY_MS = 86_400_000;
const VALID_DAYS = 3_650;

/** Handshakes since the process started that got the certificate for unknown names. */
export interface FallbackCounts {
  unknownHost: number;
  withoutCertificate: number;
  beyondLimit: number;
}

/** The certificates that this process has loaded. Each is loaded at the first handshake for its host. */
export interface LoadedCertificates extends ServerCertificates {
  /** Number of names. */
  readonly size: number;
  readonly fallbacks: FallbackCounts;
  /** Compares the loaded certificates with changes of the ruleset. Undefined: the whole ruleset was replaced. */
  rulesetChanged(changes: readonly RulesetChange[] | undefined): void;
  /** Compares the loaded certificates with the directory. */
  directoryChanged(): void;
  /** Loads the certificate of a host, once it is saved, if a wildcard is loaded that would be served instead. */
  loadBelowWildcard(host: string): void;
}

export interface LoadedCertificatesDeps {
  /** Returns the redirect of a host, by its name or by a wildcard; undefined when the host is unknown. */
  readonly redirectOf: (host: string) => CompiledRedirect | undefined;
  readonly directory: DirectoryCertificates | undefined;
  readonly cache: Pick<CertificateCache, 'read'> | undefined;
  /** Called for a certificate that is named in the ruleset and is not in the cache, or is damaged there. */
  readonly onMissing: (fingerprint: string) => void;
  /** Called for a handshake of a name that a wildcard redirect serves, which has no certificate for it. */
  readonly onUncovered: (name: string, wildcard: string) => void;
  /** Calls `run` when the certificate that the redirect of a host names is in the cache. */
  readonly onceSaved: (fingerprint: string, host: string, run: () => void) => void;
  /**
   * Called when a wildcard redirect's certificate was loaded: handshakes for hosts below it are not reported as missing any
   * more. Those with a certificate must be passed to `loadBelowWildcard`.
   */
  readonly onWildcard: () => void;
  readonly onOutdated: (urgency: ReplacementUrgency) => void;
  readonly keyFiles: KeyFiles;
  /** Maximum number of names. */
  readonly maxNames: number;
  readonly logger: Logger;
}

export function createLoadedCertificates(deps: LoadedCertificatesDeps): LoadedCertificates {
  const { redirectOf, directory, cache, onMissing, onceSaved, onOutdated, keyFiles, maxNames, logger } = deps;
  /** The addon never forgets a name, so each is returned once. */
  const names = new LoadedNames();
  const fallbacks: FallbackCounts = { unknownHost: 0, withoutCertificate: 0, beyondLimit: 0 };
  const fallback = createFallbackCertificate();
  /** Names of the certificates of wildcard redirects, by fingerprint. */
  const namesByFingerprint = new Map<string, readonly string[]>();
  const reportSoon = () => onOutdated('soon');
  let loadInServer: (certificate: LoadableCertificate) => void = () => {};
  let isLimitReported = false;

  /** Returns certificates to load for a name: its own, and for a wildcard those of the directory that precede it. */
  function take(name: string, loaded: LoadedName, material: CertificateMaterial): LoadableCertificate[] {
    if (names.has(name)) return [];
    names.add(name, loaded);
    const own = { name, withFile: (load: (file: string) => void) => keyFiles.withFile(material, load) };
    if (!name.startsWith('*')) return [own];
    if (loaded.host !== undefined) deps.onWildcard();
    const below = directory?.below(name).slice(0, MAX_BELOW_WILDCARD) ?? [];
    return [own, ...below.flatMap(fromDirectory)];
  }

  function fromDirectory(found: DirectoryCertificate): LoadableCertificate[] {
    const { name, fingerprint } = found;
    const material = names.has(name) ? undefined : directory?.read(found);
    return material === undefined ? [] : take(name, { fingerprint, host: undefined }, material);
  }

  function fromRuleset(host: string, redirect: CompiledRedirect): LoadableCertificate[] {
    const found = findInRuleset(host, redirect);
    if (found === undefined) return [];
    return take(found.name, { fingerprint: found.fingerprint, host: redirect.host }, found.material);
  }

  /** Returns the certificate that a redirect names, with the name in it that serves the host. */
  function findInRuleset(host: string, redirect: CompiledRedirect) {
    const named = redirect.https?.named?.get(host);
    if (named !== undefined) return read(named.fingerprint, host);
    const fingerprint = redirect.https?.certificate?.fingerprint;
    if (fingerprint === undefined) {
      // A certificate for a wildcard would not cover names further below, and there is no end of them.
      if (redirect.host === wildcardFor(host)) deps.onUncovered(host, redirect.host);
      return undefined;
    }
    if (redirect.host === host) return read(fingerprint, host);
    const known = namesByFingerprint.get(fingerprint);
    // Visitors choose names freely. A name that the certificate does not cover must not cost a disk read.
    if (known !== undefined && nameFor(host, known) === undefined) return undefined;
    const found = read(fingerprint, host);
    if (found === undefined) return undefined;
    const name = nameFor(host, known ?? remember(fingerprint, found.material));
    return name === undefined ? undefined : { ...found, name };
  }

  /** Reads a certificate from the cache for a name. */
  function read(fingerprint: string, name: string) {
    const material = cache?.read(fingerprint);
    if (material !== undefined) return { name, fingerprint, material };
    onMissing(fingerprint);
    return undefined;
  }

  function remember(fingerprint: string, material: CertificateMaterial): readonly string[] {
    const checked = checkCertificate(material, undefined);
    const found = 'facts' in checked ? checked.facts.names : [];
    if (namesByFingerprint.size >= MAX_REMEMBERED) namesByFingerprint.clear();
    namesByFingerprint.set(fingerprint, found);
    return found;
  }

  function find(host: string): readonly LoadableCertificate[] {
    const redirect = redirectOf(host);
    if (redirect === undefined || redirect.https?.mode === 'off') {
      fallbacks.unknownHost += 1;
      return [];
    }
    if (names.has(host)) return [];
    if (isFull()) {
      fallbacks.beyondLimit += 1;
      return [];
    }
    const certificates = load(host, redirect);
    if (certificates.length === 0) fallbacks.withoutCertificate += 1;
    return certificates;
  }

  function load(host: string, redirect: CompiledRedirect): LoadableCertificate[] {
    const found = directory?.find(host);
    return found === undefined ? fromRuleset(host, redirect) : fromDirectory(found);
  }

  function findOfHost(host: string): LoadableCertificate | undefined {
    const redirect = redirectOf(host);
    if (redirect === undefined || redirect.https?.mode === 'off') {
      fallbacks.unknownHost += 1;
      return undefined;
    }
    const found = directory?.find(host);
    const material = found === undefined ? findInRuleset(host, redirect)?.material : directory?.read(found);
    if (material === undefined) {
      fallbacks.withoutCertificate += 1;
      return undefined;
    }
    return { name: host, withFile: (load) => keyFiles.withFile(material, load) };
  }

  function isFull(): boolean {
    if (names.size < maxNames) return false;
    if (!isLimitReported) {
      isLimitReported = true;
      logger.warn({ maxNames }, 'TLS_MAX_NAMES is reached: further names get the self-signed certificate');
      reportSoon();
    }
    return true;
  }

  function loadBelowWildcard(host: string): void {
    if (names.has(host) || !names.hasWildcardFor(host)) return;
    const redirect = redirectOf(host);
    if (redirect === undefined || redirect.https?.mode === 'off') return;
    const loadNow = () => {
      if (isFull()) return;
      for (const certificate of load(host, redirect)) loadInServer(certificate);
    };
    const fingerprint = redirect.https?.certificate?.fingerprint;
    if (directory?.find(host)?.name === host) loadNow();
    else if (redirect.host === host && fingerprint !== undefined) onceSaved(fingerprint, host, loadNow);
  }

  function report(changed: Iterable<string>): void {
    let urgency: ReplacementUrgency | undefined;
    for (const name of changed) {
      const loaded = names.get(name);
      const outdated = loaded && findOutdated({ redirectOf, directory }, name, loaded);
      const { successor } = outdated ?? {};
      // A replacement must find the new certificate on disk.
      if (successor !== undefined) onceSaved(successor.fingerprint, successor.host, reportSoon);
      else if (outdated !== undefined && urgency !== 'now') urgency = outdated.urgency;
    }
    if (urgency !== undefined) onOutdated(urgency);
  }

  return {
    fallback: { name: '', withFile: (use) => keyFiles.withFile(fallback, use) },
    get size() {
      return names.size;
    },
    fallbacks,
    onLoader(loader) {
      loadInServer = loader;
    },
    missing(name) {
      try {
        return find(name);
      } catch (error) {
        logger.error({ problem: messageOf(error) }, 'a certificate could not be read');
        return [];
      }
    },
    ofHost(host) {
      try {
        return findOfHost(host);
      } catch (error) {
        logger.error({ problem: messageOf(error) }, 'a certificate could not be read');
        return undefined;
      }
    },
    failed(name, error) {
      names.remove(name);
      logger.error({ name, problem: messageOf(error) }, 'a certificate could not be loaded');
    },
    failedOfHost(host, error) {
      logger.error({ name: host, problem: messageOf(error) }, 'a certificate could not be loaded');
    },
    rulesetChanged(changes) {
      if (changes === undefined) {
        report([...names.all()]);
        if (names.hasWildcardOfRuleset) deps.onWildcard();
        return;
      }
      report(changes.flatMap(({ host }) => [...names.ofHost(host)]));
      for (const { host, redirect } of changes) if (redirect?.certificate) loadBelowWildcard(host);
    },
    directoryChanged() {
      report([...names.all()]);
      for (const name of directory?.names() ?? []) if (!name.startsWith('*')) loadBelowWildcard(name);
    },
    loadBelowWildcard,
  };
}

/** Returns the name of a certificate that serves a host. */
function nameFor(host: string, names: readonly string[]): string | undefined {
  return [host, wildcardFor(host)].find((name) => names.includes(name));
}

/** Makes a self-signed certificate for clients that ask for an unknown name: a handshake cannot be refused. */
function createFallbackCertificate(): CertificateMaterial {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const certificate = issueCertificate({
    commonName: FALLBACK_NAME,
    names: [FALLBACK_NAME],
    publicKey,
    issuer: { commonName: FALLBACK_NAME, privateKey },
    notBefore: Date.now() - DAY_MS,
    notAfter: Date.now() + VALID_DAYS * DAY_MS,
  });
  return { certificate, privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() };
}
