import type { LocationParts } from './destination-parts.js';
import { escapeForwarded } from './header-bytes.js';

/** Parts of a request that a destination uses. */
export interface Forwarding {
  readonly pathForwarding: boolean;
  readonly queryForwarding: boolean;
}

/** A prepared destination. Composing a `Location` takes one concatenation. Immutable. */
export interface CompiledDestination extends Forwarding {
  /**
   * Returns the value of `Location`: printable ASCII without spaces, for any arguments.
   *
   * @param path the request path as received, neither decoded nor normalised
   * @param query the raw query without its `?`; undefined and empty both mean none
   * @param hostHeader the request's `Host`; only destinations with `{host.1}` read it
   */
  location(path: string, query: string | undefined, hostHeader?: string): string;
}

/**
 * Composes locations and keeps every byte: nothing is decoded, re-encoded, normalised or reordered. Three kinds of
 * bytes change: those that a header cannot contain, a `#` in a forwarded part, and the letters of an
 * internationalised host. `location-corpus.json` lists the results case by case. Never throws.
 *
 * This is a class to extend, for speed. All destinations share one method, which keeps the call site monomorphic.
 * Subclasses extend it instead of holding it, because each further object costs a fetch from memory: visitors of many
 * hosts find little of a host in the processor's caches.
 */
export class ForwardingDestination implements CompiledDestination {
  readonly pathForwarding: boolean;
  readonly queryForwarding: boolean;
  /** Used when the request adds no path. */
  private readonly base: string;
  /** Used when it does. */
  private readonly joint: string;
  /** The destination's own query, with its `?`; empty without. */
  private readonly query: string;
  protected readonly fragment: string;

  constructor({ base, joint, query, fragment }: LocationParts, forwarding: Forwarding) {
    this.pathForwarding = forwarding.pathForwarding;
    this.queryForwarding = forwarding.queryForwarding;
    this.base = base;
    this.joint = joint;
    this.query = query;
    this.fragment = fragment;
  }

  location(path: string, query: string | undefined, _hostHeader?: string): string {
    const head = this.pathForwarding ? this.withPath(path) : this.base;
    if (!this.queryForwarding || query === undefined || query === '') {
      return head + this.query + this.fragment;
    }
    return head + this.queryLead() + escapeForwarded(query) + this.fragment;
  }

  private withPath(path: string): string {
    if (path === '/' || path === '') return this.base;
    // `OPTIONS *` has a target without a slash. Appended unchanged, it would become part of the host.
    const separator = path.startsWith('/') ? '' : '/';
    return this.joint + separator + escapeForwarded(path);
  }

  /** Separator between the path and a forwarded query. */
  private queryLead(): string {
    const { query } = this;
    if (query === '') return '?';
    return query === '?' ? '?' : `${query}&`;
  }
}
