import type { Readable, Writable } from 'node:stream';

export interface DevtoolsEvent {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

interface Message extends Partial<DevtoolsEvent> {
  readonly id?: number;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

export interface Devtools {
  call<T>(method: string, params?: object, sessionId?: string): Promise<T>;
  /** Resolves to the next event of this name. */
  next(method: string): Promise<DevtoolsEvent>;
  /** All events, in order. */
  readonly events: readonly DevtoolsEvent[];
}

/** Chromium's DevTools protocol over its pipe: each message is JSON and ends with a zero byte. */
export function speakDevtools(input: Writable, output: Readable): Devtools {
  const events: DevtoolsEvent[] = [];
  const calls = new Map<number, { resolve(result: unknown): void; reject(error: Error): void }>();
  const waiting = new Map<string, (event: DevtoolsEvent) => void>();
  let lastId = 0;
  let rest = '';

  function take({ id, method, params = {}, result, error }: Message): void {
    if (id !== undefined) {
      const call = calls.get(id);
      calls.delete(id);
      if (error === undefined) call?.resolve(result);
      else call?.reject(new Error(error.message));
    } else if (method !== undefined) {
      events.push({ method, params });
      waiting.get(method)?.({ method, params });
      waiting.delete(method);
    }
  }

  output.setEncoding('utf8');
  output.on('data', (text: string) => {
    const messages = (rest + text).split('\0');
    rest = messages.pop() ?? '';
    for (const message of messages) take(JSON.parse(message));
  });
  output.on('close', () => {
    for (const { reject } of calls.values()) reject(new Error('the browser has ended'));
  });
  // A killed browser breaks both ends of the pipe. That is a normal end.
  for (const end of [input, output]) end.on('error', () => {});

  return {
    events,
    call: <T>(method: string, params: object = {}, sessionId?: string) =>
      new Promise<T>((resolve, reject) => {
        lastId += 1;
        calls.set(lastId, { resolve: (result) => resolve(result as T), reject });
        input.write(`${JSON.stringify({ id: lastId, method, params, ...(sessionId && { sessionId }) })}\0`);
      }),
    next: (method) => new Promise((resolve) => waiting.set(method, resolve)),
  };
}
