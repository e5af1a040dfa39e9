import type { Logger } from 'pino';
import { messageOf } from '../../shared/process/error-facts.js';
import type { CompiledRedirect } from '../../shared/ruleset/compiled-redirect.js';
import type { RulesetChange } from '../../shared/ruleset/ruleset-feed.js';
import type { LoadableCertificate, ServerCertificates } from '../http/tls-app.js';
import type { CertificateCache } from './certificate-cache.js';
import type { DirectoryCertificate, DirectoryCertificates } from './directory-certificates.js';
import { createFallbackCertificate } from './fallback-certificate.js';
import type { KeyFiles } from './key-files.js';

/** Maximum number of certificates that are loaded together with a wildcard. */
const MAX_BELOW_WILDCARD = 1_000;

/**
 * How soon the process must be replaced to serve the right certificates. `soon`: a certificate was renewed. `now`: a
 * certificate was deleted, which may mean that its key is compromised, or no more names can be loaded.
 */
export type ReplacementUrgency = 'soon' | 'now';

/** Handshakes since the process started that got the certificate for unknown names. */
export interface FallbackCounts {
  unknownHost: number;
  withoutCertificate: number;
}

/** The certificates that this process has loaded. Each is loaded at the first handshake for its host. */
export interface LoadedCertificates extends ServerCertificates {
  /** Number of names. */
  readonly size: number;
  readonly fallbacks: FallbackCounts;
  /** Compares what is loaded with changes of the ruleset. Undefined: the whole ruleset was replaced. */
  rulesetChanged(changes: readonly RulesetChange[] | undefined): void;
  /** Compares what is loaded with the directory. */
  directoryChanged(): void;
}

export interface LoadedCertificatesDeps {
  /** Returns the redirect of a host; undefined when the host is unknown. */
  readonly redirectOf: (host: string) => CompiledRedirect | undefined;
  readonly directory: DirectoryCertificates | undefined;
  readonly cache: Pick<CertificateCache, 'read'> | undefined;
  /** Called for a certificate that is named in the ruleset and is not in the cache, or is damaged there. */
  readonly onMissing: (fingerprint: string) => void;
  readonly onOutdated: (urgency: ReplacementUrgency) => void;
  readonly keyFiles: KeyFiles;
  /** Maximum number of names. */
  readonly maxNames: number;
  readonly logger: Logger;
}

export function createLoadedCertificates(deps: LoadedCertificatesDeps): LoadedCertificates {
  const { redirectOf, directory, cache, onMissing, onOutdated, keyFiles, maxNames, logger } = deps;
  /** Fingerprints by name. The addon never forgets a name, so each is returned once. */
  const loaded = new Map<string, string>();
  const fallbacks: FallbackCounts = { unknownHost: 0, withoutCertificate: 0 };
  const fallback = createFallbackCertificate();

  function loadable(
    name: string,
    fingerprint: string,
    material: Parameters<KeyFiles['withFile']>[0],
  ): LoadableCertificate {
    loaded.set(name, fingerprint);
    return { name, withFile: (load) => keyFiles.withFile(material, load) };
  }

  function fromDirectory(
    certificates: DirectoryCertificates,
    found: DirectoryCertificate,
  ): LoadableCertificate[] {
    const { name, fingerprint } = found;
    // The addon looks up a wildcard before it reports a missing name, so hosts below it are loaded with it.
    const below = name.startsWith('*') ? certificates.below(name).slice(0, MAX_BELOW_WILDCARD) : [];
    return [{ name, fingerprint }, ...below].flatMap((one) => {
      if (loaded.has(one.name)) return [];
      const material = certificates.read(one);
      return material === undefined ? [] : [loadable(one.name, one.fingerprint, material)];
    });
  }

  function fromCache(host: string, fingerprint: string): LoadableCertificate[] {
    const material = cache?.read(fingerprint);
    if (material !== undefined) return [loadable(host, fingerprint, material)];
    onMissing(fingerprint);
    return [];
  }

  function find(host: string): readonly LoadableCertificate[] {
    const redirect = redirectOf(host);
    if (redirect === undefined || redirect.https?.mode === 'off') {
      fallbacks.unknownHost += 1;
      return [];
    }
    const certificates = load(host, redirect);
    if (certificates.length === 0) fallbacks.withoutCertificate += 1;
    return certificates;
  }

  function load(host: string, { https }: CompiledRedirect): readonly LoadableCertificate[] {
    if (loaded.has(host)) return [];
    if (loaded.size >= maxNames) {
      logger.warn({ problem: `${maxNames} certificates are loaded` }, 'TLS_MAX_NAMES is reached');
      onOutdated('now');
      return [];
    }
    const found = directory?.find(host);
    if (directory !== undefined && found !== undefined) return fromDirectory(directory, found);
    return https?.certificate === undefined ? [] : fromCache(host, https.certificate.fingerprint);
  }

  /** Returns whether the certificate of a name is another one now, or none. */
  function change(name: string, fingerprint: string): ReplacementUrgency | undefined {
    const inDirectory = directory?.find(name);
    if (name.startsWith('*') || inDirectory !== undefined) {
      return inDirectory?.fingerprint === fingerprint ? undefined : 'soon';
    }
    const redirect = redirectOf(name);
    // A host without a redirect gets 421, whatever its certificate is.
    if (redirect === undefined) return undefined;
    const certificate = redirect.https?.certificate;
    if (certificate === undefined) return 'now';
    return certificate.fingerprint === fingerprint ? undefined : 'soon';
  }

  function report(names: Iterable<string>): void {
    let urgency: ReplacementUrgency | undefined;
    for (const name of names) {
      const fingerprint = loaded.get(name);
      const found = fingerprint === undefined ? undefined : change(name, fingerprint);
      if (found !== undefined && urgency !== 'now') urgency = found;
    }
    if (urgency !== undefined) onOutdated(urgency);
  }

  return {
    fallback: { name: '', withFile: (use) => keyFiles.withFile(fallback, use) },
    get size() {
      return loaded.size;
    },
    fallbacks,
    missing(name) {
      try {
        return find(name);
      } catch (error) {
        logger.error({ problem: messageOf(error) }, 'a certificate could not be read');
        return [];
      }
    },
    failed(name, error) {
      loaded.delete(name);
      logger.error({ name, problem: messageOf(error) }, 'a certificate could not be loaded');
    },
    rulesetChanged: (changes) =>
      report(changes === undefined ? loaded.keys() : changes.map(({ host }) => host)),
    directoryChanged: () => report(loaded.keys()),
  };
}
