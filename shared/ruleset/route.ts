import type { LocationParts } from './destination-parts.js';
import { type CompiledDestination, type Forwarding, ForwardingDestination } from './location.js';
import type { RedirectAnswer } from './redirect-answer.js';
import { isRequestedUrl } from './requested-url.js';

/** One way on from a redirect, to its own destination or to that of a rule, and how it is answered. Immutable. */
export interface Route extends CompiledDestination, RedirectAnswer {
  /** Whether `location` or `isLoop` looks at the request's path; if not, any string will do. */
  readonly readsPath: boolean;
  /** Whether `location` or `isLoop` looks at the request's query; if not, undefined will do. */
  readonly readsQuery: boolean;
  /** Whether the destination lies on the redirect's own host, so that `isLoop` has something to find. */
  readonly mayLoop: boolean;
  /**
   * Whether `location` is the URL that was requested, so that sending it would send the visitor in a circle.
   *
   * @param hostHeader the request's `Host` as it was on the wire
   */
  isLoop(location: string, hostHeader: string, path: string, query: string | undefined): boolean;
}

/** The result of `compileRoute`. Redirects extend it; location.ts says why. */
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
