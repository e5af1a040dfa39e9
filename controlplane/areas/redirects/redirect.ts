import type { RedirectStatusCode } from '../../../shared/rules/redirect-status.js';
import type { QueryRecording, RedirectType } from '../../../shared/ruleset/redirect-definition.js';
import type { AfterEnd, Hsts, NotFound } from '../../../shared/ruleset/redirect-options.js';
import { takeRandomBytes } from '../../storage/postgres/new-id.js';

/** `both` serves HTTP and HTTPS, `upgrade` redirects HTTP to HTTPS, `off` serves HTTP alone. */
export const HTTPS_MODES = ['both', 'upgrade', 'off'] as const;
export type HttpsMode = (typeof HTTPS_MODES)[number];

/** Settings of a redirect that its owner chooses. */
export interface RedirectSettings {
  readonly toDomain: string;
  /** Follows from `statusCode`: 301 and 308 are permanent, 302 and 307 temporary. */
  readonly redirectType: RedirectType;
  readonly statusCode: RedirectStatusCode;
  readonly pathForwarding: boolean;
  readonly queryForwarding: boolean;
  readonly samplingRate: number;
  /** Time that caches may keep an answer; 0 forbids caching. */
  readonly cacheSeconds: number;
  readonly queryRecording: QueryRecording;
  readonly enabled: boolean;
  readonly tags: readonly string[];
  readonly note: string;
  /** Id that the owner gave; unique among the redirects of the user. */
  readonly externalId: string | null;
  readonly startsAt: Date | null;
  readonly endsAt: Date | null;
  /** Answer after `endsAt`; null for 404. */
  readonly afterEnd: AfterEnd | null;
  /** Answer to requests that match no entry in the table of paths; null for 404. */
  readonly notFound: NotFound | null;
  readonly responseHeaders: Readonly<Record<string, string>>;
  /** Query parameters, decoded, for requests without a parameter of that name. */
  readonly appendQuery: Readonly<Record<string, string>>;
  readonly httpsMode: HttpsMode;
  readonly hsts: Hsts | null;
  /** Name of the query parameter that gets an id of each visit; null for none. */
  readonly clickIdParam: string | null;
}

/** Settings with their destination hosts, in the form of `Redirect.fromDomain`. */
export interface StoredSettings extends RedirectSettings {
  readonly toHost: string;
  /** Host of the URL in `afterEnd`; null without one. */
  readonly afterEndHost: string | null;
}

/** A stored redirect. */
export interface Redirect extends StoredSettings {
  readonly id: string;
  readonly userId: string;
  readonly fromDomain: string;
  readonly verificationValue: string;
  readonly verifiedAt: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** Grows with each change. */
  readonly version: number;
  /** Entries of its table of paths. */
  readonly pathCount: number;
  /** Examples that its changes must keep. */
  readonly exampleCount: number;
}

/** A value for the TXT record that proves a domain. It is not guessable. */
export function newVerificationValue(): string {
  return `waymark-verify=${takeRandomBytes(20).toString('hex')}`;
}
