import type { HitSink } from '../../shared/hits/hit-batch.js';
import { createDeferred, type Deferred } from '../harness/deferred.js';
import type { BenchMessage } from './server-messages.js';
import { say } from './server-process.js';

/** Hands batches over to the benchmark's process, as the product hands them to its control plane's. */
export function createChannelSink(): HitSink {
  const waiting = new Map<number, Deferred<void>>();
  let nextId = 1;

  process.on('message', (message: BenchMessage) => {
    if (message.type !== 'hit-batch-answer') return;
    const delivery = waiting.get(message.id);
    waiting.delete(message.id);
    if (message.refusal === undefined) delivery?.resolve();
    else delivery?.reject(new Error(message.refusal));
  });

  return {
    deliver(encoded) {
      const id = nextId++;
      const delivery = createDeferred<void>();
      waiting.set(id, delivery);
      say({ type: 'hit-batch', id, encoded });
      return delivery.promise;
    },
  };
}
