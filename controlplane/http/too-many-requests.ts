import { AppError } from '../errors/app-error.js';

/** @param reason what there were too many of: a sentence */
export function tooManyRequests(reason: string, msBeforeNext: number): AppError {
  const retryAfterSeconds = Math.max(1, Math.ceil(msBeforeNext / 1000));
  return new AppError('RATE_LIMIT_EXCEEDED', {
    message: `${reason} Retry in ${retryAfterSeconds} s.`,
    retryAfterSeconds,
  });
}
