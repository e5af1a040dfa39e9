import { createServer, isIPv6 } from 'node:net';

export interface ListenAddress {
  readonly host: string;
  /** The real port, also for port 0. */
  readonly port: number;
}

/** An address to listen on, and the variables that set it. */
export interface ListenTarget extends ListenAddress {
  readonly hostVariable: string;
  readonly portVariable: string;
  /** Whether other processes of this product listen there as well. Otherwise the address must be free. */
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

/** Error codes that another host can fix, but not another port. */
const OF_THE_HOST = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT', 'ENOTFOUND']);

/** @param code error code of the system */
export function listenError(target: ListenTarget, code: string): ListenError {
  const { host, port, hostVariable, portVariable } = target;
  const reason = REASONS[code] ?? code;
  const variable = OF_THE_HOST.has(code) ? hostVariable : portVariable;
  const address = `${isIPv6(host) ? `[${host}]` : host}:${port}`;
  return new ListenError(`Cannot listen on ${address}: ${reason}. Set ${variable} to another one.`);
}

/**
 * Checks that an address is free. Otherwise our processes could accidentally share their port with another program.
 *
 * @returns the address, with a free port instead of 0
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
