import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';
import type { VisitorReport, WellBehavedRequest } from './garbage-visitor.fixture.js';

const request = workerData as WellBehavedRequest;
const latenciesMs: number[] = [];
const wrong: string[] = [];
let stopping = false;

parentPort?.once('message', () => {
  stopping = true;
});

async function visitUntilStopped(): Promise<void> {
  let socket: Socket | undefined;
  while (!stopping || (latenciesMs.length < request.minAnswers && wrong.length === 0)) {
    const startedAtMs = performance.now();
    try {
      socket ??= await open();
      const answer = await ask(socket);
      latenciesMs.push(performance.now() - startedAtMs);
      if (!answer.startsWith(request.expected)) wrong.push(answer.slice(0, 200));
    } catch (error) {
      wrong.push(String(error));
      socket?.destroy();
      socket = undefined;
    }
    await new Promise((resolve) => setTimeout(resolve, request.pauseMs));
  }
  socket?.destroy();
}

async function open(): Promise<Socket> {
  const socket = connect(request.port, '127.0.0.1').setNoDelay().setEncoding('latin1');
  await once(socket, 'connect');
  socket.on('error', () => {}); // `close` follows
  return socket;
}

/** Sends the request and resolves to the whole answer. */
function ask(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const settle = (act: () => void): void => {
      socket.off('data', onData).off('close', onClose);
      act();
    };
    const onClose = (): void => settle(() => reject(new Error(`closed after ${JSON.stringify(text)}`)));
    const onData = (chunk: string): void => {
      text += chunk;
      if (isWhole(text)) settle(() => resolve(text));
    };
    socket.on('data', onData).on('close', onClose);
    socket.write(request.bytes, 'latin1');
  });
}

function isWhole(text: string): boolean {
  const headEnd = text.indexOf('\r\n\r\n');
  const length = Number(/^content-length: *(\d+)/im.exec(text)?.[1] ?? 0);
  return headEnd !== -1 && text.length >= headEnd + 4 + length;
}

function report(): VisitorReport {
  const sorted = latenciesMs.toSorted((a, b) => a - b);
  const at = (share: number): number =>
    Math.round((sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN) * 10) /
    10;
  return { answers: sorted.length, wrong: wrong.slice(0, 5), p50: at(0.5), p99: at(0.99), max: at(1) };
}

await visitUntilStopped();
parentPort?.postMessage(report());
