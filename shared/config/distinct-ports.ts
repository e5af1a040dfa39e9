import { isIPv6 } from 'node:net';
import { ConfigError } from './environment.js';

/** An address that a process is to listen on, and the variable that sets it. */
export interface ConfiguredPort {
  readonly variable: string;
  readonly host: string;
  /** 0: any that is free. */
  readonly port: number;
}

/**
 * Makes sure that the listeners of one process can stand side by side.
 *
 * @throws {ConfigError} naming each two variables that want the same port on hosts that overlap
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

/** Whether a listener on `host` is also one on `other`: `::` takes IPv4 as well. */
function isEverywhere(host: string, other: string): boolean {
  return host === '::' || (host === '0.0.0.0' && !(isIPv6(other) && other !== '::'));
}
