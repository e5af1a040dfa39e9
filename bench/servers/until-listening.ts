import { isListening } from '../../deploy/faults/servers/is-listening.js';
import type { LaunchedProcess } from '../harness/child-processes.js';

const START_LIMIT_MS = 10_000;
const LOOK_AGAIN_MS = 5;

/** Waits until a server that says nothing by itself takes connections. @throws when it ends or takes too long */
export async function untilListening(launched: LaunchedProcess, port: number, name: string): Promise<void> {
  const endsAtMs = Date.now() + START_LIMIT_MS;
  while (!(await isListening(port))) {
    if (launched.hasEnded() || Date.now() > endsAtMs)
      throw new Error(`${name} did not start; it said:\n${launched.complaints()}`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
  }
}
