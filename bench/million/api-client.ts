import http from 'node:http';
import { TOKEN } from '../product/roles.js';

const CALL_LIMIT_MS = 60_000;

/** Calls the API over connections that stay open. */
export interface ApiClient {
  /** @returns the body of the answer @throws when it is an error */
  call<T = unknown>(method: 'GET' | 'POST' | 'PUT', url: string, body?: object): Promise<T>;
  leave(): void;
}

export function createApiClient(port: number, connections: number): ApiClient {
  const agent = new http.Agent({ keepAlive: true, maxSockets: connections });
  return {
    call: <T>(method: string, url: string, body?: object) =>
      new Promise<T>((resolve, reject) => {
        const text = body && JSON.stringify(body);
        const headers = {
          Authorization: `Bearer ${TOKEN}`,
          ...(text && { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) }),
        };
        const options = {
          agent,
          host: '127.0.0.1',
          port,
          method,
          path: url,
          headers,
          timeout: CALL_LIMIT_MS,
        };
        const sent = http.request(options, (response) => {
          const parts: Buffer[] = [];
          response.on('data', (part: Buffer) => parts.push(part));
          response.once('error', reject);
          response.once('end', () => {
            const answer = Buffer.concat(parts).toString('utf8');
            if ((response.statusCode ?? 0) < 300) resolve(JSON.parse(answer) as T);
            else
              reject(new Error(`${method} ${url} answered ${response.statusCode}: ${answer.slice(0, 300)}`));
          });
        });
        sent.once('timeout', () => sent.destroy(new Error(`${method} ${url}: no answer in time`)));
        sent.once('error', reject);
        sent.end(text);
      }),
    leave: () => agent.destroy(),
  };
}
