import { type CompiledDestination, compileDestination } from './location.js';
import type { RedirectDefinition, RedirectType } from './redirect-definition.js';
import { isRequestedUrl } from './requested-url.js';

/** What the answer says besides its location. */
interface Answer {
  readonly statusCode: 301 | 302;
  readonly statusLine: '301 Moved Permanently' | '302 Found';
  readonly cacheControl: 'public, max-age=300' | 'no-store';
}

/** A redirect prepared for answering: everything that does not depend on the request is worked out. Immutable. */
export interface CompiledRedirect extends Answer {
  readonly id: string;
  readonly host: string;
  /** Share of requests whose hit is recorded, 0 to 1. */
  readonly samplingRate: number;
  /** Whether `location` or `isLoop` looks at the request's path; if not, any string will do. */
  readonly readsPath: boolean;
  /** Whether `location` or `isLoop` looks at the request's query; if not, undefined will do. */
  readonly readsQuery: boolean;
  /** Whether a destination lies on the redirect's own host, so that `isLoop` has something to find. */
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

const ANSWERS: Readonly<Record<RedirectType, Answer>> = {
  permanent: {
    statusCode: 301,
    statusLine: '301 Moved Permanently',
    cacheControl: 'public, max-age=300',
  },
  temporary: { statusCode: 302, statusLine: '302 Found', cacheControl: 'no-store' },
};

/** Prepares `definition` for answering. Never throws. */
export function compileRedirect(definition: RedirectDefinition): CompiledRedirect {
  return new SingleDestinationRedirect(definition);
}

// A class for the same reason as in location.ts: one shape and shared methods for every redirect.
class SingleDestinationRedirect implements CompiledRedirect {
  readonly id: string;
  readonly host: string;
  readonly statusCode: Answer['statusCode'];
  readonly statusLine: Answer['statusLine'];
  readonly cacheControl: Answer['cacheControl'];
  readonly samplingRate: number;
  readonly readsPath: boolean;
  readonly readsQuery: boolean;
  readonly mayLoop: boolean;
  readonly constantLocation: string | undefined;
  private readonly destination: CompiledDestination;

  constructor(definition: RedirectDefinition) {
    const answer = ANSWERS[definition.redirectType];
    this.id = definition.id;
    this.host = definition.host;
    this.statusCode = answer.statusCode;
    this.statusLine = answer.statusLine;
    this.cacheControl = answer.cacheControl;
    this.samplingRate = definition.samplingRate;
    this.destination = compileDestination(definition.destination, definition);
    this.mayLoop = this.destination.host === definition.host;
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
