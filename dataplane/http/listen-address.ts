import { createServer } from 'node:net';

export interface ListenAddress {
  readonly host: string;
  /** The real port, also where 0 was asked for. */
  readonly port: number;
}

/** Where to listen, and the variables that say so. */
export interface ListenTarget extends ListenAddress {
  readonly hostVariable: string;
  readonly portVariable: string;
}

/** Listening failed; `message` names the address and the variable to change. */
export class ListenError extends Error {
  override name = 'ListenError';
}

const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the port is in use',
  EACCES: 'this user may not use the port',
  EADDRNOTAVAIL: 'the address is none of this machine',
  ENOTFOUND: 'the host name is not known',
};

/** @param code what the system called the failure */
export function listenError(target: ListenTarget, code: string): ListenError {
  const { host, port, hostVariable, portVariable } = target;
  const reason = REASONS[code] ?? code;
  const variable = code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' ? hostVariable : portVariable;
  return new ListenError(`Cannot listen on ${host}:${port}: ${reason}. Set ${variable} to another one.`);
}

/**
 * Tries whether an address can be listened on by one process alone.
 *
 * @returns what the system calls the obstacle; undefined when there is none
 */
export function obstacleTo({ host, port }: ListenAddress): Promise<string | undefined> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    probe.listen({ host, port, exclusive: true }, () => probe.close(() => resolve(undefined)));
  });
}
