/** Where a request goes and what it is for there, so that one table serves every port. */
export interface Aim {
  readonly host: string;
  /** A target that answers something when it is asked for properly. */
  readonly target: string;
}

export interface HostileRequest {
  readonly name: string;
  readonly bytes: (aim: Aim) => string | Buffer;
  /**
   * - `refused`: nothing of it may be taken for a request; an error or a closed connection.
   * - `lenient`: servers may differ in what they make of it; one answer at most.
   */
  readonly expected: 'refused' | 'lenient';
}

export const CRLF = '\r\n';

/** A request line and header lines, as they go over the wire. */
export function head(requestLine: string, ...headers: string[]): string {
  return [requestLine, ...headers, '', ''].join(CRLF);
}

/** A well-formed GET with further header lines. */
export const get =
  (...headers: string[]) =>
  ({ host, target }: Aim): string =>
    head(`GET ${target} HTTP/1.1`, `Host: ${host}`, ...headers);

/** A POST whose header lines say, or fail to say, how long its body is. */
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
