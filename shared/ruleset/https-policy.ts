import type { CertificateReference, Hsts, RedirectOptions } from './redirect-options.js';

/** HTTPS settings of a redirect. Immutable. */
export interface HttpsPolicy {
  /** Absent: HTTP and HTTPS are served alike. */
  readonly mode: RedirectOptions['httpsMode'];
  /** Value of Strict-Transport-Security. */
  readonly strictTransport: string | undefined;
  readonly certificate: CertificateReference | undefined;
}

/** Returns the policy of a redirect; undefined when it has none of these options. */
export function httpsPolicyOf({ httpsMode, hsts, certificate }: RedirectOptions): HttpsPolicy | undefined {
  if (httpsMode === undefined && hsts === undefined && certificate === undefined) return undefined;
  return { mode: httpsMode, strictTransport: hsts && strictTransportOf(hsts), certificate };
}

function strictTransportOf({ maxAge, includeSubDomains, preload }: Hsts): string {
  const directives = [
    `max-age=${maxAge}`,
    ...(includeSubDomains ? ['includeSubDomains'] : []),
    ...(preload ? ['preload'] : []),
  ];
  return directives.join('; ');
}
