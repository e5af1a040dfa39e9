import { ERROR_CODES, type ErrorCode } from './error-codes.js';

export interface AppErrorOptions {
  /** Text for the caller: the problem and the accepted values. Contains no internal details. */
  readonly message: string;
  /** Dotted path of the offending member, as in `action.variants.1.percentage`. */
  readonly field?: string | undefined;
  /** Members of the answer beside `error`. */
  readonly beside?: Readonly<Record<string, unknown>> | undefined;
  /** Seconds for the header `Retry-After`. */
  readonly retryAfterSeconds?: number | undefined;
  /** Text for the log only. */
  readonly detail?: string | undefined;
  readonly cause?: unknown;
}

/** An error that becomes an answer. It has a code, a status and a message for the caller. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly field: string | undefined;
  readonly beside: Readonly<Record<string, unknown>> | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly detail: string | undefined;

  constructor(code: ErrorCode, options: AppErrorOptions) {
    super(options.message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'AppError';
    this.code = code;
    this.status = ERROR_CODES[code].status;
    this.field = options.field;
    this.beside = options.beside;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.detail = options.detail;
  }
}

/** The body of every error answer. Some have more members. */
export interface ErrorBody {
  readonly error: { readonly message: string; readonly code: ErrorCode; readonly field?: string };
}

export function errorBody(error: AppError): ErrorBody {
  const { message, code, field, beside } = error;
  return { error: field === undefined ? { message, code } : { message, code, field }, ...beside };
}

/** Returns the result of a function, or the refusal that it throws. */
export function refusalOr<T>(read: () => T): T | AppError {
  try {
    return read();
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}

/**
 * Checks a part of a request as if it were a whole one. The fields of errors get the path of the part in front:
 * `action.url` becomes `rules.3.action.url`. An empty field becomes the path.
 */
export async function inPart<T>(path: string, check: () => T | Promise<T>): Promise<T> {
  try {
    return await check();
  } catch (error) {
    if (!(error instanceof AppError) || error.field === undefined) throw error;
    const { code, message, field, beside, retryAfterSeconds, detail, cause } = error;
    const whole = field === '' ? path : `${path}.${field}`;
    throw new AppError(code, { message, field: whole, beside, retryAfterSeconds, detail, cause });
  }
}
