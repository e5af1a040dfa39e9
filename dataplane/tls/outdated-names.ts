import type { DirectoryCertificates } from '../../shared/certificates/directory-certificates.js';
import type { CompiledRedirect } from '../../shared/ruleset/compiled-redirect.js';
import type { LoadedName } from './loaded-names.js';

/**
 * Urgency of a replacement of the process that serves the right certificates. `soon`: a certificate was renewed, or
 * no more names can be loaded. `now`: a certificate was deleted, which may mean that its key is compromised.
 */
export type ReplacementUrgency = 'soon' | 'now';

/** Reason why a loaded certificate is outdated. */
export interface Outdated {
  readonly urgency: ReplacementUrgency;
  /** The certificate of the ruleset that replaces it, with the host of the redirect that names it. */
  readonly successor?: { readonly fingerprint: string; readonly host: string };
}

export interface OutdatedDeps {
  /** Returns the redirect of a host, by its name or by a wildcard. */
  readonly redirectOf: (host: string) => CompiledRedirect | undefined;
  readonly directory: Pick<DirectoryCertificates, 'find'> | undefined;
}

/** Returns why the certificate of a name is outdated; undefined when it is the right one. */
export function findOutdated(
  { redirectOf, directory }: OutdatedDeps,
  name: string,
  { fingerprint, host }: LoadedName,
): Outdated | undefined {
  const inDirectory = directory?.find(name);
  if (inDirectory !== undefined) {
    return inDirectory.fingerprint === fingerprint ? undefined : { urgency: 'soon' };
  }
  const isWildcard = name.startsWith('*');
  if (host === undefined && isWildcard) return { urgency: 'soon' };
  const source = host ?? name;
  const redirect = redirectOf(isWildcard ? source : name);
  // A host without a redirect gets 421 with any certificate.
  if (redirect === undefined) return undefined;
  const successor = redirect.https?.named?.get(name) ?? redirect.https?.certificate;
  // A redirect that was deleted may leave its host to a wildcard.
  if (successor === undefined) return redirect.host === source ? { urgency: 'now' } : undefined;
  if (successor.fingerprint === fingerprint) return undefined;
  return { urgency: 'soon', successor: { fingerprint: successor.fingerprint, host: redirect.host } };
}
