import http from 'node:http';
import https from 'node:https';
import type { TLSSocket } from 'node:tls';

const TIMEOUT_MS = 5000;

export interface Answer {
  readonly code: number;
  readonly location: string | undefined;
  readonly server: string | undefined;
  /** End of the validity of the certificate. */
  readonly validTo?: string;
}

export interface Visit {
  readonly address: string;
  readonly port: number;
  readonly host: string;
  readonly isTls: boolean;
}

/** Sends one HEAD request for a host to an address. Returns the fault if there is no answer. */
export function visit({ address, port, host, isTls }: Visit): Promise<Answer | { readonly fault: string }> {
  const options = {
    host: address,
    port,
    method: 'HEAD',
    path: '/',
    agent: false,
    timeout: TIMEOUT_MS,
    headers: { host },
  };
  return new Promise((resolve) => {
    const request = isTls ? https.request({ ...options, servername: host }) : http.request(options);
    request.on('timeout', () => request.destroy(new Error(`no answer within ${TIMEOUT_MS / 1000} s`)));
    request.on('error', (error: NodeJS.ErrnoException) =>
      resolve({ fault: error.message || (error.code ?? 'no answer') }),
    );
    request.on('response', (response) => {
      const { headers, statusCode: code = 0, socket } = response;
      const validTo = isTls ? String((socket as TLSSocket).getPeerCertificate().valid_to) : undefined;
      response.resume();
      resolve({
        code,
        location: headers.location,
        server: headers.server === undefined ? undefined : String(headers.server),
        ...(validTo !== undefined && { validTo }),
      });
    });
    request.end();
  });
}
