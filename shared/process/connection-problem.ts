import { codeOf, messageOf } from './error-facts.js';

const UNKNOWN_AUTHORITY =
  'its certificate is not from a known authority: set NODE_EXTRA_CA_CERTS to a PEM file with the authority';
const NO_SERVER = 'start the server, or correct the address';
const NO_NAME = 'correct the host name, or see that DNS answers';
const NO_TLS = 'it does not speak TLS there: correct the port, or switch TLS off';

/**
 * Remedies for TLS connections that fail, by error code of OpenSSL or Node
 * (https://nodejs.org/docs/latest-v20.x/api/tls.html#x509-certificate-error-codes).
 */
const TLS_PROBLEMS: Readonly<Record<string, string>> = {
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_AUTHORITY,
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_AUTHORITY,
  DEPTH_ZERO_SELF_SIGNED_CERT: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_AUTHORITY,
  CERT_HAS_EXPIRED: 'its certificate has expired: renew it, or correct the clock',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet: correct the clock',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name: use a host name of the certificate',
  ERR_SSL_WRONG_VERSION_NUMBER: NO_TLS,
  EPROTO: NO_TLS,
};

const NETWORK_PROBLEMS: Readonly<Record<string, string>> = {
  ECONNREFUSED: NO_SERVER,
  ETIMEDOUT: NO_SERVER,
  EHOSTUNREACH: NO_SERVER,
  ENOTFOUND: NO_NAME,
  EAI_AGAIN: NO_NAME,
};

/** Returns whether a TLS connection failed before any data was exchanged. */
export function isTlsProblem(error: unknown): boolean {
  return Object.hasOwn(TLS_PROBLEMS, codeOf(error) ?? '');
}

/**
 * Returns the reason why a server is unreachable, with its remedy, on one line. Checks the causes of the error, and the
 * errors of all addresses that were tried.
 */
export function connectionProblem(error: unknown): string {
  const known = [...errorsIn(error)].find((one) => adviceFor(one) !== undefined);
  const [reason = ''] = messageOf(known ?? error).split('\n');
  const advice = adviceFor(known);
  return advice === undefined ? reason : `${reason.trim().replace(/[.:]$/, '')} (${advice})`;
}

function adviceFor(error: unknown): string | undefined {
  const code = codeOf(error) ?? '';
  return TLS_PROBLEMS[code] ?? NETWORK_PROBLEMS[code];
}

/** Yields the error itself, then the errors inside it. */
function* errorsIn(error: unknown): Generator<unknown> {
  yield error;
  if (error instanceof AggregateError) for (const one of error.errors) yield* errorsIn(one);
  if (error instanceof Error && error.cause !== undefined) yield* errorsIn(error.cause);
}
