import type { Error as ErrorBody } from './operations.js';

/** Codes of failures that are not an answer of the API. */
type LocalCode =
  /** No answer: the connection failed. */
  | 'CONNECTION_FAILED'
  /** No answer within `timeoutMs`. */
  | 'TIMEOUT'
  /** An answer that is not of Waymark, such as the page of a proxy. */
  | 'UNEXPECTED_ANSWER';

export type ErrorCode = ErrorBody['error']['code'] | LocalCode;

export interface WaymarkErrorParts {
  readonly code: ErrorCode;
  readonly message: string;
  readonly status?: number | undefined;
  readonly field?: string | undefined;
  readonly requestId?: string | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly body?: unknown;
  readonly cause?: unknown;
}

/** A request that failed. All failures are of this class, except that an aborted `signal` throws its reason. */
export class WaymarkError extends Error {
  override readonly name = 'WaymarkError';
  /** The reason, for programs. */
  readonly code: ErrorCode;
  /** The HTTP status; 0 without an answer. */
  readonly status: number;
  /** Dotted path of the member that is wrong, such as `action.variants.1.percentage`. */
  readonly field: string | undefined;
  /** Names the request in the log of the server. */
  readonly requestId: string | undefined;
  /** Wait that the server asks for, if any. */
  readonly retryAfterMs: number | undefined;
  /** The whole body of the answer, parsed where it is JSON. `POST /redirects/bulk` puts its results there. */
  readonly body: unknown;

  constructor(parts: WaymarkErrorParts) {
    super(parts.message, parts.cause === undefined ? undefined : { cause: parts.cause });
    this.code = parts.code;
    this.status = parts.status ?? 0;
    this.field = parts.field;
    this.requestId = parts.requestId;
    this.retryAfterMs = parts.retryAfterMs;
    this.body = parts.body;
  }
}

/** Reads the error of an answer, whose body is consumed. */
export async function errorOf(response: Response, retryAfterMs: number | undefined): Promise<WaymarkError> {
  const requestId = response.headers.get('x-request-id') ?? undefined;
  const parts = { status: response.status, requestId, retryAfterMs };
  const text = await response.text().catch(() => '');
  const body = parsed(text);
  const error = (body as Partial<ErrorBody> | undefined)?.error;
  if (typeof error?.code === 'string') return new WaymarkError({ ...parts, ...error, body });
  const message = `The server answered ${response.status} with a body that is not an error of Waymark. Check the URL, and proxies on the way.`;
  return new WaymarkError({ ...parts, code: 'UNEXPECTED_ANSWER', message, body: body ?? text });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
