import type { KeyObject } from 'node:crypto';
import { isObject } from '../../../../shared/rules/is-object.js';
import type { AcmeAnswer, AcmeHttp, AcmeRequest } from './acme-http.js';
import { AcmeProblem, parseJson, problemOf } from './acme-problem.js';
import { publicJwk, signHmacJws, signJws } from './jws.js';

const DIRECTORY_MAX_AGE_MS = 3_600_000;
/** Authorities may refuse good nonces at any time (RFC 8555, section 6.5). Pebble refuses 5 % on purpose. */
const MAX_NONCE_ATTEMPTS = 10;
const MAX_NONCES = 32;

/** Directory of an authority (RFC 8555, section 7.1.1). */
export interface Directory {
  readonly newNonce: string;
  readonly newAccount: string;
  readonly newOrder: string;
  /** Absent without ARI (RFC 9773). */
  readonly renewalInfo: string | undefined;
  /** Names that CAA records call it by. */
  readonly caaIdentities: readonly string[];
}

/** Signed requests to one authority. */
export interface AcmeClient {
  directory(signal?: AbortSignal): Promise<Directory>;
  /** GET without a signature. */
  get(url: string, signal?: AbortSignal): Promise<AcmeAnswer>;
  /**
   * Sends a signed request.
   *
   * @param payload undefined for POST-as-GET
   * @param kid URL of the account; without it the request carries the public key
   * @throws {AcmeProblem} for answers other than 2xx
   */
  post(url: string, payload: object | undefined, kid?: string, signal?: AbortSignal): Promise<AcmeAnswer>;
  /** Returns the time of the authority in Unix ms; that of this machine before the first answer. Clocks may be wrong. */
  nowMs(): number;
  /** Signs the external binding of a new account. */
  bindAccount(url: string, eab: { readonly kid: string; readonly key: string }): object;
}

export interface AcmeClientDeps {
  readonly http: AcmeHttp;
  readonly directoryUrl: string;
  readonly accountKey: KeyObject;
}

/** @throws {AcmeProblem} when the answer is no directory */
export function readDirectory(answer: AcmeAnswer): Directory {
  if (answer.status !== 200) throw problemOf(answer);
  const value = parseJson(answer.text);
  const { newNonce, newAccount, newOrder, renewalInfo, meta } = isObject(value) ? value : {};
  if (typeof newNonce !== 'string' || typeof newAccount !== 'string' || typeof newOrder !== 'string') {
    throw new AcmeProblem('', 'its answer is not an ACME directory', answer.status);
  }
  const identities = isObject(meta) && Array.isArray(meta.caaIdentities) ? meta.caaIdentities : [];
  return {
    newNonce,
    newAccount,
    newOrder,
    renewalInfo: typeof renewalInfo === 'string' ? renewalInfo : undefined,
    caaIdentities: identities.filter((name) => typeof name === 'string').map((name) => name.toLowerCase()),
  };
}

export function createAcmeClient({ http, directoryUrl, accountKey }: AcmeClientDeps): AcmeClient {
  const jwk = publicJwk(accountKey);
  /** Each answer brings one, which saves a request. */
  const nonces: string[] = [];
  let known: { readonly directory: Directory; readonly untilMs: number } | undefined;

  let clock: { readonly ms: number; readonly readMs: number } | undefined;

  async function send(request: AcmeRequest): Promise<AcmeAnswer> {
    const answer = await http.send(request);
    const ms = Date.parse(answer.header('date') ?? '');
    if (!Number.isNaN(ms)) clock = { ms, readMs: performance.now() };
    return answer;
  }

  async function directory(signal?: AbortSignal): Promise<Directory> {
    if (known !== undefined && known.untilMs > performance.now()) return known.directory;
    const read = readDirectory(await send({ method: 'GET', url: directoryUrl, signal }));
    known = { directory: read, untilMs: performance.now() + DIRECTORY_MAX_AGE_MS };
    return read;
  }

  function keepNonce(answer: AcmeAnswer): void {
    const nonce = answer.header('replay-nonce');
    if (nonce !== undefined && nonces.length < MAX_NONCES) nonces.push(nonce);
  }

  async function takeNonce(signal?: AbortSignal): Promise<string> {
    const kept = nonces.pop();
    if (kept !== undefined) return kept;
    const { newNonce } = await directory(signal);
    const answer = await send({ method: 'HEAD', url: newNonce, signal });
    const nonce = answer.header('replay-nonce');
    if (nonce === undefined) throw new AcmeProblem('', 'it gives no nonce', answer.status);
    return nonce;
  }

  return {
    directory,
    get: (url, signal) => send({ method: 'GET', url, signal }),
    nowMs: () => (clock === undefined ? Date.now() : clock.ms + performance.now() - clock.readMs),
    async post(url, payload, kid, signal) {
      for (let attempt = 1; ; attempt += 1) {
        const nonce = await takeNonce(signal);
        const header = { nonce, url, ...(kid === undefined ? { jwk } : { kid }) };
        const body = signJws(accountKey, header, payload);
        const answer = await send({ method: 'POST', url, body, signal });
        keepNonce(answer);
        if (answer.status >= 200 && answer.status < 300) return answer;
        const problem = problemOf(answer);
        if (problem.type !== 'badNonce' || attempt === MAX_NONCE_ATTEMPTS) throw problem;
        // The nonces kept from before may be of a process that was restarted.
        nonces.splice(0, nonces.length - 1);
      }
    },
    bindAccount: (url, { kid, key }) => signHmacJws(key, { kid, url }, jwk),
  };
}
