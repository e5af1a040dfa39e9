import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { processEnvironment } from '../../../../shared/config/process-environment.js';

/** A request as Stripe receives it. */
export interface EdgeRequest {
  readonly method: string;
  readonly path: string;
  /** Parameters by their flat names, as in `line_items[0][price]`. */
  readonly params: Readonly<Record<string, string>>;
  readonly headers: IncomingMessage['headers'];
}

/** `undefined`: the object does not exist. */
export type EdgeAnswer = object | undefined;

export interface StripeEdge {
  /** For STRIPE_API_BASE. */
  readonly url: string;
  /** All requests so far. */
  readonly requests: readonly EdgeRequest[];
  /** Statuses of the next answers; 0 closes the connection without an answer. */
  failNext(...statuses: number[]): void;
  /** The next request to this path and later ones are carried out but not answered, until `answerAgain`. */
  keepSilent(path: string): void;
  answerAgain(): void;
  close(): Promise<void>;
}

export interface StripeEdgeOptions {
  readonly answer: (request: EdgeRequest) => EdgeAnswer;
  /** Stripe's clock, in milliseconds since 1970. */
  readonly nowMs: () => number;
}

/**
 * Serves Stripe's HTTP API from an account that a test holds. With STRIPE_MOCK_URL, stripe-mock checks every request
 * too. It uses Stripe's published OpenAPI document, and refuses unknown parameters and wrong types. stripe-mock does
 * not know current versions, so the version of an endpoint's events is removed; tests compare it instead.
 */
export async function startStripeEdge({ answer, nowMs: now }: StripeEdgeOptions): Promise<StripeEdge> {
  const requests: EdgeRequest[] = [];
  const failures: number[] = [];
  let silentPath: string | undefined;
  const { STRIPE_MOCK_URL: mockUrl } = processEnvironment();

  const server = createServer(async (incoming, outgoing) => {
    const body = await readAll(incoming);
    const request = toRequest(incoming, body);
    requests.push(request);
    const failure = failures.shift();
    if (failure === 0) return void incoming.socket.destroy();
    const send = (status: number, json: object) => {
      outgoing.writeHead(status, {
        'Content-Type': 'application/json',
        'Request-Id': `req_${requests.length}`,
        Date: new Date(now()).toUTCString(),
      });
      outgoing.end(JSON.stringify(json));
    };
    if (failure !== undefined) {
      const type = failure < 500 ? 'invalid_request_error' : 'api_error';
      return send(failure, problem(type, 'It failed as it was told to.'));
    }
    const refusal = mockUrl === undefined ? undefined : await refusalOf(mockUrl, incoming, body);
    if (refusal !== undefined) return send(400, problem('invalid_request_error', refusal));
    const object = answer(request);
    if (request.path === silentPath) return;
    if (object === undefined) {
      const code = request.path === '/refunds' ? 'charge_already_refunded' : 'resource_missing';
      return send(404, problem('invalid_request_error', `No such object: ${request.path}`, code));
    }
    send(200, object);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    failNext: (...statuses) => void failures.push(...statuses),
    keepSilent(path) {
      silentPath = path;
    },
    answerAgain() {
      silentPath = undefined;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function readAll(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

function toRequest({ method = '', url = '', headers }: IncomingMessage, body: string): EdgeRequest {
  const { pathname, searchParams } = new URL(url, 'http://stripe');
  const params = Object.fromEntries([...searchParams, ...new URLSearchParams(body)]);
  return { method, path: pathname.replace(/^\/v1/, ''), params, headers };
}

function problem(type: string, message: string, code?: string): object {
  return { error: { type, message, ...(code && { code }) } };
}

/** Returns why stripe-mock refuses a request. */
async function refusalOf(
  mockUrl: string,
  { method = '', url = '', headers }: IncomingMessage,
  body: string,
): Promise<string | undefined> {
  const answer = await fetch(new URL(url, mockUrl), {
    method,
    headers: {
      Authorization: headers.authorization ?? '',
      'Stripe-Version': String(headers['stripe-version']),
      ...(headers['content-type'] && { 'Content-Type': headers['content-type'] }),
    },
    // stripe-mock's document is some months old and does not list newer versions.
    ...(method === 'POST' && { body: body.replace(/&api_version=[^&]*/, '') }),
  });
  return answer.ok ? undefined : `${method} ${url} ${body}: ${await answer.text()}`;
}
