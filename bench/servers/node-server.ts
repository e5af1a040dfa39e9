import { EventEmitter, once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { ChildProcesses, LaunchedProcess } from '../harness/child-processes.js';
import { createDeferred } from '../harness/deferred.js';
import { withinTime } from '../harness/time-limit.js';
import { createHitLedger, type HitLedger } from './hit-ledger.js';
import type { HitAccount, RunningServer, ServerKind, ServerSetup } from './server-kind.js';
import type { BenchMessage, ServerMessage } from './server-messages.js';

/** A million redirects take their time. */
const START_LIMIT_MS = 120_000;
const STOP_LIMIT_MS = 60_000;
const ANSWER_LIMIT_MS = 20_000;
const BYTES_PER_MIB = 1024 * 1024;

export interface NodeServerOptions {
  readonly name: string;
  /** Compiled file in this folder that calls `serve` of server-process.ts. */
  readonly entry: string;
  /** Node's own. */
  readonly options?: readonly string[];
  /** Whether it delivers hits to the benchmark. */
  readonly recordsHits?: boolean;
  readonly rightLocations: ServerKind['rightLocations'];
}

/** A server in a process that listens to the benchmark. */
export interface RunningNodeServer extends RunningServer {
  memoryInUseMiB(): Promise<number>;
  /** Lets rules change so often from now on, where the server has some. */
  changeRules(perSecond: number): void;
  /** Ends that; resolves to the number of all changes. */
  stopChanging(): Promise<number>;
}

export interface NodeServerKind extends ServerKind {
  start(processes: ChildProcesses, cores: string, setup: ServerSetup): Promise<RunningNodeServer>;
}

/** A server that is a Node program of this folder, in a separate process. */
export function createNodeServer({
  name,
  entry,
  options = [],
  recordsHits,
  rightLocations,
}: NodeServerOptions): NodeServerKind {
  const file = fileURLToPath(new URL(entry, import.meta.url));
  return {
    name,
    unavailable: () => undefined,
    rightLocations,
    async start(processes, cores, setup) {
      const args = ['--expose-gc', ...options, file, JSON.stringify(setup)];
      const startedAtMs = performance.now();
      const launched = await processes.launch(process.execPath, args, { cores, channel: true });
      const ledger = createHitLedger();
      const conversation = converse(launched, name, ledger);
      const port = await withinTime(conversation.listening, START_LIMIT_MS, `the start of ${name}`);
      return {
        pid: launched.pid,
        port,
        startSeconds: (performance.now() - startedAtMs) / 1000,
        async memoryInUseMiB() {
          const { bytes } = await conversation.ask({ type: 'memory-wanted' }, 'memory');
          return bytes / BYTES_PER_MIB;
        },
        changeRules: (perSecond) => send(launched, { type: 'change-rules', perSecond }),
        async stopChanging() {
          return (await conversation.ask({ type: 'change-rules', perSecond: 0 }, 'changes')).count;
        },
        async stop() {
          send(launched, { type: 'stop' });
          const hits = await withinTime(conversation.stopped, STOP_LIMIT_MS, `the end of ${name}`);
          await processes.end(launched, STOP_LIMIT_MS);
          return recordsHits ? (hits ?? ledger.account()) : undefined;
        },
      };
    },
  };
}

type Answer = Extract<ServerMessage, { type: 'memory' | 'changes' }>;

interface Conversation {
  /** Resolves to the port. */
  readonly listening: Promise<number>;
  /** Resolves to the server's own hit counts, if it reports any. */
  readonly stopped: Promise<HitAccount | undefined>;
  /** Asks one thing at a time. @throws without an answer in time */
  ask<Type extends Answer['type']>(
    question: BenchMessage,
    type: Type,
  ): Promise<Extract<Answer, { type: Type }>>;
}

/** Reads the server's messages. All promises reject when the server ends without a report. */
function converse(launched: LaunchedProcess, name: string, ledger: HitLedger): Conversation {
  const listening = createDeferred<number>();
  const stopped = createDeferred<HitAccount | undefined>();
  const answers = new EventEmitter();
  launched.child.on('message', (message: ServerMessage) => {
    switch (message.type) {
      case 'listening':
        return listening.resolve(message.port);
      case 'stopped':
        return stopped.resolve(message.hits);
      case 'hit-batch': {
        const refusal = ledger.take(message.encoded);
        const answer = { type: 'hit-batch-answer', id: message.id } as const;
        return send(launched, refusal === undefined ? answer : { ...answer, refusal });
      }
      default:
        answers.emit(message.type, message);
    }
  });
  void launched.ended.then((code) => {
    const error = new Error(`${name} ended with ${code}; it said:\n${launched.complaints()}`);
    listening.reject(error);
    stopped.reject(error);
  });
  // Callers that wait get the rejection. If no caller waits, the next request reports the ended server.
  listening.promise.catch(() => {});
  stopped.promise.catch(() => {});
  return {
    listening: listening.promise,
    stopped: stopped.promise,
    async ask(question, type) {
      const answered = once(answers, type, { signal: AbortSignal.timeout(ANSWER_LIMIT_MS) });
      send(launched, question);
      const [answer] = await answered;
      return answer;
    },
  };
}

function send(launched: LaunchedProcess, message: BenchMessage): void {
  // The callback takes the error of a channel that has closed. `launched.ended` reports the end of the process.
  if (launched.child.connected) launched.child.send(message, undefined, {}, () => {});
}
