/** An address and the country in which the bundled database has it. */
export interface BenchAddress {
  readonly address: string;
  readonly country: string;
}

/** Addresses of universities, providers and registries that have not moved for decades. */
export const ADDRESSES: readonly BenchAddress[] = [
  { address: '5.35.240.1', country: 'DE' },
  { address: '81.2.69.142', country: 'GB' },
  { address: '8.8.8.8', country: 'US' },
  { address: '133.11.0.1', country: 'JP' },
  { address: '200.147.3.157', country: 'BR' },
  { address: '49.36.0.1', country: 'IN' },
  { address: '151.1.1.1', country: 'IT' },
  { address: '80.58.61.250', country: 'ES' },
  { address: '24.48.0.1', country: 'CA' },
  { address: '84.112.0.1', country: 'AT' },
];

/** A browser and what the product's detection takes it for. */
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

/** The address of the n-th country, in turn. */
export function addressOf(place: number): BenchAddress {
  return ADDRESSES[place % ADDRESSES.length] ?? { address: '', country: '' };
}
