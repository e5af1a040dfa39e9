/** The limits of a certificate authority. */
export interface AuthorityLimits {
  /** Orders at once, after a pause. */
  readonly burst: number;
  readonly perSecond: number;
  /** Certificates per registered domain and week. */
  readonly perDomain: number;
  /** Orders per host and hour, also failed ones. Authorities pause names that fail too often. */
  readonly perHostAndHour: number;
}

const THREE_HOURS = 3 * 3_600;

/**
 * Limits on new orders by host of the directory. Renewals announced by renewal information are exempt.
 *
 * @see https://letsencrypt.org/docs/rate-limits/
 * @see https://letsencrypt.org/docs/staging-environment/
 */
const LIMITS: Readonly<Record<string, AuthorityLimits>> = {
  'acme-v02.api.letsencrypt.org': {
    burst: 300,
    perSecond: 300 / THREE_HOURS,
    perDomain: 50,
    perHostAndHour: 4,
  },
  'acme-staging-v02.api.letsencrypt.org': {
    burst: 1_500,
    perSecond: 1_500 / THREE_HOURS,
    perDomain: 30_000,
    perHostAndHour: 100,
  },
};

/** Limits of authorities that publish no limits. Their answers say when to wait. */
const DEFAULT_LIMITS: AuthorityLimits = {
  burst: 10_000,
  perSecond: 100,
  perDomain: 1_000_000,
  perHostAndHour: 10,
};

export const LIMIT_PERIOD_DAYS = 7;

/** @param directoryUrl URL of the directory */
export function limitsOf(directoryUrl: string): AuthorityLimits {
  return LIMITS[new URL(directoryUrl).host] ?? DEFAULT_LIMITS;
}
