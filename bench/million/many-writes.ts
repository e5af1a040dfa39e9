import { randomUUID } from 'node:crypto';
import { readUsage } from '../measure/process-usage.js';
import type { Role } from '../product/roles.js';
import { createApiClient } from './api-client.js';
import { LISTED_REDIRECTS } from './seed.js';

const CONNECTIONS = 16;
/** Share of additional writes that run first, to let the compiler optimize. */
const WARM_UP_SHARE = 0.2;

/** Creates redirects that are verified immediately, over many connections. */
export function createMany(controlplane: Role, count: number) {
  return writeMany(controlplane, count, (client) =>
    client.call('POST', '/add-redirect', {
      fromDomain: `${randomUUID()}.localhost`,
      toDomain: 'https://destination.example/welcome',
    }),
  );
}

/** Changes the destinations of the listed redirects again and again, on many connections. */
export function updateMany(controlplane: Role, count: number) {
  return writeMany(controlplane, count, (client, number) => {
    const redirect = 1 + (number % LISTED_REDIRECTS);
    const toDomain = `https://www.listed-${redirect}.example/edition-${number}`;
    return client.call('PUT', `/update/listed-${redirect}`, { toDomain });
  });
}

type Write = (client: ReturnType<typeof createApiClient>, number: number) => Promise<unknown>;

async function writeMany(controlplane: Role, count: number, write: Write) {
  const client = createApiClient(controlplane.port, CONNECTIONS);
  let next = 0;
  const writeUntil = async (end: number) => {
    const caller = async () => {
      while (next < end) await write(client, next++);
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, caller));
  };
  try {
    await writeUntil(count * WARM_UP_SHARE);
    const before = await readUsage(controlplane.pid);
    const startedAtMs = performance.now();
    next = 0;
    await writeUntil(count);
    const tookMs = performance.now() - startedAtMs;
    const after = await readUsage(controlplane.pid);
    return {
      perSecond: (count / tookMs) * 1_000,
      // CPU time of the control plane per write.
      cpuMs: ((after.cpuSeconds - before.cpuSeconds) * 1_000) / count,
    };
  } finally {
    client.leave();
  }
}
