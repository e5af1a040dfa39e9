import type { CertificateReference, Hsts, RedirectOptions } from './redirect-options.js';

/** HTTPS settings of a redirect. Immutable. */
export interface HttpsPolicy {
  /** Absent: HTTP and HTTPS are served alike. */
  readonly mode: RedirectOptions['httpsMode'];
  /** Value of Strict-Transport-Security. */
  readonly strictTransport: string | undefined;
  readonly certificate: CertificateReference | undefined;
  /** Certificates of single names below a wildcard host, by name; undefined for none. */
  readonly named: ReadonlyMap<string, CertificateReference> | undefined;
}

/** Returns the policy of a redirect; undefined when it has none of these options. */
export function httpsPolicyOf(options: RedirectOptions): HttpsPolicy | undefined {
  const { httpsMode, hsts, certificate, namedCertificates } = options;
  const hasCertificates = certificate !== undefined || namedCertificates !== undefined;
  if (httpsMode === undefined && hsts === undefined && !hasCertificates) return undefined;
  const named = namedCertificates && new Map(Object.entries(namedCertificates));
  return { mode: httpsMode, strictTransport: hsts && strictTransportOf(hsts), certificate, named };
}

function strictTransportOf({ maxAge, includeSubDomains, preload }: Hsts): string {
  const directives = [
    `max-age=${maxAge}`,
    ...(includeSubDomains ? ['includeSubDomains'] : []),
    ...(preload ? ['preload'] : []),
  ];
  return directives.join('; ');
}
