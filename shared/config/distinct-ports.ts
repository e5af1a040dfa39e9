import { isIPv6 } from 'node:net';
import { ConfigError } from './environment.js';

/** A configured listening address, and the variable that sets it. */
export interface ConfiguredPort {
  readonly variable: string;
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
}

/**
 * Checks that the listeners of one process do not conflict.
 *
 * @throws {ConfigError} naming each pair of variables with the same port on overlapping hosts
 */
export function checkDistinctPorts(ports: readonly ConfiguredPort[]): void {
  const pairs = ports.flatMap((one, index) => ports.slice(index + 1).map((other) => [one, other] as const));
  const collisions = pairs.filter(
    ([one, other]) => one.port !== 0 && one.port === other.port && overlap(one.host, other.host),
  );
  if (collisions.length === 0) return;
  throw new ConfigError(
    collisions
      .map(
        ([one, other]) =>
          `${one.variable} and ${other.variable} take different ports, but both are ${one.port} (on ${one.host} and ${other.host}): change one of them`,
      )
      .join('\n'),
  );
}

function overlap(one: string, other: string): boolean {
  if (one.toLowerCase() === other.toLowerCase()) return true;
  return isEverywhere(one, other) || isEverywhere(other, one);
}

/** Returns whether a listener on `host` also listens on `other`. `::` also accepts IPv4. */
function isEverywhere(host: string, other: string): boolean {
  return host === '::' || (host === '0.0.0.0' && !(isIPv6(other) && other !== '::'));
}
