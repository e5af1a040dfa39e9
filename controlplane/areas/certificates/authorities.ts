import { createHash } from 'node:crypto';
import type { AcmeAuthority, AcmeConfig } from '../../../shared/config/acme-config.js';
import type { AreaParts } from '../../area.js';
import { type AcmeClient, createAcmeClient } from './acme/acme-client.js';
import type { AcmeHttp } from './acme/acme-http.js';
import { AcmeProblem, failureOf } from './acme/acme-problem.js';
import { findOrder, type OrderRequest, placeOrder } from './acme/place-order.js';
import { type AccountKey, requireAccount } from './acme-accounts.js';
import { type AuthorityLimits, limitsOf } from './authority-limits.js';
import { authorityRepository } from './authority-repository.js';
import type { PendingOrder } from './certificate-queue.js';
import { checkCaa } from './dns-check.js';
import type { DnsLookup } from './dns-lookup.js';
import { AttemptFailure, RETRY_RULES } from './failures.js';
import { createOrderLog, NoToken } from './order-log.js';

/** An authority that did not answer is asked after the others for this time. */
const DOWN_MS = 60_000;

/** Order for an authority. */
export type CertificateRequest = Omit<
  OrderRequest,
  'account' | 'beforeOrder' | 'onOrdered' | 'onRefused' | 'orderUrl' | 'publishDns'
> & {
  readonly lookup: DnsLookup;
  /** An earlier order, by the directory that it was placed at. */
  readonly pendingOrder: PendingOrder | null;
  /** Whether the authority announced the renewal, which exempts it from limits. */
  readonly isExempt: boolean;
  /**
   * Publishes a text at the name of the dns-01 challenge, and resolves to the function that removes it. Undefined: the host is
   * validated by HTTP.
   */
  readonly publishText: ((text: string) => Promise<() => Promise<void>>) | undefined;
  /** Called before a new order is placed, with `url` null, and when it was placed. */
  onOrder(order: PendingOrder): Promise<void>;
  /** Called when the authority refused the new order. There is then no order to continue. */
  onNoOrder(): Promise<void>;
};

/** A certificate authority, with the account of this installation. */
export interface Authority {
  readonly directoryUrl: string;
  readonly client: AcmeClient;
  readonly limits: AuthorityLimits;
  /**
   * Orders a certificate. Returns the chain as PEM.
   *
   * @throws {AttemptFailure} {NoToken} {TooManyOrders}
   */
  issue(request: CertificateRequest): Promise<string>;
}

/** The configured authorities, in the order in which they are asked. */
export interface Authorities {
  readonly all: readonly Authority[];
  /**
   * Asks the authorities in order. Continues with the next one if the failure permits it.
   *
   * @throws {AttemptFailure} of the first authority {NoToken} {TooManyOrders} when only our own limits prevent the
   *   order
   */
  issue(request: CertificateRequest): Promise<string>;
  /** Returns the seconds until one of them accepts an order. */
  secondsToToken(): Promise<number>;
  /** Orders per second of all of them. */
  readonly ordersPerSecond: number;
}

export interface AuthoritiesDeps extends Pick<AreaParts, 'database' | 'logger'> {
  readonly config: AcmeConfig;
  readonly http: AcmeHttp;
  readonly accountKey: AccountKey;
  /** Default: those of the directory. */
  readonly limits?: AuthorityLimits | undefined;
}

export function createAuthorities(deps: AuthoritiesDeps): Authorities {
  const { config, database, logger } = deps;
  const all = config.authorities.map((authority) => createAuthority(deps, authority));
  const downUntilMs = new Map<Authority, number>();

  const isDown = (authority: Authority) => (downUntilMs.get(authority) ?? 0) > performance.now();

  async function issue(request: CertificateRequest): Promise<string> {
    let refused: AttemptFailure | NoToken | undefined;
    // Authorities that are down come last.
    const inOrder = [...all].sort((a, b) => Number(isDown(a)) - Number(isDown(b)));
    for (const authority of inOrder) {
      try {
        const chain = await authority.issue(request);
        downUntilMs.delete(authority);
        return chain;
      } catch (error) {
        if (!(error instanceof AttemptFailure || error instanceof NoToken)) throw error;
        if (error instanceof AttemptFailure) {
          if (error.code === 'CA_UNAVAILABLE') downUntilMs.set(authority, performance.now() + DOWN_MS);
          if (!RETRY_RULES[error.code].triesFallback && error.code !== 'CAA_FORBIDS') throw error;
          logger.info(
            { host: request.host, directory: authority.directoryUrl, code: error.code },
            'a certificate authority did not issue',
          );
        }
        // NoToken is not a refusal. To wait for our own token is the fastest way to a certificate.
        refused = refused === undefined || error instanceof NoToken ? error : refused;
      }
    }
    throw refused ?? new Error('no certificate authority is configured');
  }

  return {
    all,
    issue,
    async secondsToToken() {
      const waits = all.map(({ directoryUrl, limits }) =>
        authorityRepository.secondsToToken(database, directoryUrl, limits),
      );
      return Math.min(...(await Promise.all(waits)));
    },
    ordersPerSecond: all.reduce((sum, { limits }) => sum + limits.perSecond, 0),
  };
}

function createAuthority(deps: AuthoritiesDeps, authority: AcmeAuthority): Authority {
  const { config, database, http, accountKey } = deps;
  const { directoryUrl } = authority;
  const limits = deps.limits ?? limitsOf(directoryUrl);
  const client = createAcmeClient({ http, directoryUrl, accountKey: accountKey.privateKey });
  const log = createOrderLog(database, directoryUrl, limits);
  const { email } = config;
  const { thumbprint } = accountKey;

  async function order(request: CertificateRequest): Promise<string> {
    const { host, signal, pendingOrder } = request;
    const { caaIdentities } = await client.directory(signal);
    const forbidden = await checkCaa(request.lookup, host, caaIdentities);
    if (forbidden !== undefined) throw forbidden;
    const account = await requireAccount({ database, client, authority, email, thumbprint }, signal);
    const pending = pendingOrder?.directory === directoryUrl ? pendingOrder : undefined;
    const orderUrl = pending?.url === null ? await findOrder(client, account, host, signal) : pending?.url;
    let isCounted = orderUrl !== undefined;
    const { publishText } = request;
    return placeOrder(client, {
      ...{ ...request, account, orderUrl },
      publishDns: publishText && ((token) => publishText(sha256(`${token}.${thumbprint}`))),
      async beforeOrder() {
        await log.count(host, request.isExempt);
        isCounted = true;
        await request.onOrder({ directory: directoryUrl, url: null });
      },
      onOrdered: (url) => request.onOrder({ directory: directoryUrl, url }),
      onRefused: () => request.onNoOrder(),
    }).catch(async (error: unknown) => {
      const code = failureOf(error, directoryUrl)?.code;
      // An authority that does not answer may issue yet: the order is continued.
      if (isCounted && code !== undefined && code !== 'CA_UNAVAILABLE') await log.noteFailed(host);
      throw error;
    });
  }

  async function issue(request: CertificateRequest): Promise<string> {
    try {
      return await order(request);
    } catch (error) {
      if (!(error instanceof AcmeProblem) || error.type !== 'accountDoesNotExist') throw error;
      // The authority lost the account, as a test authority does when it restarts.
      await authorityRepository.forgetAccount(database, directoryUrl);
      return order(request);
    }
  }

  return {
    directoryUrl,
    client,
    limits,
    issue: (request) =>
      issue(request).catch((error: unknown) => {
        throw failureOf(error, new URL(directoryUrl).host) ?? error;
      }),
  };
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
