import { once } from 'node:events';
import { messageOf } from '../../shared/process/error-facts.js';
import type { ChildProcesses } from '../harness/child-processes.js';
import { withinTime } from '../harness/time-limit.js';

const EXTRA_TIME_MS = 60_000;

/** Answer of a process to its order. */
type OrderAnswer<Result> = { readonly result: Result } | { readonly failure: string };

/** Executes orders, answers each, and ends with the benchmark. Runs in the started process. */
export function answerOrders<Order, Result>(
  run: (order: Order) => Promise<Result>,
  end: () => void = () => process.exit(1),
): void {
  process.on('disconnect', end);
  process.on('message', async (order: Order) => {
    const answer: OrderAnswer<Result> = await run(order).then(
      (result) => ({ result }),
      (error: unknown) => ({ failure: messageOf(error) }),
    );
    // The callback takes the error of a channel that has closed. `disconnect` reports the closing.
    process.send?.(answer, undefined, {}, () => {});
  });
}

/** A process that executes one order after another. */
export interface OrderedProcess {
  readonly pid: number;
  /** @throws the failure that the process reports */
  give<Result>(order: object | string, limitMs: number): Promise<Result>;
  end(): Promise<void>;
}

export interface OrderedProgram {
  /** Name of the process for messages. */
  readonly name: string;
  /** Node options, the compiled file that calls `answerOrders`, and its arguments. */
  readonly args: readonly string[];
  readonly cores: string;
}

/** Starts a process that executes orders. Runs in the benchmark. */
export async function startOrdered(
  processes: ChildProcesses,
  { name, args, cores }: OrderedProgram,
): Promise<OrderedProcess> {
  const launched = await processes.launch(process.execPath, args, { cores, channel: true });
  const ended = launched.ended.then((code): never => {
    throw new Error(`${name} ended with ${code}: ${launched.complaints()}`);
  });
  ended.catch(() => {}); // told to whoever waits for an answer
  return {
    pid: launched.pid,
    async give<Result>(order: object | string, limitMs: number) {
      const answered = once(launched.child, 'message').then(([message]: OrderAnswer<Result>[]) => message);
      launched.child.send(order);
      const answer = await withinTime(Promise.race([answered, ended]), limitMs, `a run of ${name}`);
      if (answer === undefined || 'failure' in answer) throw new Error(`${name}: ${answer?.failure}`);
      return answer.result;
    },
    end: () => processes.end(launched, EXTRA_TIME_MS),
  };
}

export interface LoadOrder<Order> extends Omit<OrderedProgram, 'args'> {
  /** Compiled file that calls `answerOrders`. */
  readonly file: string;
  readonly order: Order;
  readonly seconds: number;
}

/** Starts a process for one order. @throws the failure that it reports */
export async function giveOrder<Order extends object, Result>(
  processes: ChildProcesses,
  { name, file, cores, order, seconds }: LoadOrder<Order>,
): Promise<Result> {
  const started = await startOrdered(processes, { name, args: [file], cores });
  return started.give<Result>(order, seconds * 1000 + EXTRA_TIME_MS).finally(() => started.end());
}
