import { type CompiledDestination, compileDestination, type Forwarding } from './location.js';
import { isRequestedUrl } from './requested-url.js';

/** One way on from a redirect, to its own destination or to that of a rule. Immutable. */
export interface Route {
  /** Whether `location` or `isLoop` looks at the request's path; if not, any string will do. */
  readonly readsPath: boolean;
  /** Whether `location` or `isLoop` looks at the request's query; if not, undefined will do. */
  readonly readsQuery: boolean;
  /** Whether the destination lies on the redirect's own host, so that `isLoop` has something to find. */
  readonly mayLoop: boolean;
  /** The location when it is the same for every request. */
  readonly constantLocation: string | undefined;
  /**
   * The value of `Location` for a request; arguments as for `CompiledDestination.location`.
   */
  location(path: string, query: string | undefined): string;
  /**
   * Whether `location` is the URL that was requested, so that sending it would send the visitor in a circle.
   *
   * @param hostHeader the request's `Host` as it was on the wire
   */
  isLoop(location: string, hostHeader: string, path: string, query: string | undefined): boolean;
}

/**
 * Prepares the way from `host` to `destination`. Never throws.
 *
 * @param host as in `RedirectDefinition.host`
 * @param destination an absolute http or https URL
 */
export function compileRoute(host: string, destination: string, forwarding: Forwarding): Route {
  return new DestinationRoute(host, destination, forwarding);
}

// A class for the same reason as in location.ts: one shape and shared methods for every route.
class DestinationRoute implements Route {
  readonly readsPath: boolean;
  readonly readsQuery: boolean;
  readonly mayLoop: boolean;
  readonly constantLocation: string | undefined;
  private readonly destination: CompiledDestination;

  constructor(host: string, destination: string, forwarding: Forwarding) {
    this.destination = compileDestination(destination, forwarding);
    this.mayLoop = this.destination.host === host;
    this.readsPath = this.mayLoop || this.destination.pathForwarding;
    this.readsQuery = this.mayLoop || this.destination.queryForwarding;
    this.constantLocation = this.destination.constant;
  }

  location(path: string, query: string | undefined): string {
    return this.destination.location(path, query);
  }

  isLoop(location: string, hostHeader: string, path: string, query: string | undefined): boolean {
    return this.mayLoop && isRequestedUrl(location, hostHeader, path, query);
  }
}
