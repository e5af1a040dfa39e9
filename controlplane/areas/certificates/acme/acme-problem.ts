import { isObject } from '../../../../shared/rules/is-object.js';
import { AttemptFailure, type FailureCode } from '../failures.js';
import { type AcmeAnswer, AcmeUnreachable } from './acme-http.js';

const PREFIX = 'urn:ietf:params:acme:error:';
const MAX_DETAIL_LENGTH = 500;

/** A refusal of an authority: a problem document (RFC 7807) with a type of RFC 8555, section 6.7. */
export class AcmeProblem extends Error {
  override name = 'AcmeProblem';

  /** @param type without its prefix, such as `rateLimited`; empty when the answer has none */
  constructor(
    readonly type: string,
    readonly detail: string,
    readonly status: number,
    readonly retryAfterSeconds?: number,
  ) {
    super(type === '' ? detail : `${type}: ${detail}`);
  }
}

/** Returns the problem in an answer. */
export function problemOf({ status, header, text }: AcmeAnswer): AcmeProblem {
  const retryAfter = header('retry-after');
  return asProblem(parseJson(text), status, retryAfter && retryAfterSeconds(retryAfter, Date.now()));
}

/** @param value a problem document, also that of an order or a challenge */
export function asProblem(value: unknown, status: number, retryAfterSeconds?: number | ''): AcmeProblem {
  const { type, detail } = isObject(value) ? value : {};
  const name = typeof type === 'string' ? type.replace(PREFIX, '') : '';
  const text = typeof detail === 'string' && detail !== '' ? detail : `it answers with status ${status}`;
  return new AcmeProblem(name, text.slice(0, MAX_DETAIL_LENGTH), status, retryAfterSeconds || undefined);
}

/** @returns undefined where the text is not JSON */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the seconds of a header `Retry-After`: a number or a date. */
export function retryAfterSeconds(text: string, nowMs: number): number | undefined {
  const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - nowMs) / 1_000;
  return seconds > 0 ? seconds : undefined;
}

/** Types of problems whose cause is the answer to the challenge, or the DNS of the host. */
const CODES: Readonly<Record<string, FailureCode>> = {
  unauthorized: 'VALIDATION_FAILED',
  connection: 'VALIDATION_FAILED',
  incorrectResponse: 'VALIDATION_FAILED',
  tls: 'VALIDATION_FAILED',
  dns: 'VALIDATION_FAILED',
  caa: 'CAA_FORBIDS',
  rateLimited: 'RATE_LIMITED',
  rejectedIdentifier: 'CA_REFUSED',
  unsupportedIdentifier: 'CA_REFUSED',
  badCSR: 'CA_REFUSED',
  orderNotReady: 'CA_UNAVAILABLE',
  serverInternal: 'CA_UNAVAILABLE',
  badNonce: 'CA_UNAVAILABLE',
  accountDoesNotExist: 'ACCOUNT_REFUSED',
  externalAccountRequired: 'ACCOUNT_REFUSED',
  invalidContact: 'ACCOUNT_REFUSED',
  unsupportedContact: 'ACCOUNT_REFUSED',
  userActionRequired: 'ACCOUNT_REFUSED',
  badPublicKey: 'ACCOUNT_REFUSED',
  badSignatureAlgorithm: 'ACCOUNT_REFUSED',
};

/**
 * Returns the failure that an error of an authority means.
 *
 * @param authority name for messages
 */
export function failureOf(error: unknown, authority: string): AttemptFailure | undefined {
  if (error instanceof AttemptFailure) return error;
  if (error instanceof AcmeUnreachable) {
    return new AttemptFailure('CA_UNAVAILABLE', `The certificate authority ${error.message}.`, undefined, {
      cause: error,
    });
  }
  if (!(error instanceof AcmeProblem)) return undefined;
  const code = CODES[error.type] ?? (error.status >= 500 ? 'CA_UNAVAILABLE' : 'CA_REFUSED');
  return new AttemptFailure(code, messageFor(code, error, authority), error.retryAfterSeconds, {
    cause: error,
  });
}

function messageFor(
  code: FailureCode,
  { detail, retryAfterSeconds }: AcmeProblem,
  authority: string,
): string {
  switch (code) {
    case 'VALIDATION_FAILED':
      return `${authority} cannot fetch http://<host>/.well-known/acme-challenge/ on port 80: ${detail}`;
    case 'CAA_FORBIDS':
      return `CAA forbids ${authority}: add a record 0 issue "${authority}". ${detail}`;
    case 'RATE_LIMITED': {
      const until = new Date(Date.now() + (retryAfterSeconds ?? 0) * 1_000).toISOString();
      return retryAfterSeconds === undefined
        ? `Rate limited by ${authority}: ${detail}`
        : `Rate limited by ${authority} until ${until}: ${detail}`;
    }
    case 'CA_UNAVAILABLE':
      return `${authority} fails at the moment: ${detail}`;
    case 'ACCOUNT_REFUSED':
      return `${authority} refuses the account of this service. Its operator must act: ${detail}`;
    default:
      return `${authority} does not issue for this host: ${detail}`;
  }
}
