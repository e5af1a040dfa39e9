import { AppError } from '../../errors/app-error.js';
import type { KeepAnswer } from '../../http/idempotency.js';
import type { NumberedPageQuery } from '../../http/schema-parts.js';
import type { Database, Queryable } from '../../storage/postgres/database.js';
import { endOfEarlierTransactions } from '../../storage/postgres/earlier-transactions.js';
import { newId } from '../../storage/postgres/new-id.js';
import { type Actor, type AuditAction, recordAudit } from '../history/public.js';
import { deliveryRepository } from './delivery-repository.js';
import { endpointRepository, type WebhookEndpoint } from './endpoint-repository.js';
import { requireEndpointUrl } from './endpoint-url.js';
import { emitTest, INTEGRATOR_EVENT_TYPES } from './integrator-events.js';
import type { WebhookDelivery } from './webhook-delivery.js';
import type { CreateEndpoint, UpdateEndpoint } from './webhook-schema.js';
import type { WebhookSecrets } from './webhook-secrets.js';

const MAX_ENDPOINTS_PER_USER = 10;
/** Time for which messages carry signatures of the old and the new secret. */
const SECRET_OVERLAP_HOURS = 24;
/** Maximum wait of an answer for changes that began before its endpoint existed. They take some milliseconds. */
const CHANGES_LIMIT_MS = 5_000;

export interface EndpointWithSecret {
  readonly endpoint: WebhookEndpoint;
  readonly secret: string;
}

/** Endpoints of users, and their deliveries. */
export type WebhookService = ReturnType<typeof createWebhookService>;

export interface WebhookServiceDeps {
  readonly database: Database;
  readonly secrets: WebhookSecrets;
  /** Whether endpoints may be in private networks and without TLS. */
  readonly allowPrivate: boolean;
}

export function createWebhookService({ database, secrets, allowPrivate }: WebhookServiceDeps) {
  /**
   * Waits for changes that began before an endpoint was created or changed. The endpoint is stored already, and the
   * answer shows its secret only once. A database failure now must therefore not replace the answer with an error.
   */
  const endOfEarlierChanges = () => endOfEarlierTransactions(database, CHANGES_LIMIT_MS).catch(() => false);

  return {
    /**
     * Creates an endpoint. Its secret is shown only once, here. The endpoint gets the events of all changes that are committed after
     * this resolves.
     *
     * @throws {AppError} VALIDATION_ERROR
     */
    async create(
      user: Actor,
      { url, events }: CreateEndpoint,
      keep?: KeepAnswer<EndpointWithSecret>,
    ): Promise<EndpointWithSecret> {
      const userId = user.id;
      requireEndpointUrl(url, { allowPrivate });
      const id = newId();
      const { secret, encrypted } = secrets.create(id);
      const created = await database.transaction(async (tx) => {
        await requireRoom(tx, userId);
        const once = INTEGRATOR_EVENT_TYPES.filter((type) => events.includes(type));
        const row = { id, userId, url, events: once, encryptedSecret: encrypted };
        const made = { endpoint: await endpointRepository.insert(tx, row), secret };
        await recordEndpoint(tx, user, 'webhook_endpoint.created', made.endpoint, 'Created');
        await keep?.(tx, made);
        return made;
      });
      await endOfEarlierChanges();
      return created;
    },

    /**
     * Changes an endpoint. It gets the events of all changes that are committed after this resolves.
     *
     * @throws {AppError} NOT_FOUND, FORBIDDEN, VALIDATION_ERROR
     */
    async update(user: Actor, id: string, { url, events, paused }: UpdateEndpoint): Promise<WebhookEndpoint> {
      const changed = await database.transaction(async (tx) => {
        const current = await requireOwned(tx, id, user.id);
        if (url !== undefined) requireEndpointUrl(url, { allowPrivate });
        const once = events && INTEGRATOR_EVENT_TYPES.filter((type) => events.includes(type));
        const isPaused = paused ?? current.isPaused;
        const wanted = { url: url ?? current.url, events: once ?? current.events, isPaused };
        const updated = (await endpointRepository.update(tx, id, wanted)) ?? current;
        await recordEndpoint(tx, user, 'webhook_endpoint.updated', updated, 'Changed');
        return updated;
      });
      await endOfEarlierChanges();
      return changed;
    },

    /**
     * Replaces the secret. The new one is shown only once, here.
     *
     * @throws {AppError} NOT_FOUND, FORBIDDEN
     */
    rotateSecret: (
      user: Actor,
      id: string,
      keep?: KeepAnswer<EndpointWithSecret>,
    ): Promise<EndpointWithSecret> =>
      database.transaction(async (tx) => {
        const endpoint = await requireOwned(tx, id, user.id);
        const { secret, encrypted } = secrets.create(id);
        await endpointRepository.rotateSecret(tx, id, encrypted, SECRET_OVERLAP_HOURS);
        await recordEndpoint(tx, user, 'webhook_endpoint.secret_rotated', endpoint, 'Replaced the secret');
        const made = { endpoint, secret };
        await keep?.(tx, made);
        return made;
      }),

    /**
     * Sends a test message.
     *
     * @throws {AppError} NOT_FOUND, FORBIDDEN, VALIDATION_ERROR while paused
     */
    test: (userId: string, id: string): Promise<WebhookDelivery> =>
      database.transaction(async (tx) => {
        const { isPaused } = await requireOwned(tx, id, userId);
        if (isPaused) {
          throw new AppError('VALIDATION_ERROR', {
            field: 'paused',
            message: 'The webhook endpoint is paused. Send {"paused": false} with PATCH first.',
          });
        }
        return requireDelivery(tx, await emitTest(tx, userId, id));
      }),

    list: (userId: string): Promise<WebhookEndpoint[]> => endpointRepository.listOfUser(database, userId),

    /**
     * Deletes an endpoint and its open deliveries.
     *
     * @throws {AppError} NOT_FOUND, FORBIDDEN
     */
    delete: (user: Actor, id: string): Promise<WebhookEndpoint> =>
      database.transaction(async (tx) => {
        const endpoint = await requireOwned(tx, id, user.id);
        await endpointRepository.delete(tx, id);
        await recordEndpoint(tx, user, 'webhook_endpoint.deleted', endpoint, 'Deleted');
        return endpoint;
      }),

    /** @throws {AppError} NOT_FOUND, FORBIDDEN */
    async deliveries(
      userId: string,
      endpointId: string,
      page: NumberedPageQuery,
    ): Promise<{ deliveries: WebhookDelivery[]; total: number }> {
      await requireOwned(database, endpointId, userId);
      return deliveryRepository.listOfEndpoint(database, endpointId, page);
    },

    /** Makes a delivery due again, in any state. @throws {AppError} NOT_FOUND, FORBIDDEN */
    resend: (userId: string, deliveryId: string): Promise<WebhookDelivery> =>
      database.transaction(async (tx) => {
        const { endpointId } = await requireDelivery(tx, deliveryId);
        await requireOwned(tx, endpointId, userId);
        await deliveryRepository.makeDue(tx, deliveryId);
        return requireDelivery(tx, deliveryId);
      }),
  };
}

