import type { LocationParts } from './destination-parts.js';
import { type CompiledDestination, type Forwarding, ForwardingDestination } from './location.js';
import type { RedirectAnswer } from './redirect-answer.js';
import { isRequestedUrl } from './requested-url.js';

/** A way to the redirect's own destination or that of a rule, with its answer. Immutable. */
export interface Route extends CompiledDestination, RedirectAnswer {
  /** Whether `location` or `isLoop` uses the request's path. If not, callers may pass any string. */
  readonly readsPath: boolean;
  /** Whether `location` or `isLoop` uses the request's query. If not, callers may pass undefined. */
  readonly readsQuery: boolean;
  /** Whether the destination is on the redirect's own host. Only then can `isLoop` return true. */
  readonly mayLoop: boolean;
  /**
   * Returns whether `location` is the requested URL, which would be a redirect loop.
   *
   * @param hostHeader the request's `Host` as received
   */
  isLoop(location: string, hostHeader: string, path: string, query: string | undefined): boolean;
}

/** Result of `compileRoute`. Redirects extend it; location.ts explains why. */
export class DestinationRoute extends ForwardingDestination implements Route {
  readonly statusCode: RedirectAnswer['statusCode'];
  readonly head: string;

  constructor(
    parts: LocationParts,
    forwarding: Forwarding,
    readonly mayLoop: boolean,
    answer: RedirectAnswer,
  ) {
    super(parts, forwarding);
    this.statusCode = answer.statusCode;
    this.head = answer.head;
  }

  get readsPath(): boolean {
    return this.mayLoop || this.pathForwarding;
  }

  get readsQuery(): boolean {
    return this.mayLoop || this.queryForwarding;
  }

  isLoop(location: string, hostHeader: string, path: string, query: string | undefined): boolean {
    return this.mayLoop && isRequestedUrl(location, hostHeader, path, query);
  }
}
