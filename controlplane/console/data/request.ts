import { createClient, WaymarkError } from '@waymark/client';
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
  /** Sent as JSON, unless it is a file. */
  readonly body?: unknown;
  /** Media type of a file. */
  readonly contentType?: string;
  /** Default: 30 s. 0: no limit. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  /** Sent instead of the session cookie. */
  readonly token?: string;
}

/** The queries of a page repeat themselves. */
const RETRIES = 0;
const client = createClient({ session: true, url: pageFacts.basePath, retries: RETRIES });
/** The client with types erased: each function of `data/` names the shape that it reads. */
const send = client.request as unknown as (method: Method, path: string, options: object) => Promise<unknown>;
const sessionEnds = new EventTarget();

/** Calls `listener` each time an answer says that there is no session. Returns what ends that. */
export function onSessionEnd(listener: () => void): () => void {
  sessionEnds.addEventListener('end', listener);
  return () => sessionEnds.removeEventListener('end', listener);
}

/**
 * Sends one request to the API with the session cookie, and resolves to the data of the answer.
 *
 * @param path with placeholders: `/redirects/{id}`
 * @throws {ApiError}
 */
export async function request<T>(method: Method, path: string, options: RequestOptions = {}): Promise<T> {
  const { params, body, contentType, timeoutMs, signal, token, query = {} } = options;
  const given = Object.entries(query).filter(([, value]) => value !== '');
  try {
    return (await send(method, path, {
      query: Object.fromEntries(given),
      ...(params && { params }),
      ...(body !== undefined && { body }),
      ...(contentType !== undefined && { contentType }),
      ...(timeoutMs !== undefined && { timeoutMs }),
      ...(signal && { signal }),
      ...(token !== undefined && { headers: { authorization: `Bearer ${token}` } }),
    })) as T;
  } catch (cause) {
    const error = cause instanceof WaymarkError ? errorOf(cause) : cause;
    if (isSessionEnd(error) && token === undefined) sessionEnds.dispatchEvent(new Event('end'));
    throw error;
  }
}

/** Returns the address of a path of the API, for links that the browser follows itself. */
export const addressOf = (path: string): string => pageFacts.basePath + path;

/** Errors of the API have its words; for the others there are texts. */
function errorOf({ status, code, message, field }: WaymarkError): ApiError {
  if (status === 0) return new ApiError({ status, code, message: texts.errors.noAnswer });
  const isReadable = code !== 'UNEXPECTED_ANSWER';
  return new ApiError({
    status,
    code,
    message: isReadable ? message : texts.errors.unreadableAnswer(status),
    field,
  });
}
