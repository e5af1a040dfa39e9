import { texts } from '../texts/texts';
import { ApiError, isSessionEnd } from './api-error';
import { pageFacts } from './page-facts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
type QueryValue = string | number | boolean | null | undefined;

export interface RequestOptions {
  /** Values of `{name}` in the path. */
  readonly params?: Readonly<Record<string, string | number>>;
  /** Parameters of the query. `undefined`, `null` and '' are left out. */
  readonly query?: Readonly<Record<string, QueryValue>>;
  readonly body?: unknown;
  readonly signal?: AbortSignal;
  /** Sent instead of the session cookie. */
  readonly token?: string;
}

const TIMEOUT_MS = 30_000;
const sessionEnds = new EventTarget();

/** Calls `listener` each time an answer says that there is no session. Returns what ends that. */
export function onSessionEnd(listener: () => void): () => void {
  sessionEnds.addEventListener('end', listener);
  return () => sessionEnds.removeEventListener('end', listener);
}

/**
 * Sends one request to the API with the session cookie, and resolves to the JSON of the answer.
 *
 * @param path with placeholders: `/redirects/{id}`
 * @throws {ApiError}
 */
export async function request<T>(method: Method, path: string, options: RequestOptions = {}): Promise<T> {
  const response = await send(method, path, options);
  const body = await readJson(response);
  if (response.ok) return body as T;
  const error = errorOf(response.status, body);
  if (isSessionEnd(error) && options.token === undefined) sessionEnds.dispatchEvent(new Event('end'));
  throw error;
}

async function send(method: Method, path: string, options: RequestOptions): Promise<Response> {
  const { body, signal, token } = options;
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  try {
    return await fetch(addressOf(path, options), {
      method,
      headers: {
        Accept: 'application/json',
        'X-Requested-With': 'waymark',
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...(token !== undefined && { Authorization: `Bearer ${token}` }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      credentials: 'same-origin',
      cache: 'no-store',
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ApiError({ status: 0, code: 'NO_ANSWER', message: texts.errors.noAnswer });
  }
}

/** Returns the address of a path of the API. Links that the browser follows itself use it too. */
export function addressOf(path: string, { params = {}, query = {} }: RequestOptions = {}): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(String(params[name] ?? '')));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null && value !== '') search.set(name, String(value));
  }
  return `${pageFacts.basePath}${filled}${search.size > 0 ? `?${search}` : ''}`;
}

async function readJson(response: Response): Promise<unknown> {
  const text = await response.text();
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

function errorOf(status: number, body: unknown): ApiError {
  const facts = (body as { error?: { code?: string; message?: string; field?: string } } | undefined)?.error;
  return new ApiError({
    status,
    code: facts?.code ?? 'UNREADABLE_ANSWER',
    message: facts?.message ?? texts.errors.unreadableAnswer(status),
    field: facts?.field,
  });
}
