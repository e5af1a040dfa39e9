/** One request of the load. */
export interface BenchRequest {
  readonly host: string;
  /** Path and query as sent. */
  readonly target: string;
  /** Destination of the host's redirect when no rule decides. */
  readonly destination: string;
  /** Headers of this visitor. They extend or replace `BROWSER_HEADERS`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Possible destinations by the host's rules, without path and query; absent if no rule matches. */
  readonly ruled?: readonly string[];
  /** The right locations, where they do not follow from the other members. */
  readonly locations?: readonly string[];
}

/** Headers that a browser sends besides `Host`. Reading past them is part of every server's work. */
export const BROWSER_HEADERS = {
  'User-Agent':
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36',
  Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  'Accept-Language': 'en-GB,en;q=0.9,de;q=0.7',
  'Accept-Encoding': 'gzip, deflate, br',
} as const;

/** One redirect per host, from which servers are set up. */
export interface BenchRedirect {
  readonly id: string;
  readonly host: string;
  readonly destination: string;
}

/** The redirect of one host, by its number. */
export function benchRedirect(index: number): BenchRedirect {
  return {
    id: `bench-${index}`,
    host: `shop-${index}.bench.example`,
    destination: `https://www.shop-${index}.example/welcome`,
  };
}

export function benchRedirects(hostCount: number): BenchRedirect[] {
  return Array.from({ length: hostCount }, (_, index) => benchRedirect(index));
}

/** The requested path of a host. The caller adds the query. */
export function benchPath(hostIndex: number): string {
  return `/campaign/${hostIndex % 97}/item-${hostIndex}`;
}

/**
 * One request per host, each with its own path and query, in scattered order. In set-up order, a server would read its
 * tables sequentially, which does not happen under real traffic.
 *
 * @param requestCount if it is less than `hostCount`, the hosts are chosen at even distances from first to last
 */
export function benchRequests(hostCount: number, requestCount = hostCount): BenchRequest[] {
  const requests = Array.from({ length: Math.min(hostCount, requestCount) }, (_, request) => {
    const index = Math.floor((request * hostCount) / Math.min(hostCount, requestCount));
    const { host, destination } = benchRedirect(index);
    const target = `${benchPath(index)}?utm_source=newsletter&utm_campaign=spring&id=${index}`;
    return { host, target, destination };
  });
  return shuffled(requests);
}

/** 5,000 requests to one host that forwards path and query, with the locations of their answers. */
export function requestsOf(host: string, destination: string) {
  return benchRequests(5_000).map(({ target }) => ({ host, target, locations: [destination + target] }));
}

/** The location a server must send that forwards path and query. */
export function forwardedLocation({ destination, target }: BenchRequest): string {
  return destination + target;
}

/** Returns the locations that a server with rules may send. There are several if it chooses by a percentage. */
export function ruledLocations({ destination, target, ruled, locations }: BenchRequest): readonly string[] {
  if (locations !== undefined) return locations;
  return (ruled ?? [destination]).map((start) => start + target);
}

/** Any fixed number. The order must be scattered, and the same for every server and run. */
const SHUFFLE_SEED = 0x2545f491;

/** Fisher and Yates, with the random numbers of Marsaglia's xorshift32 (2003): the same order each time. */
export function shuffled<T>(items: readonly T[]): T[] {
  const result = [...items];
  let state = SHUFFLE_SEED;
  for (let last = result.length - 1; last > 0; last -= 1) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    const other = (state >>> 0) % (last + 1);
    [result[last], result[other]] = [result[other] as T, result[last] as T];
  }
  return result;
}