/**
 * Records a change of an endpoint. The entry holds only the origin of its URL, because path and query may hold a
 * secret.
 */
function recordEndpoint(
  tx: Queryable,
  by: Actor,
  action: Extract<AuditAction, `webhook_endpoint.${string}`>,
  { id, userId, url }: WebhookEndpoint,
  summary: string,
): Promise<void> {
  const { origin } = new URL(url);
  return recordAudit(tx, { userId, by, action, resourceId: id, resourceName: origin, summary });
}

/** Returns an endpoint of the user. All checks of ownership are here. */
async function requireOwned(source: Queryable, endpointId: string, userId: string): Promise<WebhookEndpoint> {
  const endpoint = await endpointRepository.findById(source, endpointId);
  if (endpoint === undefined) {
    throw new AppError('NOT_FOUND', { message: 'There is no webhook endpoint with this id.' });
  }
  if (endpoint.userId !== userId) {
    throw new AppError('FORBIDDEN', { message: 'This webhook endpoint belongs to someone else.' });
  }
  return endpoint;
}

async function requireDelivery(source: Queryable, id: string): Promise<WebhookDelivery> {
  const delivery = await deliveryRepository.findById(source, id);
  if (delivery !== undefined) return delivery;
  throw new AppError('NOT_FOUND', {
    message: 'There is no delivery with this id; they are kept for 30 days.',
  });
}

async function requireRoom(tx: Queryable, userId: string): Promise<void> {
  await endpointRepository.lockUser(tx, userId);
  if ((await endpointRepository.countOfUser(tx, userId)) < MAX_ENDPOINTS_PER_USER) return;
  throw new AppError('VALIDATION_ERROR', {
    message: `You have ${MAX_ENDPOINTS_PER_USER} webhook endpoints, which is as many as one user can have. Delete one first.`,
  });
}
