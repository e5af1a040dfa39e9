import type { SecretKeys } from '../../../shared/config/secret-key.js';
import type { Area, AreaParts } from '../../area.js';
import type { RoundWork } from '../../jobs/background-work.js';
import { createDeliveryAttempt } from './delivery-attempt.js';
import { createFindAddresses } from './host-addresses.js';
import { isPublicAddress } from './public-address.js';
import { createWebhookDispatcher, type WebhookDispatcher } from './webhook-dispatcher.js';
import { createWebhookMetrics } from './webhook-metrics.js';
import { createWebhookRetention } from './webhook-retention.js';
import { createWebhookRoutes } from './webhook-routes.js';
import { createSecretRenewal, createWebhookSecrets } from './webhook-secrets.js';
import { createWebhookSender } from './webhook-sender.js';
import { createWebhookService } from './webhook-service.js';

export interface WebhooksDeps extends Pick<AreaParts, 'database' | 'metrics' | 'logger'> {
  /** Secret of the installation. The secrets of endpoints are encrypted under a key derived from it. */
  readonly secrets: SecretKeys;
  /** Whether endpoints may be in private networks and without TLS. */
  readonly allowPrivate: boolean;
  /** `IP:port` of name servers to ask instead of the system's. */
  readonly dnsServers?: readonly string[] | undefined;
  /** Time limit of an attempt. */
  readonly timeoutMs?: number;
  /** Time that running attempts have when the area stops. */
  readonly stopGraceMs?: number;
}

/** Webhooks: the endpoints of integrators, and messages to them. */
export interface Webhooks extends Area {
  readonly dispatcher: WebhookDispatcher;
  readonly retention: RoundWork;
  readonly renewal: RoundWork<number>;
}

/** Composes the area. */
export function createWebhooks(deps: WebhooksDeps): Webhooks {
  const { database, allowPrivate, logger, timeoutMs, stopGraceMs } = deps;
  const secrets = createWebhookSecrets(deps.secrets);
  const send = createWebhookSender({
    findAddresses: createFindAddresses(deps.dnsServers),
    mayConnectTo: allowPrivate ? () => true : isPublicAddress,
    timeoutMs,
  });
  const metrics = createWebhookMetrics(deps);
  const attempt = createDeliveryAttempt({ database, secrets, send, metrics, logger });
  const dispatcher = createWebhookDispatcher({ database, attempt, logger, stopGraceMs });
  const renewal = createSecretRenewal({ database, secrets, logger });
  const retention = createWebhookRetention({ database, logger });

  return {
    routes: [createWebhookRoutes(createWebhookService({ database, secrets, allowPrivate }))],
    jobs: deps.secrets.previous.length === 0 ? [dispatcher, retention] : [dispatcher, retention, renewal],
    renewal,
    dispatcher,
    retention,
  };
}
