/** One request of the load, and the answer it must get from a server that forwards path and query. */
export interface BenchRequest {
  readonly host: string;
  /** Path and query as they go over the wire. */
  readonly target: string;
  /** Where the host's redirect leads. */
  readonly destination: string;
}

/**
 * What a browser sends besides `Host`. Reading past it is part of the work of every server.
 */
export const BROWSER_HEADERS = {
  'User-Agent':
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36',
  Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  'Accept-Language': 'en-GB,en;q=0.9,de;q=0.7',
  'Accept-Encoding': 'gzip, deflate, br',
} as const;

/** Any fixed number: the order has to be scattered, and the same for every server and run. */
const SHUFFLE_SEED = 0x2545f491;

/** One redirect per host, from which servers are set up. */
export interface BenchRedirect {
  readonly id: string;
  readonly host: string;
  readonly destination: string;
}

export function benchRedirects(hostCount: number): BenchRedirect[] {
  return Array.from({ length: hostCount }, (_, index) => ({
    id: `bench-${index}`,
    host: `shop-${index}.bench.example`,
    destination: `https://www.shop-${index}.example/welcome`,
  }));
}

/**
 * One request per host, each with a path and a query of its own, in scattered order: in the order in which the
 * hosts were set up, a server's tables would be read from one end to the other, which no traffic does.
 */
export function benchRequests(hostCount: number): BenchRequest[] {
  const requests = benchRedirects(hostCount).map(({ host, destination }, index) => ({
    host,
    target: `/campaign/${index % 97}/item-${index}?utm_source=newsletter&utm_campaign=spring&id=${index}`,
    destination,
  }));
  return shuffled(requests, SHUFFLE_SEED);
}

/** The location a server must send that forwards path and query. */
export function forwardedLocation({ destination, target }: BenchRequest): string {
  return destination + target;
}

/** Fisher and Yates, with the random numbers of Marsaglia's xorshift32 (2003). */
function shuffled<T>(items: readonly T[], seed: number): T[] {
  const result = [...items];
  let state = seed;
  for (let last = result.length - 1; last > 0; last -= 1) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    const other = (state >>> 0) % (last + 1);
    [result[last], result[other]] = [result[other] as T, result[last] as T];
  }
  return result;
}
