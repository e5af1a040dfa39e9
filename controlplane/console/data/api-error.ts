export interface ApiErrorFacts {
  /** 0: there was no answer. */
  readonly status: number;
  readonly code: string;
  readonly message: string;
  /** Dotted path of the member that is wrong. */
  readonly field?: string | undefined;
  /** The whole answer. Some errors have more members than `error`. */
  readonly body?: unknown;
}

/** An answer of the API that is an error, or no answer. `message` is written for people. */
export class ApiError extends Error {
  override name = 'ApiError';
  readonly status: number;
  readonly code: string;
  readonly field: string | undefined;
  readonly body: unknown;

  constructor({ status, code, message, field, body }: ApiErrorFacts) {
    super(message);
    this.status = status;
    this.code = code;
    this.field = field;
    this.body = body;
  }
}

/** Returns whether the session has ended. A wrong password is another code. */
export function isSessionEnd(error: unknown): boolean {
  return (
    error instanceof ApiError && ['MISSING_TOKEN', 'INVALID_TOKEN', 'EXPIRED_TOKEN'].includes(error.code)
  );
}
