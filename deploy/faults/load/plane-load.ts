import { randomBytes } from 'node:crypto';
import type { Answer } from './answer-reader.js';
import { type LoadPlan, movingHost, type PlaneMode, steadyDestination, steadyHost } from './load-messages.js';
import { createPlaneTally, type PlaneTally } from './plane-tally.js';
import { openVisitorConnection, type Pending } from './visitor-connection.js';

/** The visitors of one data plane, at a fixed rate that does not depend on its answers. */
export interface PlaneLoad {
  readonly tally: PlaneTally;
  /** Sends the requests that are due. */
  tick(nowMs: number): void;
  /** Resolves when the mode applies. */
  setMode(mode: PlaneMode): Promise<void>;
  close(): void;
}

const STEADY_CONNECTIONS = 6;
/**
 * One in this many requests goes to a moving host. All of these share one connection, which gives their answers an
 * order.
 */
const MOVING_EVERY = 10;
const USER_AGENT = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
const POLL_MS = 10;
/** Time after which missing answers count as lost. */
const ANSWERS_TIMEOUT_MS = 6_000;

interface Outgoing {
  text: string;
  readonly pending: Pending[];
}

/** Hits are compressed in storage; this text must not become small again. */
function incompressible(length: number): string {
  return randomBytes(length).toString('base64url').slice(0, length);
}

export function startPlaneLoad(port: number, plan: LoadPlan): PlaneLoad {
  const tally = createPlaneTally(plan.movingHosts);
  const connections = Array.from({ length: STEADY_CONNECTIONS + 1 }, () => openVisitorConnection(port));
  const padding = () => (plan.paddingBytes > 0 ? `&pad=${incompressible(plan.paddingBytes)}` : '');
  let startedAtMs: number | undefined;
  let number = 0;

  function next(sentAtMs: number): { connection: number; text: string; pending: Pending } {
    number += 1;
    const agent = `User-Agent: ${USER_AGENT}\r\n\r\n`;
    if (number % MOVING_EVERY === 0) {
      const host = (number / MOVING_EVERY) % plan.movingHosts;
      const settle = (outcome: Answer | string) => tally.moving(outcome, host, sentAtMs);
      const text = `GET / HTTP/1.1\r\nHost: ${movingHost(host)}\r\n${agent}`;
      return { connection: STEADY_CONNECTIONS, text, pending: { sentAtMs, settle } };
    }
    const host = number % plan.steadyHosts;
    const target = `/p/${number}?q=${number}${padding()}`;
    const settle = (outcome: Answer | string) =>
      tally.steady(outcome, `${steadyDestination(host)}${target}`, sentAtMs);
    const text = `GET ${target} HTTP/1.1\r\nHost: ${steadyHost(host)}\r\n${agent}`;
    return { connection: number % STEADY_CONNECTIONS, text, pending: { sentAtMs, settle } };
  }

  function send(due: number, nowMs: number): void {
    const outgoing = connections.map((): Outgoing => ({ text: '', pending: [] }));
    for (let sent = 0; sent < due; sent += 1) {
      const { connection, text, pending } = next(nowMs);
      const one = outgoing[connection];
      if (one === undefined || connections[connection]?.isOpen !== true) {
        tally.unsent();
        continue;
      }
      one.text += text;
      one.pending.push(pending);
    }
    for (const [index, { text, pending }] of outgoing.entries()) {
      if (pending.length > 0) connections[index]?.send(text, pending);
    }
  }

  return {
    tally,
    tick(nowMs) {
      tally.tick(nowMs);
      for (const connection of connections) connection.check(nowMs);
      if (tally.mode === 'off') startedAtMs = undefined;
      else {
        // The rate starts again after each pause.
        startedAtMs ??= nowMs - (number * 1000) / plan.requestsPerSecond;
        send(Math.floor(((nowMs - startedAtMs) * plan.requestsPerSecond) / 1000) - number, nowMs);
      }
    },
    async setMode(mode) {
      if (mode === 'up') {
        await poll(() => connections.every(({ isOpen }) => isOpen));
        if (tally.mode !== 'up') tally.beginLife();
      }
      tally.mode = mode;
      if (mode === 'off') await poll(() => connections.every(({ pending }) => pending === 0));
    },
    close() {
      for (const connection of connections) connection.close();
    },
  };
}

async function poll(isMet: () => boolean): Promise<void> {
  const deadlineMs = performance.now() + ANSWERS_TIMEOUT_MS;
  while (!isMet() && performance.now() < deadlineMs)
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
}
