import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { processEnvironment } from '../../../../shared/config/process-environment.js';

/** A request as Stripe gets it. */
export interface EdgeRequest {
  readonly method: string;
  readonly path: string;
  /** Parameters by their flat names, as in `line_items[0][price]`. */
  readonly params: Readonly<Record<string, string>>;
  readonly headers: IncomingMessage['headers'];
}

/** `undefined`: there is no such object. */
export type EdgeAnswer = object | undefined;

export interface StripeEdge {
  /** For STRIPE_API_BASE. */
  readonly url: string;
  /** All requests so far. */
  readonly requests: readonly EdgeRequest[];
  /** The next requests are answered with these statuses; 0 hangs up without an answer. */
  failNext(...statuses: number[]): void;
  /** The next request to this path, and those after it, are taken and done, and never answered, until `answerAgain`. */
  keepSilent(path: string): void;
  answerAgain(): void;
  close(): Promise<void>;
}

export interface StripeEdgeOptions {
  readonly answer: (request: EdgeRequest) => EdgeAnswer;
  /** What the clock of Stripe says, in milliseconds since 1970. */
  readonly nowMs: () => number;
}

/**
 * The network edge of Stripe: HTTP as its API speaks it, in front of an account that a test keeps. With
 * STRIPE_MOCK_URL every request must also be one that stripe-mock takes, which knows Stripe's published OpenAPI
 * document: an unknown parameter or a wrong type is refused as Stripe would refuse it. It checks no versions: the one
 * that an endpoint's events are to have is taken out of what it is asked, and so is only compared with what the tests
 * expect.
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

/** Why stripe-mock does not take a request. */
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
    // Its document is some months behind, and lists the versions of its day only.
    ...(method === 'POST' && { body: body.replace(/&api_version=[^&]*/, '') }),
  });
  return answer.ok ? undefined : `${method} ${url} ${body}: ${await answer.text()}`;
}
