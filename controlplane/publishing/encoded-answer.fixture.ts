import http from 'node:http';
import { buffer } from 'node:stream/consumers';

export interface EncodedAnswer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  /** As received: `fetch` would decode it. */
  readonly body: Buffer;
}

/** Gets a URL with only the given headers. */
export function getEncoded(url: string, headers: http.OutgoingHttpHeaders): Promise<EncodedAnswer> {
  return new Promise((resolve, reject) => {
    const request = http.get(url, { headers, agent: false }, (response) => {
      buffer(response).then(
        (body) => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }),
        reject,
      );
    });
    request.once('error', reject);
  });
}
