import { createServer, isIPv6 } from 'node:net';

export interface ListenAddress {
  readonly host: string;
  /** The real port, also where 0 was asked for. */
  readonly port: number;
}

/** An address to listen on, and the variables that set it. */
export interface ListenTarget extends ListenAddress {
  readonly hostVariable: string;
  readonly portVariable: string;
  /** Whether other processes of ours listen there as well; else the address must be free. */
  readonly isShared?: boolean;
}

/** Listening failed; `message` names the address and the variable to change. */
export class ListenError extends Error {
  override name = 'ListenError';
}

const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the port is in use',
  EACCES: 'this user may not use the port',
  EADDRNOTAVAIL: 'the address is none of this machine',
  EAFNOSUPPORT: 'this system has no IPv6',
  ENOTFOUND: 'the host name is not known',
};

/** Reasons for which another host helps, not another port. */
const OF_THE_HOST = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT', 'ENOTFOUND']);

/** @param code what the system called the failure */
export function listenError(target: ListenTarget, code: string): ListenError {
  const { host, port, hostVariable, portVariable } = target;
  const reason = REASONS[code] ?? code;
  const variable = OF_THE_HOST.has(code) ? hostVariable : portVariable;
  const address = `${isIPv6(host) ? `[${host}]` : host}:${port}`;
  return new ListenError(`Cannot listen on ${address}: ${reason}. Set ${variable} to another one.`);
}

/**
 * Makes sure that an address is free, so that what shares ports does not silently share one with somebody else.
 *
 * @returns the address, with a free port where 0 was asked for
 * @throws {ListenError}
 */
export function freeAddress(target: ListenTarget): Promise<ListenAddress> {
  const { host, port } = target;
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) =>
      reject(listenError(target, error.code ?? error.message)),
    );
    probe.listen({ host, port, exclusive: true }, () => {
      const address = probe.address();
      const free = typeof address === 'object' && address !== null ? address.port : port;
      probe.close(() => resolve({ host, port: free }));
    });
  });
}
