import { AppError } from '../errors/app-error.js';

/** @param reason a sentence that names the exceeded limit */
export function tooManyRequests(reason: string, msBeforeNext: number): AppError {
  const retryAfterSeconds = Math.max(1, Math.ceil(msBeforeNext / 1000));
  return new AppError('RATE_LIMIT_EXCEEDED', {
    message: `${reason} Retry in ${retryAfterSeconds} s.`,
    retryAfterSeconds,
  });
}
