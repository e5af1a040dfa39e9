/** Target of a request and the values that depend on the port. One table of requests then serves every port. */
export interface Aim {
  readonly host: string;
  /** A target with a normal answer to a correct request. */
  readonly target: string;
}

export interface HostileRequest {
  readonly name: string;
  readonly bytes: (aim: Aim) => string | Buffer;
  /**
   * - `refused`: no part may be accepted as a request; the server sends an error or closes the connection.
   * - `lenient`: servers may interpret it differently, but send one answer at most.
   */
  readonly expected: 'refused' | 'lenient';
}

export const CRLF = '\r\n';

/** A request line and header lines, as sent. */
export function head(requestLine: string, ...headers: string[]): string {
  return [requestLine, ...headers, '', ''].join(CRLF);
}

/** A well-formed GET with further header lines. */
export const get =
  (...headers: string[]) =>
  ({ host, target }: Aim): string =>
    head(`GET ${target} HTTP/1.1`, `Host: ${host}`, ...headers);

/** A POST with header lines that state, or fail to state, the length of its body. */
export const post =
  (body: string, ...headers: string[]) =>
  ({ host, target }: Aim): string =>
    `${head(`POST ${target} HTTP/1.1`, `Host: ${host}`, 'Content-Type: application/json', ...headers)}${body}`;

export const refused = (name: string, bytes: HostileRequest['bytes']): HostileRequest => ({
  name,
  bytes,
  expected: 'refused',
});

export const lenient = (name: string, bytes: HostileRequest['bytes']): HostileRequest => ({
  name,
  bytes,
  expected: 'lenient',
});
