import type { KeyObject } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { isObject } from '../../../../shared/rules/is-object.js';
import { AttemptFailure } from '../failures.js';
import type { AcmeClient } from './acme-client.js';
import type { AcmeAnswer } from './acme-http.js';
import { AcmeProblem, asProblem, parseJson } from './acme-problem.js';
import { createCsr } from './csr.js';

const FIRST_POLL_MS = 100;
const MAX_POLL_MS = 5_000;

export interface OrderRequest {
  readonly host: string;
  /** URL of the account. */
  readonly account: string;
  /** Key of the new certificate. */
  readonly privateKey: KeyObject;
  /** Order of an earlier attempt that is continued if the authority still accepts that. */
  readonly orderUrl: string | undefined;
  /** The certificate that is replaced: see `renewalIdOf`. */
  readonly replaces: string | undefined;
  /** Called before a new order is placed. */
  beforeOrder(): Promise<void>;
  /**
   * Publishes the answer to a dns-01 challenge, and resolves to the function that removes it. Absent: http-01 challenges are
   * chosen, which data planes answer.
   */
  readonly publishDns?: ((token: string) => Promise<() => Promise<void>>) | undefined;
  /** Called when an order was placed. It can be continued by this URL. */
  onOrdered(url: string): Promise<void>;
  /** Called when the authority refused to place the order. */
  onRefused(): Promise<void>;
  /** Ends the attempt: the process stops, or the time is over. */
  readonly signal: AbortSignal;
}

interface Order {
  readonly url: string;
  readonly status: string;
  readonly authorizations: readonly string[];
  readonly finalize: string;
  readonly certificate: string | undefined;
  readonly error: unknown;
}

/**
 * Orders a certificate, has the host validated, and returns the chain as PEM.
 *
 * @throws {AcmeProblem} {AcmeUnreachable} as the authority answers
 */
export async function placeOrder(client: AcmeClient, request: OrderRequest): Promise<string> {
  const { host, account, privateKey, signal } = request;
  const post = (url: string, payload?: object) => client.post(url, payload, account, signal);

  async function read(url: string): Promise<Order> {
    return asOrder(url, await post(url));
  }

  /** Waits while the status is one of `pending`. */
  async function poll(url: string, pending: readonly string[]): Promise<Order> {
    for (let waitMs = FIRST_POLL_MS; ; waitMs = Math.min(waitMs * 1.5, MAX_POLL_MS)) {
      const order = await read(url);
      if (order.status === 'invalid') throw asProblem(order.error, 400);
      if (!pending.includes(order.status)) return order;
      await sleep(waitMs, undefined, { signal });
    }
  }

  const type = request.publishDns === undefined ? 'http-01' : 'dns-01';

  async function validate(authorizationUrl: string): Promise<void> {
    const { status, challenge } = asAuthorization(await post(authorizationUrl), type);
    const isOpen = status === 'pending' && challenge !== undefined;
    const remove = isOpen ? await request.publishDns?.(challenge.token) : undefined;
    try {
      await answer(authorizationUrl);
    } finally {
      await remove?.();
    }
  }

  async function answer(authorizationUrl: string): Promise<void> {
    let isAnswered = false;
    for (let waitMs = FIRST_POLL_MS; ; waitMs = Math.min(waitMs * 1.5, MAX_POLL_MS)) {
      const { status, challenge } = asAuthorization(await post(authorizationUrl), type);
      if (status === 'valid') return;
      if (status !== 'pending' || challenge?.status === 'invalid') {
        throw asProblem(challenge?.error, 403);
      }
      if (challenge === undefined) {
        throw new AttemptFailure(
          'CA_REFUSED',
          `${new URL(authorizationUrl).host} offers no ${type} challenge for ${host}.`,
        );
      }
      // A challenge stays pending while it is validated. A second answer would begin a second validation.
      if (challenge.status === 'pending' && !isAnswered) await post(challenge.url, {});
      isAnswered = true;
      await sleep(waitMs, undefined, { signal });
    }
  }

  const begun = (await resumed(request.orderUrl, read)) ?? (await begin(client, request));
  if (begun.status === 'pending') {
    for (const url of begun.authorizations) await validate(url);
  }
  const ready = await poll(begun.url, ['pending']);
  if (ready.status === 'ready') {
    await post(ready.finalize, { csr: createCsr(host, privateKey).toString('base64url') });
  }
  const { certificate } = await poll(begun.url, ['pending', 'ready', 'processing']);
  if (certificate === undefined) throw new AcmeProblem('', 'the order has no certificate', 500);
  return (await post(certificate)).text;
}

/** Returns the earlier order, if it can be continued. */
async function resumed(
  url: string | undefined,
  read: (url: string) => Promise<Order>,
): Promise<Order | undefined> {
  if (url === undefined) return undefined;
  try {
    const order = await read(url);
    return order.status === 'invalid' ? undefined : order;
  } catch (error) {
    // The authority forgot it.
    if (error instanceof AcmeProblem && error.status < 500) return undefined;
    throw error;
  }
}

