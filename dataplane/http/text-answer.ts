import type { HttpResponse } from 'uWebSockets.js';
import type { RequestOutcome } from './request-counts.js';

/** An answer that is not a redirect, prepared once. */
export interface TextAnswer {
  readonly countedAs: RequestOutcome;
  readonly statusCode: number;
  readonly statusLine: string;
  readonly body: string;
  readonly contentLength: string;
  /** Seconds; empty for no such header. */
  readonly retryAfter: string;
  /** Allowed methods; empty for no such header. */
  readonly allow: string;
}

function textAnswer(
  countedAs: RequestOutcome,
  statusLine: string,
  text: string,
  retryAfter = '',
): TextAnswer {
  const body = `${text}\n`;
  const statusCode = Number.parseInt(statusLine, 10);
  const contentLength = String(Buffer.byteLength(body));
  return { countedAs, statusCode, statusLine, body, contentLength, retryAfter, allow: '' };
}

export const NO_HOST = textAnswer('refused', '400 Bad Request', 'The request names no host.');
export const AMBIGUOUS_LENGTH = textAnswer(
  'refused',
  '400 Bad Request',
  'Where the body of the request ends cannot be told for certain.',
);
export const UNREADABLE_TARGET = textAnswer(
  'refused',
  '400 Bad Request',
  'The address holds bytes that are not UTF-8. Percent-encode them.',
);
export const METHOD_NOT_ALLOWED: TextAnswer = {
  ...textAnswer('refused', '405 Method Not Allowed', 'TRACE and CONNECT are not answered here.'),
  allow: 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS',
};
export const TARGET_TOO_LONG = textAnswer(
  'tooLong',
  '414 URI Too Long',
  'The address is too long for the rules of this redirect.',
);
export const HEADER_TOO_LONG = textAnswer(
  'tooLong',
  '431 Request Header Fields Too Large',
  'A header is too long for the rules of this redirect.',
);
export const NOT_FOUND = textAnswer('notFound', '404 Not Found', 'There is no redirect for this host.');
export const MISDIRECTED = textAnswer(
  'misdirected',
  '421 Misdirected Request',
  'There is no HTTPS redirect for this host.',
);
export const GONE = textAnswer('gone', '410 Gone', 'The redirect of this host has ended.');
export const PATH_NOT_FOUND = textAnswer(
  'notFound',
  '404 Not Found',
  'There is no redirect for this address.',
);
export const PATH_GONE = textAnswer('gone', '410 Gone', 'The page at this address is gone.');
export const NOT_READY = textAnswer(
  'notReady',
  '503 Service Unavailable',
  'Starting. Try again in a second.',
  '1',
);
export const LOOP = textAnswer('loop', '508 Loop Detected', 'This redirect leads to itself.');
export const ENDLESS = textAnswer('loop', '508 Loop Detected', 'Following this redirect would never end.');

/**
 * @param isHead whether it answers a HEAD, which has no body
 * @param closing whether the connection must end with this answer
 */
export function sendText(res: HttpResponse, answer: TextAnswer, isHead: boolean, closing: boolean): void {
  writeTextStart(res, answer);
  if (!isHead) {
    res.end(answer.body, closing);
    return;
  }
  // With a length, `endWithoutBody` waits for that many bytes; without one, it cannot close. So both headers are
  // written here, and the client closes.
  res.writeHeader('Content-Length', answer.contentLength);
  if (closing) res.writeHeader('Connection', 'close');
  res.endWithoutBody();
}

/** Writes the start of an answer: all of it but the length and the body. */
export function writeTextStart(res: HttpResponse, { statusLine, retryAfter, allow }: TextAnswer): void {
  res
    .writeStatus(statusLine)
    .writeHeader('Content-Type', 'text/plain; charset=utf-8')
    .writeHeader('Cache-Control', 'no-store');
  if (retryAfter !== '') res.writeHeader('Retry-After', retryAfter);
  if (allow !== '') res.writeHeader('Allow', allow);
}
