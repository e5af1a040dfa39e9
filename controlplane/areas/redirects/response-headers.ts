import {
  isResponseHeaderValue,
  MAX_RESPONSE_HEADER_LENGTH,
  RESPONSE_HEADERS,
} from '../../../shared/ruleset/redirect-options.js';
import { AppError } from '../../errors/app-error.js';

/**
 * Returns the headers under their usual names.
 *
 * @throws {AppError} VALIDATION_ERROR naming the header
 */
export function responseHeadersOf(input: Readonly<Record<string, string>>): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [given, value] of Object.entries(input)) {
    const name = usualName(given);
    const field = `responseHeaders.${given}`;
    if (name === undefined) {
      const message = `${field} is not accepted; known headers are: ${RESPONSE_HEADERS.join(', ')}.`;
      throw new AppError('VALIDATION_ERROR', { field, message });
    }
    if (value === '' || !isResponseHeaderValue(value)) {
      const message = `${field} must be a string of 1 to ${MAX_RESPONSE_HEADER_LENGTH} printable ASCII characters.`;
      throw new AppError('VALIDATION_ERROR', { field, message });
    }
    headers[name] = value;
  }
  return headers;
}

/** Normalizes the names of known headers in a patch, so it changes and removes them in any spelling. */
export function withUsualNames<Value>(patch: Readonly<Record<string, Value>>): Record<string, Value> {
  return Object.fromEntries(
    Object.entries(patch).map(([given, value]) => [usualName(given) ?? given, value]),
  );
}

/** Names of headers are case-insensitive (RFC 9110, section 5.1). */
function usualName(given: string): (typeof RESPONSE_HEADERS)[number] | undefined {
  return RESPONSE_HEADERS.find((known) => known.toLowerCase() === given.toLowerCase());
}
