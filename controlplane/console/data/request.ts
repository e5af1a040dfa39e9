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
  /** Whether '' is sent. Default: no. */
  readonly sendsEmpty?: boolean;
  /** Sent as JSON, unless it is a file. */
  readonly body?: unknown;
  /** Media type of a file. */
  readonly contentType?: string;
  /** Default: 30 s. 0: no limit. */
  readonly timeoutMs?: number;
  /** Tag that the resource must still have. */
  readonly ifMatch?: string | undefined;
  readonly signal?: AbortSignal;
  /** Sent instead of the session cookie. */
  readonly token?: string;
}

/** The queries of a page repeat themselves. */
const RETRIES = 0;
const client = createClient({ session: true, url: pageFacts.basePath, retries: RETRIES });
/** The client with types erased: each function of `data/` names the shape that it reads. */
const send = client.answer as unknown as (
  method: Method,
  path: string,
  options: object,
) => Promise<{ readonly data: unknown; readonly etag: string | undefined }>;
const sessionEnds = new EventTarget();

export interface BrokenExample {
  readonly name: string;
  readonly message: string;
}

/** Asks whether a change that breaks examples is made nevertheless. */
type ForceQuestion = (broken: readonly BrokenExample[]) => Promise<boolean>;
let askToForce: ForceQuestion | undefined;

/** Sets who is asked before a change that breaks examples. Returns what ends that. */
export function onExamplesBroken(question: ForceQuestion): () => void {
  askToForce = question;
  return () => {
    askToForce = undefined;
  };
}

/** Calls `listener` each time an answer says that there is no session. Returns what ends that. */
export function onSessionEnd(listener: () => void): () => void {
  sessionEnds.addEventListener('end', listener);
  return () => sessionEnds.removeEventListener('end', listener);
}

/**
 * Sends one request to the API with the session cookie, and resolves to the data of the answer. Where a change would
 * break examples of a redirect, the user decides whether it is sent again with `force`.
 *
 * @param path with placeholders: `/redirects/{id}`
 * @throws {ApiError}
 */
export async function request<T>(method: Method, path: string, options: RequestOptions = {}): Promise<T> {
  try {
    return (await requestTagged<T>(method, path, options)).data;
  } catch (error) {
    const broken = brokenExamplesOf(error);
    if (broken === undefined || !(await askToForce?.(broken))) throw error;
    const forced = { ...options, query: { ...options.query, force: true } };
    return (await requestTagged<T>(method, path, forced)).data;
  }
}

function brokenExamplesOf(error: unknown): readonly BrokenExample[] | undefined {
  if (!(error instanceof ApiError) || error.code !== 'EXAMPLES_BROKEN') return undefined;
  return (error.body as { readonly brokenExamples?: readonly BrokenExample[] }).brokenExamples ?? [];
}

/** Sends one request, and resolves to its data with the tag of what it has read or written. @throws {ApiError} */
export async function requestTagged<T>(
  method: Method,
  path: string,
  options: RequestOptions = {},
): Promise<{ readonly data: T; readonly etag: string | undefined }> {
  const {
    params,
    body,
    contentType,
    timeoutMs,
    signal,
    token,
    ifMatch,
    query = {},
    sendsEmpty = false,
  } = options;
  const given = Object.entries(query).filter(([, value]) => sendsEmpty || value !== '');
  try {
    const { data, etag } = await send(method, path, {
      query: Object.fromEntries(given),
      ...(params && { params }),
      ...(body !== undefined && { body }),
      ...(contentType !== undefined && { contentType }),
      ...(timeoutMs !== undefined && { timeoutMs }),
      ...(signal && { signal }),
      ...(ifMatch !== undefined && { ifMatch }),
      ...(token !== undefined && { headers: { authorization: `Bearer ${token}` } }),
    });
    return { data: data as T, etag };
  } catch (cause) {
    const error = cause instanceof WaymarkError ? errorOf(cause) : cause;
    if (isSessionEnd(error) && token === undefined) sessionEnds.dispatchEvent(new Event('end'));
    throw error;
  }
}

/** Returns the address of a path of the API, for links that the browser follows itself. */
export const addressOf = (path: string): string => pageFacts.basePath + path;

/** Errors of the API have its words; for the others there are texts. */
function errorOf({ status, code, message, field, body }: WaymarkError): ApiError {
  if (status === 0) return new ApiError({ status, code, message: texts.errors.noAnswer });
  const isReadable = code !== 'UNEXPECTED_ANSWER';
  return new ApiError({
    status,
    code,
    message: isReadable ? message : texts.errors.unreadableAnswer(status),
    field,
    body,
  });
}
