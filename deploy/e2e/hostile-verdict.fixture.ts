import type { Exchange, HostileAnswer } from './hostile-client.fixture.js';
import { SMUGGLED } from './hostile-smuggling.fixture.js';

/** Returns the faults of a port's response, in words; an empty list if there are none. */
export type Verdict = (exchange: Exchange) => readonly string[];

const VISITOR_STATUSES = new Set([301, 302, 400, 404, 413, 431, 505]);
const VISITOR_HEADERS = new Set([
  'cache-control',
  'connection',
  'content-length',
  'content-type',
  'date',
  'location',
  'uwebsockets',
]);

/** The visitors' port redirects or refuses, and sends no header but its own. */
export function visitorVerdict(destination: string): Verdict {
  return ({ answers, preamble }) => [
    ...preambleFault(preamble),
    ...answers.flatMap(({ statusCode, headers, headerNames }) => [
      ...(VISITOR_STATUSES.has(statusCode) ? [] : [`status ${statusCode}`]),
      ...headerNames.filter((name) => !VISITOR_HEADERS.has(name)).map((name) => `header ${name}`),
      ...(headers.location === undefined || headers.location.startsWith(destination)
        ? []
        : [`location ${headers.location}`]),
    ]),
  ];
}

/** The API never fails over input, and all its errors are in the envelope. */
export const apiVerdict: Verdict = ({ answers, preamble }) => [
  ...preambleFault(preamble),
  ...answers.flatMap((answer) => [
    ...(answer.statusCode >= 500 ? [`status ${answer.statusCode}`] : []),
    ...(answer.statusCode >= 400 && !isEnvelope(answer) ? [`${answer.statusCode} without the envelope`] : []),
    ...injectedHeaders(answer),
  ]),
];

export const adminVerdict: Verdict = ({ answers, preamble }) => [
  ...preambleFault(preamble),
  ...answers.flatMap((answer) => [
    ...(answer.statusCode >= 500 ? [`status ${answer.statusCode}`] : []),
    ...injectedHeaders(answer),
  ]),
];

/** One request by the strict reading has one answer, which is not that of the request inside it. */
export const smugglingVerdict: Verdict = ({ answers }) => [
  ...(answers.filter(({ statusCode }) => statusCode < 400).length > 1 ? ['two answers'] : []),
  ...(JSON.stringify(answers).includes(SMUGGLED) ? ['the request inside was answered'] : []),
];

/**
 * The server accepted no part of it as a request. A second refusal may follow the first before the connection closes.
 */
export const refusedVerdict: Verdict = ({ answers }) =>
  answers.filter(({ statusCode }) => statusCode < 400).map(({ statusCode }) => `was taken: ${statusCode}`);

function preambleFault(preamble: string): string[] {
  return preamble === '' ? [] : [`began with ${JSON.stringify(preamble.slice(0, 60))}`];
}

function injectedHeaders({ headerNames }: HostileAnswer): string[] {
  return headerNames.filter((name) => name.includes('injected')).map((name) => `header ${name}`);
}

function isEnvelope({ headers, body }: HostileAnswer): boolean {
  // An answer to HEAD states the length that its body would have.
  if (body === '' && Number(headers['content-length']) > 0) return true;
  try {
    const { error } = JSON.parse(body) as { error?: { message?: unknown; code?: unknown } };
    return typeof error?.message === 'string' && typeof error.code === 'string';
  } catch {
    return false;
  }
}
