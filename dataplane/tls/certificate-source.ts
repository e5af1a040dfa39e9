import {
  asCertificatesAnswer,
  CERTIFICATES_PATH,
  type CertificatesAnswer,
  type CertificatesRequest,
  MAX_REQUESTED_CERTIFICATES,
  MAX_SEALED_LENGTH,
} from '../../shared/certificates/certificate-exchange.js';
import { deriveInternalToken } from '../../shared/config/internal-token.js';
import type { SecretKeys } from '../../shared/config/secret-key.js';
import { codeOf } from '../../shared/process/error-facts.js';
import { readUrl } from '../../shared/process/read-url.js';

const TIMEOUT_MS = 30_000;
const MAX_ANSWER_BYTES = (MAX_REQUESTED_CERTIFICATES + 2) * MAX_SEALED_LENGTH;

/** Requests certificates from the control plane. */
export interface CertificateSource {
  /** @throws with a message for operators, without secrets */
  request(wanted: CertificatesRequest, signal: AbortSignal): Promise<CertificatesAnswer>;
}

export interface CertificateSourceDeps {
  /** Returns the URL of the control plane's API; undefined while it is unknown. */
  readonly url: () => string | undefined;
  /** The installation's secrets: the control plane must have one of them. */
  readonly secrets: SecretKeys;
  /** Default: 30 s. */
  readonly timeoutMs?: number;
}

export function createHttpCertificateSource(deps: CertificateSourceDeps): CertificateSource {
  const { url, secrets, timeoutMs = TIMEOUT_MS } = deps;
  const tokens = [secrets.current, ...secrets.previous].map(deriveInternalToken);
  return {
    async request(wanted, signal) {
      const base = readUrl(url() ?? '');
      if (base === undefined) throw new Error('the address of the control plane is not known yet');
      const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
      let status = 401;
      // While SECRET_KEY is replaced, the control plane may not have the new one yet.
      for (const token of tokens) {
        const response = await post(base, token, wanted, limit);
        status = response.status;
        if (status === 200 && response.body !== null) return parse(base.host, await readText(response.body));
        await response.body?.cancel().catch(() => undefined);
        if (status !== 401) break;
      }
      throw new Error(`${base.host} ${explain(status)}`);
    },
  };
}

function post(base: URL, token: string, body: CertificatesRequest, signal: AbortSignal): Promise<Response> {
  return fetch(new URL(base.pathname.replace(/\/$/, '') + CERTIFICATES_PATH, base), {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
    // Do not follow redirects: the token would be sent to their target.
    redirect: 'manual',
    signal,
  }).catch((error: unknown) => {
    throw new Error(`${base.host} cannot be reached (${causeOf(error)})`);
  });
}

function parse(host: string, text: string): CertificatesAnswer {
  try {
    return asCertificatesAnswer(JSON.parse(text));
  } catch (error) {
    // The message of a SyntaxError quotes the text.
    const reason =
      error instanceof SyntaxError || !(error instanceof Error) ? 'it is no JSON' : error.message;
    throw new Error(`the answer of ${host} is refused: ${reason}`);
  }
}

async function readText(body: AsyncIterable<Uint8Array>): Promise<string> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of body) {
    bytes += piece.length;
    if (bytes > MAX_ANSWER_BYTES) throw new Error(`the answer is longer than ${MAX_ANSWER_BYTES} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

function explain(status: number): string {
  switch (status) {
    case 401:
      return 'answered 401: SECRET_KEY differs from that of the control plane';
    case 404:
      return 'answered 404: it is no control plane, or of an older release';
    default:
      return `answered ${status}`;
  }
}

function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  return codeOf(error.cause) ?? error.name;
}