async function begin(client: AcmeClient, request: OrderRequest): Promise<Order> {
  const { host, account, replaces, signal } = request;
  const { newOrder } = await client.directory(signal);
  signal.throwIfAborted();
  await request.beforeOrder();
  const identifiers = [{ type: 'dns', value: host }];
  // Not ended by the signal: an order whose URL is not known would be placed again.
  const order = (payload: object) => client.post(newOrder, payload, account);
  const answer = await order({ identifiers, ...(replaces !== undefined && { replaces }) })
    .catch((error: unknown) => {
      // `replaces` is a hint. Authorities refuse it for certificates that they do not know, or that were replaced.
      if (replaces === undefined || !(error instanceof AcmeProblem) || !refusesReplacement(error))
        throw error;
      return order({ identifiers });
    })
    .catch(async (error: unknown) => {
      // After a fault of the authority or the network the order may exist.
      if (error instanceof AcmeProblem && error.status < 500) await request.onRefused();
      throw error;
    });
  const url = answer.header('location');
  if (url === undefined) throw new AcmeProblem('', 'the new order has no URL', 500);
  await request.onOrdered(url);
  return asOrder(url, answer);
}

function refusesReplacement({ type, status }: AcmeProblem): boolean {
  return type === 'alreadyReplaced' || status === 409 || type === 'malformed';
}

function asOrder(url: string, { text, status: code }: AcmeAnswer): Order {
  const value = parseJson(text);
  const { status, authorizations, finalize, certificate, error } = isObject(value) ? value : {};
  if (typeof status !== 'string' || !Array.isArray(authorizations) || typeof finalize !== 'string') {
    throw new AcmeProblem('', 'its answer is not an order', code);
  }
  return {
    url,
    status,
    finalize,
    error,
    authorizations: authorizations.map(String),
    certificate: typeof certificate === 'string' ? certificate : undefined,
  };
}

interface Challenge {
  readonly url: string;
  readonly status: string;
  readonly token: string;
  readonly error: unknown;
}

function asAuthorization(
  { text, status: code }: AcmeAnswer,
  type: string,
): {
  readonly status: string;
  readonly challenge: Challenge | undefined;
} {
  const value = parseJson(text);
  const { status, challenges } = isObject(value) ? value : {};
  if (typeof status !== 'string' || !Array.isArray(challenges)) {
    throw new AcmeProblem('', 'its answer is not an authorization', code);
  }
  const found: unknown = challenges.find((one: unknown) => isObject(one) && one.type === type);
  if (!isObject(found)) return { status, challenge: undefined };
  return {
    status,
    challenge: {
      ...{ url: String(found.url), status: String(found.status), token: String(found.token) },
      error: found.error,
    },
  };
}

const MAX_PAGES = 10;
/** Maximum number of orders that are read, the latest first. */
const MAX_ORDERS = 30;

/**
 * Returns the URL of an order for the host that is not finalized yet (RFC 8555, section 7.1.2.1). A process that ends
 * between the request for an order and its answer leaves such an order behind.
 *
 * @param account URL of the account
 * @returns undefined if there is no such order, or if the authority has no list of orders (Let's Encrypt has none)
 */
export async function findOrder(
  client: AcmeClient,
  account: string,
  host: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    return await searchOrders(client, account, host, signal);
  } catch (error) {
    // Lists are optional. An authority that refuses to show one gets a new order.
    const isRefusal = error instanceof AcmeProblem && error.status < 500;
    if (isRefusal && error.type !== 'accountDoesNotExist') return undefined;
    throw error;
  }
}

async function searchOrders(
  client: AcmeClient,
  account: string,
  host: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const read = async (url: string) => {
    const answer = await client.post(url, undefined, account, signal);
    const value = parseJson(answer.text);
    return { value: isObject(value) ? value : {}, next: nextPage(answer.header('link')) };
  };
  const { value } = await read(account);
  const urls: string[] = [];
  let page = typeof value.orders === 'string' ? value.orders : undefined;
  for (let count = 0; page !== undefined && count < MAX_PAGES; count += 1) {
    const list = await read(page);
    if (Array.isArray(list.value.orders)) urls.push(...list.value.orders.map(String));
    page = list.next;
  }
  for (const url of urls.reverse().slice(0, MAX_ORDERS)) {
    const order = await read(url);
    if (isOpenFor(host, order.value)) return url;
  }
  return undefined;
}

function isOpenFor(
  host: string,
  { status, identifiers }: { status?: unknown; identifiers?: unknown },
): boolean {
  if (status !== 'pending' && status !== 'ready') return false;
  if (!Array.isArray(identifiers) || identifiers.length !== 1) return false;
  const [identifier]: unknown[] = identifiers;
  return isObject(identifier) && identifier.value === host;
}

function nextPage(link: string | undefined): string | undefined {
  return /<([^>]+)>\s*;\s*rel="?next"?/.exec(link ?? '')?.[1];
}
