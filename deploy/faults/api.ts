/** Answer of the control plane, with its body parsed by its media type. */
export interface ApiAnswer<T> {
  readonly status: number;
  readonly body: T;
}

/** Calls of the control plane's API with a token. */
export interface Api {
  /** @throws without an answer */
  call<T>(method: string, path: string, body?: unknown): Promise<ApiAnswer<T>>;
}

/** Longer than any call may take. A cancelled call may still take effect, after a later one. */
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
