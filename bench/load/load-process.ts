import { once } from 'node:events';
import { messageOf } from '../../shared/process/error-facts.js';
import type { ChildProcesses } from '../harness/child-processes.js';
import { withinTime } from '../harness/time-limit.js';

const EXTRA_TIME_MS = 60_000;

/** Answer of a load process to its order. */
type LoadAnswer<Result> = { readonly result: Result } | { readonly failure: string };

/** Takes one order, answers it, and ends with the benchmark. Runs in a load process. */
export function answerOrder<Order, Result>(run: (order: Order) => Promise<Result>): void {
  process.on('disconnect', () => process.exit(1));
  process.once('message', async (order: Order) => {
    const answer: LoadAnswer<Result> = await run(order).then(
      (result) => ({ result }),
      (error: unknown) => ({ failure: messageOf(error) }),
    );
    process.send?.(answer);
  });
}

export interface LoadOrder<Order> {
  /** Name of the process for messages. */
  readonly name: string;
  /** Compiled file that calls `answerOrder`. */
  readonly file: string;
  readonly cores: string;
  readonly order: Order;
  readonly seconds: number;
}

/** Starts a load process and gives it an order. Runs in the benchmark. @throws what it says has failed */
export async function giveOrder<Order extends object, Result>(
  processes: ChildProcesses,
  { name, file, cores, order, seconds }: LoadOrder<Order>,
): Promise<Result> {
  const launched = await processes.launch(process.execPath, [file], { cores, channel: true });
  launched.child.send(order);
  const ended = launched.ended.then((code): never => {
    throw new Error(`${name} ended with ${code}: ${launched.complaints()}`);
  });
  const answered = once(launched.child, 'message').then(([message]: LoadAnswer<Result>[]) => message);
  const limitMs = seconds * 1000 + EXTRA_TIME_MS;
  const answer = await withinTime(Promise.race([answered, ended]), limitMs, `a run of ${name}`);
  await processes.end(launched, EXTRA_TIME_MS);
  if (answer === undefined || 'failure' in answer) throw new Error(`${name}: ${answer?.failure}`);
  return answer.result;
}
