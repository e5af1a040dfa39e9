import { wildcardFor } from '../../shared/certificates/certificate-material.js';

/** A certificate that is loaded under a name. */
export interface LoadedName {
  readonly fingerprint: string;
  /** The redirect that names the certificate; undefined for one of the directory. */
  readonly host: string | undefined;
}

/** The names that this process has certificates for, by name and by the redirect that names the certificate. */
export class LoadedNames {
  private readonly byName = new Map<string, LoadedName>();
  private readonly byHost = new Map<string, Set<string>>();

  get size(): number {
    return this.byName.size;
  }

  has(name: string): boolean {
    return this.byName.has(name);
  }

  get(name: string): LoadedName | undefined {
    return this.byName.get(name);
  }

  all(): Iterable<string> {
    return this.byName.keys();
  }

  /** Returns the names whose certificate may depend on the redirect of a host. */
  ofHost(host: string): Iterable<string> {
    const names = this.byHost.get(host);
    if (names === undefined) return this.byName.has(host) ? [host] : [];
    return names;
  }

  /** Whether a wildcard is loaded that a redirect names. */
  get hasWildcardOfRuleset(): boolean {
    return [...this.byHost].some(([host, names]) => host.startsWith('*') && names.size > 0);
  }

  /** Returns whether a loaded wildcard serves the host. Handshakes then do not report the host as missing. */
  hasWildcardFor(host: string): boolean {
    return this.byName.has(wildcardFor(host));
  }

  add(name: string, loaded: LoadedName): void {
    this.byName.set(name, loaded);
    if (loaded.host === undefined) return;
    const names = this.byHost.get(loaded.host) ?? new Set();
    this.byHost.set(loaded.host, names.add(name));
  }

  remove(name: string): void {
    const host = this.byName.get(name)?.host;
    this.byName.delete(name);
    if (host !== undefined) this.byHost.get(host)?.delete(name);
  }
}
