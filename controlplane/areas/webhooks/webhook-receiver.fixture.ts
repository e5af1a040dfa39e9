import { once } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Certificate } from './certificate.fixture.js';

export interface ReceivedMessage {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Answers a message. Default: 204. */
export type Receive = (response: http.ServerResponse, message: ReceivedMessage) => void;

export interface WebhookReceiver {
  readonly port: number;
  /** Returns a URL on 127.0.0.1. */
  url(path?: string): string;
  readonly messages: readonly ReceivedMessage[];
  /** Sets the answer to messages on a path from now on. */
  on(path: string, receive: Receive): void;
  messagesOn(path: string): readonly ReceivedMessage[];
  /** Resolves when this many messages have arrived. */
  whenReceived(count: number): Promise<void>;
  close(): Promise<void>;
}

/** Starts a real server that receives messages, over TLS if there is a certificate. */
export async function startWebhookReceiver(certificate?: Certificate): Promise<WebhookReceiver> {
  const messages: ReceivedMessage[] = [];
  const behaviours = new Map<string, Receive>();
  const waiting = new Set<{ readonly count: number; resolve(): void }>();

  const listener: http.RequestListener = async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const headers = request.headers as Record<string, string>;
    const message = { path: request.url ?? '', headers, body: Buffer.concat(chunks).toString() };
    messages.push(message);
    for (const waiter of waiting) if (messages.length >= waiter.count) waiter.resolve();
    const receive = behaviours.get(message.path);
    if (receive === undefined) response.writeHead(204).end();
    else receive(response, message);
  };
  const server =
    certificate === undefined
      ? http.createServer(listener)
      : https.createServer({ ...certificate }, listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;

  return {
    port,
    url: (path = '/') => `${certificate === undefined ? 'http' : 'https'}://127.0.0.1:${port}${path}`,
    messages,
    on: (path, receive) => void behaviours.set(path, receive),
    messagesOn: (path) => messages.filter((message) => message.path === path),
    async whenReceived(count) {
      if (messages.length >= count) return;
      await new Promise<void>((resolve) => waiting.add({ count, resolve }));
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
