/** The limits of a certificate authority. */
export interface AuthorityLimits {
  /** Maximum orders without a delay after a pause. */
  readonly burst: number;
  readonly perSecond: number;
  /** Certificates per registered domain and week. */
  readonly perDomain: number;
  /** Certificates per set of names and week. */
  readonly perNames: number;
  /** Orders per host and hour, also failed ones. Authorities pause names that fail too often. */
  readonly perHostAndHour: number;
}

const THREE_HOURS = 3 * 3_600;

/**
 * Limits on new orders by host of the directory. Renewals announced by renewal information are exempt. A host gets fewer
 * orders per hour than the five failed validations that Let's Encrypt accepts.
 *
 * @see https://letsencrypt.org/docs/rate-limits/
 * @see https://letsencrypt.org/docs/staging-environment/
 */
const LIMITS: Readonly<Record<string, AuthorityLimits>> = {
  'acme-v02.api.letsencrypt.org': {
    burst: 300,
    perSecond: 300 / THREE_HOURS,
    perDomain: 50,
    perNames: 5,
    perHostAndHour: 4,
  },
  'acme-staging-v02.api.letsencrypt.org': {
    burst: 1_500,
    perSecond: 1_500 / THREE_HOURS,
    perDomain: 30_000,
    perNames: 30_000,
    perHostAndHour: 100,
  },
};

/** Limits of authorities that publish no limits. Their answers say when to wait. */
const DEFAULT_LIMITS: AuthorityLimits = {
  burst: 10_000,
  perSecond: 100,
  perDomain: 1_000_000,
  perNames: 1_000_000,
  perHostAndHour: 10,
};

/** @param directoryUrl URL of the directory */
export function limitsOf(directoryUrl: string): AuthorityLimits {
  return LIMITS[new URL(directoryUrl).host] ?? DEFAULT_LIMITS;
}
