/** Answer of the control plane; the body as it says it is. */
export interface ApiAnswer<T> {
  readonly status: number;
  readonly body: T;
}

/** Calls of the control plane's API with a token. */
export interface Api {
  /** @throws when there is no answer */
  call<T>(method: string, path: string, body?: unknown): Promise<ApiAnswer<T>>;
}

/** Longer than anything may take: a call that was given up may still be done, after a later one. */
const TIMEOUT_MS = 20_000;

export function createApi(address: string, token: string): Api {
  return {
    async call<T>(method: string, path: string, body?: unknown) {
      const response = await fetch(address + path, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      return { status: response.status, body: (await response.json()) as T };
    },
  };
}
