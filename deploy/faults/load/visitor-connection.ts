import { connect, type Socket } from 'node:net';
import { codeOf } from '../../../shared/process/error-facts.js';
import { type Answer, createAnswerReader } from './answer-reader.js';

/** A request that was sent. */
export interface Pending {
  readonly sentAtMs: number;
  /** Called once, with the answer or with the end of the connection. */
  readonly settle: (answer: Answer | string) => void;
}

/** A connection that is opened again whenever it ends. Answers arrive in the order of the requests. */
export interface VisitorConnection {
  readonly isOpen: boolean;
  readonly pending: number;
  /** @param request several heads in one text, with one `Pending` each */
  send(request: string, pending: readonly Pending[]): void;
  /** Ends the connection when an answer is overdue. */
  check(nowMs: number): void;
  close(): void;
}

const RETRY_MS = 20;
const ANSWER_TIMEOUT_MS = 5_000;

export function openVisitorConnection(port: number): VisitorConnection {
  let queue: Pending[] = [];
  let socket: Socket | undefined;
  let isOpen = false;
  let isClosed = false;

  function failAll(reason: string): void {
    const failed = queue;
    queue = [];
    for (const { settle } of failed) settle(reason);
  }

  function open(): void {
    const own = connect({ port, host: '127.0.0.1', noDelay: true });
    let reason = 'connection ended';
    const read = createAnswerReader((answer) => queue.shift()?.settle(answer));
    socket = own;
    own.setEncoding('latin1');
    own.on('connect', () => {
      isOpen = true;
    });
    own.on('data', (chunk) => read(String(chunk)));
    own.on('end', () => own.destroy());
    own.on('error', (error) => {
      reason = codeOf(error) ?? error.message;
    });
    own.on('close', () => {
      isOpen = false;
      failAll(reason);
      if (!isClosed) setTimeout(open, RETRY_MS);
    });
  }

  open();
  return {
    get isOpen() {
      return isOpen;
    },
    get pending() {
      return queue.length;
    },
    send(request, pending) {
      queue.push(...pending);
      socket?.write(request);
    },
    check(nowMs) {
      const [oldest] = queue;
      if (oldest !== undefined && nowMs - oldest.sentAtMs > ANSWER_TIMEOUT_MS) {
        socket?.destroy(Object.assign(new Error('no answer in time'), { code: 'no answer in time' }));
      }
    },
    close() {
      isClosed = true;
      socket?.destroy();
    },
  };
}
