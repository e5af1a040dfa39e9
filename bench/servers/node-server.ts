import { fileURLToPath } from 'node:url';
import type { LaunchedProcess } from '../harness/child-processes.js';
import { createDeferred } from '../harness/deferred.js';
import { withinTime } from '../harness/time-limit.js';
import { createHitLedger, type HitLedger } from './hit-ledger.js';
import type { ServerKind } from './server-kind.js';
import type { BenchMessage, ServerMessage } from './server-messages.js';

const START_LIMIT_MS = 20_000;
const STOP_LIMIT_MS = 20_000;

export interface NodeServerOptions {
  readonly name: string;
  /** Compiled file in this folder that calls `serve` of server-process.ts. */
  readonly entry: string;
  /** Whether it delivers hits to the benchmark. */
  readonly recordsHits?: boolean;
  readonly expectedLocation: ServerKind['expectedLocation'];
}

/** A server that is a Node program of this folder, in a process of its own. */
export function createNodeServer({
  name,
  entry,
  recordsHits,
  expectedLocation,
}: NodeServerOptions): ServerKind {
  const file = fileURLToPath(new URL(entry, import.meta.url));
  return {
    name,
    unavailable: () => undefined,
    expectedLocation,
    async start(processes, cores, setup) {
      const args = [file, JSON.stringify(setup)];
      const launched = await processes.launch(process.execPath, args, { cores, channel: true });
      const ledger = createHitLedger();
      const conversation = converse(launched, name, ledger);
      const port = await withinTime(conversation.listening, START_LIMIT_MS, `the start of ${name}`);
      return {
        pid: launched.pid,
        port,
        async stop() {
          send(launched, { type: 'stop' });
          await withinTime(conversation.stopped, STOP_LIMIT_MS, `the end of ${name}`);
          await processes.end(launched, STOP_LIMIT_MS);
          return recordsHits ? ledger.account() : undefined;
        },
      };
    },
  };
}

interface Conversation {
  /** Resolves to the port. */
  readonly listening: Promise<number>;
  readonly stopped: Promise<void>;
}

/** Answers what the server says. Both promises reject when it ends without a word. */
function converse(launched: LaunchedProcess, name: string, ledger: HitLedger): Conversation {
  const listening = createDeferred<number>();
  const stopped = createDeferred<void>();
  launched.child.on('message', (message: ServerMessage) => {
    switch (message.type) {
      case 'listening':
        return listening.resolve(message.port);
      case 'stopped':
        return stopped.resolve();
      case 'hit-batch': {
        const refusal = ledger.take(message.encoded);
        const answer = { type: 'hit-batch-answer', id: message.id } as const;
        return send(launched, refusal === undefined ? answer : { ...answer, refusal });
      }
    }
  });
  void launched.ended.then((code) => {
    const error = new Error(`${name} ended with ${code}; it said:\n${launched.complaints()}`);
    listening.reject(error);
    stopped.reject(error);
  });
  // Whoever waits is told; when nobody does, a server that ends is missed by the next request.
  listening.promise.catch(() => {});
  stopped.promise.catch(() => {});
  return { listening: listening.promise, stopped: stopped.promise };
}

function send(launched: LaunchedProcess, message: BenchMessage): void {
  // The callback takes the error of a channel that closed meanwhile: the end of the process is told elsewhere.
  if (launched.child.connected) launched.child.send(message, undefined, {}, () => {});
}
