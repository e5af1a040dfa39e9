import { createRequests, type Requests } from './requests.js';
import { createResources, type Resources } from './resources.js';
import type { RetryOptions } from './retries.js';

export interface ClientOptions extends RetryOptions {
  /** Address of the API. Default: `http://127.0.0.1:3000`, and the page's own origin with `session`. */
  readonly url?: string | undefined;
  /** Access token, or a function that returns it before each request. */
  readonly token?: string | (() => string | Promise<string>) | undefined;
  /** Authenticates by the session cookie of a browser instead of a token. */
  readonly session?: boolean | undefined;
  /** Maximum time of each attempt. Default: 30 s. 0: no limit. */
  readonly timeoutMs?: number | undefined;
  /** Default: the global one. */
  readonly fetch?: typeof fetch | undefined;
}

export type Client = Requests & Resources;

/** Creates a client of one Waymark server. It holds no connection and needs no closing. */
export function createClient(options: ClientOptions = {}): Client {
  const url = options.url ?? (options.session ? '' : 'http://127.0.0.1:3000');
  const requests = createRequests({ ...options, url });
  return { ...requests, ...createResources(requests) };
}
