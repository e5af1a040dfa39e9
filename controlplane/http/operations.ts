import type { FastifyInstance } from 'fastify';
import { collectDefaultMetrics, Histogram, type Registry } from 'prom-client';
import { Type } from 'typebox';
import { settledWithin } from '../../shared/async/deadline.js';
import { DatabaseReadOnlyError } from '../storage/postgres/database-unavailable.js';

/** Health checks by name. A check rejects when its subject does not answer. */
export type Probes = Readonly<Record<string, () => Promise<void>>>;

export interface OperationsOptions {
  readonly metrics: Registry;
  /** Probes that must succeed for this process to be useful, by name. */
  readonly probes: Probes;
  /** Probes whose failure is shown but does not affect readiness. */
  readonly sideProbes?: Probes;
  /** Makes `/readyz` answer 503 when it is aborted: the process is about to stop. */
  readonly leaving?: AbortSignal | undefined;
}

/** Error with a message that `/readyz` may show. Other errors are not shown. */
export class UnreadyError extends Error {
  override name = 'UnreadyError';
}

/** Reason that `/readyz` gives the operator. */
const READ_ONLY =
  'PostgreSQL is read-only: it is a standby, or default_transaction_read_only is on. Changes are refused until it can be written to.';
/** A hung Redis also delays the rate limit by 500 ms, and the answer is due in 2 s. */
const PROBE_TIMEOUT_MS = 1_200;
const config = { public: true, uncounted: true } as const;

/** `/healthz` (alive), `/readyz` (can serve) and `/metrics` (Prometheus), plus the request metrics themselves. */
export function useOperations(
  app: FastifyInstance,
  { metrics, probes, sideProbes = {}, leaving }: OperationsOptions,
): void {
  collectDefaultMetrics({ register: metrics });
  const durations = new Histogram({
    name: 'waymark_api_request_duration_seconds',
    help: 'Time from the request to the end of the answer, by route and status.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5],
    registers: [metrics],
  });
  app.addHook('onResponse', async (request, reply) => {
    const labels = {
      method: request.method,
      route: request.routeOptions.url ?? 'unknown',
      status: String(reply.statusCode),
    };
    durations.observe(labels, reply.elapsedTime / 1000);
  });

  const status = Type.Object({ status: Type.String() });
  const readiness = Type.Object({
    ready: Type.Boolean(),
    parts: Type.Record(Type.String(), Type.Boolean()),
    reasons: Type.Optional(
      Type.Record(Type.String(), Type.String(), { description: 'Unavailable parts, with what to do.' }),
    ),
  });

  app.get(
    '/healthz',
    {
      config,
      schema: {
        tags: ['operations'],
        operationId: 'getHealth',
        summary: 'Alive?',
        response: { 200: status },
      },
    },
    async () => ({ status: 'ok' }),
  );
  app.get(
    '/readyz',
    {
      config,
      schema: {
        tags: ['operations'],
        operationId: 'getReadiness',
        summary: 'Able to serve, part by part?',
        response: { 200: readiness, 503: readiness },
      },
    },
    async (_request, reply) => {
      const [needed, others] = await Promise.all([askEach(probes), askEach(sideProbes)]);
      const ready = leaving?.aborted !== true && needed.every(({ isUp }) => isUp);
      return reply.code(ready ? 200 : 503).send({ ready, ...described([...needed, ...others]) });
    },
  );
  app.get('/metrics', { config, schema: { hide: true } }, async (_request, reply) =>
    reply.type(metrics.contentType).send(await metrics.metrics()),
  );
}

interface PartState {
  readonly name: string;
  readonly isUp: boolean;
  readonly reason?: string;
}

function askEach(probes: Probes): Promise<PartState[]> {
  return Promise.all(Object.entries(probes).map(async ([name, probe]) => ({ name, ...(await ask(probe)) })));
}

async function ask(probe: () => Promise<void>): Promise<Omit<PartState, 'name'>> {
  try {
    return { isUp: await settledWithin(PROBE_TIMEOUT_MS, probe()) };
  } catch (error) {
    const reason = reasonOf(error);
    return { isUp: false, ...(reason !== undefined && { reason }) };
  }
}

function reasonOf(error: unknown): string | undefined {
  if (error instanceof DatabaseReadOnlyError) return READ_ONLY;
  return error instanceof UnreadyError ? error.message : undefined;
}

function described(states: readonly PartState[]) {
  const reasons = states.flatMap(({ name, reason }) =>
    reason === undefined ? [] : [[name, reason] as const],
  );
  return {
    parts: Object.fromEntries(states.map(({ name, isUp }) => [name, isUp])),
    ...(reasons.length > 0 && { reasons: Object.fromEntries(reasons) }),
  };
}
