/** A network of 65,536 addresses, and the country in which the bundled database has all of them. */
export interface BenchNetwork {
  /** The first half of the country's addresses. */
  readonly network: string;
  readonly country: string;
}

/** Networks of universities and providers that have not moved for decades. */
export const NETWORKS: readonly BenchNetwork[] = [
  { network: '91.10', country: 'DE' },
  { network: '81.130', country: 'GB' },
  { network: '8.8', country: 'US' },
  { network: '133.11', country: 'JP' },
  { network: '200.147', country: 'BR' },
  { network: '49.36', country: 'IN' },
  { network: '151.1', country: 'IT' },
  { network: '80.58', country: 'ES' },
  { network: '24.80', country: 'CA' },
  { network: '84.112', country: 'AT' },
];

/** A browser and the attributes that the product detects for it. */
export interface BenchAgent {
  readonly userAgent: string;
  readonly deviceType: string;
  readonly browserName: string;
}

export const AGENTS = {
  phone: {
    userAgent:
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
    deviceType: 'mobile',
    browserName: 'Mobile Safari',
  },
  firefox: {
    userAgent: 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:124.0) Gecko/20100101 Firefox/124.0',
    deviceType: 'desktop',
    browserName: 'Firefox',
  },
  edge: {
    userAgent:
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/122.0.0.0 Safari/537.36 Edg/122.0.2365.92',
    deviceType: 'desktop',
    browserName: 'Edge',
  },
  chrome: {
    userAgent:
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/123.0.0.0 Safari/537.36',
    deviceType: 'desktop',
    browserName: 'Chrome',
  },
} as const satisfies Readonly<Record<string, BenchAgent>>;

/** The n-th country, in rotation. */
export function countryOf(place: number): string {
  return networkOf(place).country;
}

/**
 * An address in the n-th country.
 *
 * @param visitor below 65,536; each has another one
 */
export function addressOf(place: number, visitor: number): string {
  return `${networkOf(place).network}.${visitor >> 8}.${visitor & 0xff}`;
}

function networkOf(place: number): BenchNetwork {
  return NETWORKS[place % NETWORKS.length] ?? { network: '', country: '' };
}
