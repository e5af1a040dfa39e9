/** Shapes of the API's answers, as far as the console reads them. `/openapi.json` describes them in full. */

export type RedirectStatus = 'pending' | 'active' | 'disabled' | 'scheduled' | 'ended';
export type RedirectType = 'permanent' | 'temporary';

export interface VerificationRecord {
  readonly recordType: 'TXT';
  readonly name: string;
  readonly value: string;
}

export interface AnalyticsUsage {
  readonly recordedHits: number;
  readonly estimatedTotalHits: number;
  readonly planLimit: number;
  readonly usagePercentage: number;
  readonly limitStatus: 'within_limit' | 'approaching_limit' | 'limit_reached';
  readonly canRecordMore: boolean;
}

export interface Certificate {
  readonly host: string;
  readonly state: 'waiting_for_dns' | 'ordering' | 'issued' | 'renewing' | 'failed';
  readonly source: 'acme' | 'uploaded' | 'directory';
  readonly issuer: string | null;
  readonly notBefore: string | null;
  readonly notAfter: string | null;
  readonly names: readonly string[];
  readonly lastError: { readonly code: string; readonly message: string; readonly at: string } | null;
  readonly nextAttemptAt: string | null;
}

export interface DnsRecord {
  readonly type: string;
  readonly name: string;
  readonly value: string;
}

export interface CertificateDetail extends Certificate {
  readonly dns: { readonly required: readonly DnsRecord[]; readonly found: readonly DnsRecord[] };
}

export type AfterEnd = { readonly statusCode: 410 } | { readonly url: string };

export interface Hsts {
  readonly maxAge: number;
  readonly includeSubDomains?: boolean;
  readonly preload?: boolean;
}

export interface Redirect {
  readonly id: string;
  readonly fromDomain: string;
  readonly toDomain: string;
  readonly redirectType: RedirectType;
  readonly statusCode: number;
  readonly pathForwarding: boolean;
  readonly queryForwarding: boolean;
  readonly samplingRate: number;
  readonly cacheSeconds: number;
  readonly queryRecording: 'full' | 'names' | 'none';
  readonly enabled: boolean;
  readonly tags: readonly string[];
  readonly note: string;
  readonly externalId: string | null;
  readonly startsAt: string | null;
  readonly endsAt: string | null;
  readonly afterEnd: AfterEnd | null;
  readonly responseHeaders: Readonly<Record<string, string>>;
  readonly appendQuery: Readonly<Record<string, string>>;
  readonly httpsMode: 'both' | 'upgrade' | 'off';
  readonly hsts: Hsts | null;
  readonly certificate: Certificate | null;
  readonly pathCount: number;
  readonly version: number;
  readonly isVerified: boolean;
  readonly status: RedirectStatus;
  readonly verification: VerificationRecord;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly verifiedAt: string | null;
  readonly analyticsUsage: AnalyticsUsage;
}

export interface CursorPage<T> {
  readonly data: readonly T[];
  readonly page: { readonly limit: number; readonly nextCursor: string | null };
}

export interface RedirectPage extends CursorPage<Redirect> {
  readonly total?: number;
  /** Present if there can be more redirects than were counted. */
  readonly countLimit?: number;
  readonly facets?: {
    readonly status: Readonly<Record<string, number>>;
    readonly tags: Readonly<Record<string, number>>;
  };
}

export interface VerificationReport {
  readonly domain: string;
  readonly isVerified: boolean;
  readonly status: {
    readonly success: boolean;
    readonly title: string;
    readonly summary: string;
    readonly detail: string;
  };
  readonly required: VerificationRecord & { readonly action: string };
  readonly found: readonly string[];
  readonly instructions: {
    readonly title: string;
    readonly steps: readonly { readonly step: number; readonly description: string }[];
  };
  readonly checkedAt: string;
}

export interface BulkReport {
  readonly summary: { readonly total: number; readonly failed: number };
  readonly results: readonly {
    readonly row: number;
    readonly status: string;
    readonly id?: string;
    readonly error?: { readonly message: string };
  }[];
}

export interface PathEntry {
  readonly id: number;
  readonly source: string;
  readonly query: Readonly<Record<string, string | boolean>> | null;
  readonly destination: string | null;
  readonly statusCode: number;
  readonly queryForwarding: 'inherit' | boolean;
  readonly pathEnding: PathEnding;
  readonly enabled: boolean;
  readonly note: string;
  readonly hitCount: number;
  readonly lastHitAt: string | null;
}

/** Comparison of the end of a path. */
export type PathEnding = 'inherit' | 'exact' | 'below';

export interface PathOptions {
  readonly ignoreCase: boolean;
  readonly ignoreTrailingSlash: boolean;
  readonly unmatched: 'destination' | 'not_found' | 'gone';
}

export interface PathPage extends CursorPage<PathEntry> {
  readonly options: PathOptions;
}

export interface TestedPath {
  readonly url: string;
  readonly entryId: number | null;
  readonly source: string | null;
  readonly statusCode: number;
  readonly location: string | null;
  readonly reason: 'exact' | 'pattern' | 'rule' | 'destination' | 'not_found' | 'gone';
}

export interface ExplainedRule {
  readonly ruleId: number;
  readonly ruleName: string;
  readonly outcome:
    | 'matched'
    | 'not_matched'
    | 'not_started'
    | 'ended'
    | 'not_reached'
    | 'inactive'
    | 'draft';
  readonly conditions: readonly {
    readonly index: number;
    readonly attribute: string;
    readonly operator: string;
    readonly matched: boolean;
  }[];
}

export interface RuleTest {
  readonly result: {
    readonly url: string;
    readonly statusCode: number;
    readonly ruleId: number;
    readonly ruleName: string;
    readonly variant?: string;
    readonly triggered: boolean;
    readonly message: string;
  } | null;
  readonly message: string;
  readonly explanation?: readonly ExplainedRule[];
}
