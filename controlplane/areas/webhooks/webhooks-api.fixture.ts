import { pino } from 'pino';
import { Registry } from 'prom-client';
import { type ApiAnswer, startApi, type TestApi } from '../../http/api.fixture.js';
import { emit, type IntegratorEventData, type IntegratorEventType } from './integrator-events.js';
import { startWebhookReceiver, type WebhookReceiver } from './webhook-receiver.fixture.js';
import { createWebhooks, type Webhooks, type WebhooksDeps } from './webhooks.js';

export interface WebhooksApi {
  readonly api: TestApi;
  readonly receiver: WebhookReceiver;
  readonly webhooks: Webhooks;
  readonly metrics: Registry;
  /** Creates the webhooks of another control plane of the installation. */
  another(options?: Partial<WebhooksDeps>): Webhooks;
  /** Creates an endpoint at a path of the receiver. */
  createEndpoint(
    token: string,
    path: string,
    events?: readonly IntegratorEventType[],
  ): Promise<ApiAnswer['json']>;
  /** Emits an event in a separate transaction. */
  emit(userId: string, type: IntegratorEventType, data?: IntegratorEventData): Promise<void>;
  /** Returns the log of an endpoint, newest first. */
  deliveries(token: string, endpointId: string): Promise<ApiAnswer['json'][]>;
  /** Makes all deliveries due that wait for another attempt or are claimed. */
  makeAllDue(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Starts the webhooks area on a real database, with a real server that receives messages. It sends only when a round
 * is run.
 */
export async function startWebhooksApi(options: Partial<WebhooksDeps> = {}): Promise<WebhooksApi> {
  const receiver = await startWebhookReceiver();
  const metrics = new Registry();
  const general = {
    secrets: { current: Buffer.from('a secret for tests only'), previous: [] },
    allowPrivate: true,
    logger: pino({ level: 'silent' }),
    ...options,
  };
  let webhooks: Webhooks | undefined;
  const api = await startApi({
    areas: ({ database }) => {
      webhooks = createWebhooks({ ...general, database, metrics });
      return webhooks.routes;
    },
  });
  const { database } = api;

  return {
    api,
    receiver,
    webhooks: webhooks!,
    metrics,
    another: (others) => createWebhooks({ ...general, database, metrics: new Registry(), ...others }),
    async createEndpoint(token, path, events = ['domain.verified']) {
      const body = { url: receiver.url(path), events };
      return (await api.call('POST', '/webhook-endpoints', { token, body })).json;
    },
    emit: (userId, type, data = {}) => database.transaction((tx) => emit(tx, userId, type, data)),
    deliveries: async (token, endpointId) =>
      (await api.call('GET', `/webhook-endpoints/${endpointId}/deliveries`, { token })).json.data,
    async makeAllDue() {
      await database.query(
        "UPDATE webhook_deliveries SET next_attempt_at = now() - interval '1 second' WHERE status = 'pending'",
      );
    },
    async close() {
      await Promise.all(webhooks?.jobs.map((job) => job.stop()) ?? []);
      await api.close();
      await receiver.close();
    },
  };
}
