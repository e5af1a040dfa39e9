import { isObject } from '../../../../shared/rules/is-object.js';
import type { AcmeClient } from './acme-client.js';
import { AcmeProblem, parseJson } from './acme-problem.js';

const MAX_PAGES = 10;
/** Maximum number of orders that are read, the latest first. */
const MAX_ORDERS = 30;

/**
 * Returns the URL of an order for the host that is not finalized yet (RFC 8555, section 7.1.2.1). A process that ends between
 * the request for an order and its answer leaves such an order behind.
 *
 * @param account URL of the account
 * @returns undefined where there is none, or the authority has no list of orders, such as Let's Encrypt
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
