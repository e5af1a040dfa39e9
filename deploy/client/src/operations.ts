// Generated from the OpenAPI document by `npm run client:types`. Do not edit.

/** A body that is sent as it is. */
export type RawBody = string | Uint8Array | Blob | ReadableStream<Uint8Array>;

export type AbTestAction = {
  type: "ab_test";
  /** Variants with distinct names and percentages that sum to 100. Missing switches and statuses come from the action. */
  variants: Variant[];
  /** Default: the setting of the redirect. */
  pathForwarding?: boolean;
  /** Default: the setting of the redirect. */
  queryForwarding?: boolean;
  /** Status of the answer. Default: 302. */
  statusCode?: 301 | 302 | 307 | 308;
  /** Memory of a visitor's result. `cookie`: for 30 days. `visitor`: by a keyed hash of address and user agent. Default: `cookie`. */
  sticky?: "cookie" | "visitor" | "none";
};

export type AccessToken = {
  id: string;
  name: string;
  scopes: Scope[];
  /** `null` means unlimited. */
  expiresAt: string | null;
  lastUsedAt: LastUsedAt;
  createdAt: string;
};

export type Account = {
  user: User;
  /** Time when the account will be erased after its deletion. `null` means never. */
  eraseAt: string | null;
  plan: Plan;
  usage: {
    /** Sum of `redirectsUsed` and `redirectsPending`. */
    redirects: number;
    /** Number of active redirects. `maxRedirects` also limits pending ones. */
    redirectsUsed: number;
    /** Number of redirects whose domain is not verified yet. */
    redirectsPending: number;
    /** Limit of the plan. -1 means unlimited. */
    maxRedirects: number;
    /** Whether the plan allows another redirect. */
    canCreateRedirect: boolean;
    /** Events recorded in this billing period. */
    totalAnalyticsEvents: number;
    lastUsageUpdate: string;
  };
  /** Same as `user.isEmailVerified`. */
  isEmailVerified: boolean;
  /** Whether the user can log in with a password. */
  hasPassword: boolean;
  /** Whether the user operates this installation. */
  isOperator: boolean;
  isOnTrial: boolean;
  /** Null if not on trial. */
  trialEndsAt: string | null;
  /** Whether a payment failed and the plan still applies for its grace period. */
  isInGracePeriod: boolean;
};

export type AddRedirectRequest = {
  fromDomain: FromDomain;
  toDomain: ToDomain;
  redirectType?: RedirectType;
  /** Appends the request path to the destination. */
  pathForwarding?: boolean;
  /** Appends the query string to the destination. */
  queryForwarding?: boolean;
  samplingRate?: SamplingRate;
  cacheSeconds?: CacheSeconds;
  queryRecording?: QueryRecording;
  statusCode?: StatusCode;
  enabled?: Enabled;
  tags?: string[];
  note?: string;
  externalId?: ExternalId;
  startsAt?: StartsAt;
  endsAt?: EndsAt;
  afterEnd?: AfterEnd;
  notFound?: NotFound;
  responseHeaders?: ResponseHeaders;
  appendQuery?: AppendQuery;
  httpsMode?: HttpsMode;
  hsts?: Hsts;
  clickIdParam?: ClickIdParam;
};

/** Answer after `endsAt`: 410, or 302 to this URL without path, query, headers or rules of the redirect. `null` means 404. */
export type AfterEnd = { statusCode?: 410; url?: string } | null;

export type AnalyticsUsage = {
  /** Hits recorded this month. */
  recordedHits: number;
  /** Estimate of all hits of this month, weighted by the sampling rate of each hit. */
  estimatedTotalHits: number;
  samplingRate: number;
  /** Month as YYYY-MM in UTC. */
  month: string;
  /** Monthly limit of recorded events. -1 means unlimited. */
  planLimit: number;
  usagePercentage: number;
  limitStatus: "within_limit" | "approaching_limit" | "limit_reached";
  canRecordMore: boolean;
};

/** Query parameters for every destination, including those of rules. A parameter of the request with the same name wins. Names and values are not encoded. */
export type AppendQuery = Record<string, string>;

export type Attribute = "country" | "region" | "city" | "device_type" | "device_brand" | "device_model" | "browser_name" | "browser_version" | "os_name" | "os_version" | "referrer" | "referrer_domain" | "hour_of_day" | "day_of_week" | "language" | "url_path" | "query_param" | "user_agent" | "ip_address";

export type AttributeCategory = {
  name: string;
  description: string;
  /** Emoji of the category. */
  icon: string;
  /** Name of a Lucide icon. */
  iconName: string;
  attributes: RuleAttribute[];
};

export type AttributeValue = {
  /** The value to use in a condition. */
  value: string;
  /** Label for people. */
  label: string;
  /** `analytics`: recorded hits have it. `predefined`: a common value without hits. */
  source: "predefined" | "analytics";
  /** Number of recorded hits with this value. */
  count?: number;
};

export type AuditEntry = {
  id: string;
  at: string;
  by: ChangedBy;
  action: string;
  resource: {
    type: "redirect" | "token" | "session" | "account" | "webhook_endpoint" | "certificate" | "import" | "subscription" | "payment";
    /** `null` where the entry is about several resources. */
    id: string | null;
    /** Domain, name or URL. */
    name: string | null;
    count: number;
  };
  /** Version of the redirect that the change made. */
  version: number | null;
  summary: string;
};

export type Basic = { bots: Bots; series: Series };

export type BasicStats = { data: BasicStatsData; meta: StatsMeta };

export type BasicStatsData = {
  /** Sum of `botHits` and `humanHits`. */
  totalHits: number;
  uniqueVisitors: UniqueVisitors;
  /** Hits of known bots. */
  botHits: number;
  humanHits: HumanHits;
  /** `totalHits` divided by the days of the period. */
  avgHitsPerDay: number;
  /** Hits of the busiest day. */
  peakHits: number;
  /** Start of the day with the most hits. */
  peakDate: string | null;
  /** Percentage of hits answered with 2xx or 3xx. */
  successRate: number;
};

export type BotStats = { data: BotStatsData; meta: StatsMeta };

export type BotStatsData = {
  /** Sorted by hits, then by reason. */
  bots: Array<{
    /** `user-agent`, `head`, `prefetch`, `preview` or `unknown`. */
    botReason: string;
    /** Hits of bots with this reason. */
    hits: number;
    /** Distinct bots. */
    uniqueVisitors: number;
    /** Percentage of the hits of all bots. */
    percentage: number;
  }>;
  /** All days of the period. */
  daily: Array<{
    /** Date in the time zone of the request. */
    date: string;
    /** Hits of bots. */
    hits: number;
    /** Distinct bots. */
    uniqueVisitors: number;
  }>;
  summary: {
    /** Sum of `botHits` and `humanHits`. */
    totalHits: number;
    /** Hits of known bots. */
    botHits: number;
    humanHits: HumanHits;
    /** Percentage of `botHits` in `totalHits`. */
    botsPercentage: number;
    /** The most frequent value. */
    topBotReason: string | null;
  };
};

/** Whether the totals (or lists, without totals) include bots. */
export type Bots = "included" | "excluded";

export type BrokenDestination = {
  url: string;
  /** Status of the last answer; null without one. */
  statusCode: number | null;
  /** Reason for which there was no answer. `address_refused`: the host is in a private network. */
  error: "address_refused" | "name_not_resolved" | "timed_out" | "connection_failed" | "tls_failed" | "certificate_expired" | "redirect_loop" | "too_many_redirects" | "invalid_redirect" | null;
  /** Failed checks in a row. */
  failures: number;
  /** First of the failed checks. */
  failingSince: string | null;
  /** Last check; null before the first one. */
  checkedAt: string | null;
  /** Redirects that lead there. 1000: at least as many. */
  redirectCount: number;
  /** The first 5 of them. */
  redirects: Array<{
    id: string;
    fromDomain: string;
    userId: string;
    /** Address of the owner. */
    email: string | null;
  }>;
};

export type BrokenExample = {
  /** Name of the example. */
  name: string;
  /** Expected and received answer, and the reason for the difference. */
  message: string;
};

export type BrowserFamilyStats = { data: BrowserFamilyStatsData; meta: UnmatchedPathStatsMeta };

export type BrowserFamilyStatsData = {
  /** Sorted by hits, then by key. */
  browserFamilies: Array<{
    /** Name, or `unknown`. */
    browser: string;
    /** Excludes bots unless `includeBots`. */
    hits: number;
    uniqueVisitors: UniqueVisitors;
    percentage: Percentage;
  }>;
  summary: {
    /** Number of rows, including those beyond the end of the list. */
    totalBrowserFamilies: number;
    /** The most frequent known value. */
    topBrowser: string | null;
  };
};

/** Seconds that caches may keep a permanent answer. Default: 300. 0 forbids it. Temporary answers, and those with active rules, are never cached. */
export type CacheSeconds = number;

export type CampaignStats = { data: CampaignStatsData; meta: UnmatchedPathStatsMeta };

export type CampaignStatsData = {
  /** Sorted by hits, then by key. Hits without any of these parameters are left out. */
  campaigns: Array<{
    /** `utm_source`, or null. */
    source: string | null;
    /** `utm_medium`, or null. */
    medium: string | null;
    /** `utm_campaign`, or null. */
    campaign: string | null;
    /** `utm_term`, or null. */
    term: string | null;
    /** `utm_content`, or null. */
    content: string | null;
    /** Excludes bots unless `includeBots`. */
    hits: number;
    uniqueVisitors: UniqueVisitors;
    percentage: Percentage;
  }>;
  summary: {
    totalHits: TotalHits;
    /** Hits with a campaign, including rows beyond the end of the list. */
    campaignHits: number;
    /** Number of rows, including those beyond the end of the list. */
    totalCampaigns: number;
    /** The most frequent source over all campaigns. */
    topSource: string | null;
    /** The most frequent medium. */
    topMedium: string | null;
    /** The most frequent campaign. */
    topCampaign: string | null;
    /** Percentage of hits with a campaign. */
    coverage: number;
  };
};

export type CancelSubscriptionRequest = {
  /** Whether to end the subscription at once, which cannot be undone. Default: false, at the end of the period. */
  immediately?: boolean;
  /** Feedback, or `null`. */
  reason?: string | null;
};

export type Certificate = {
  host: string;
  state: CertificateState;
  source: "acme" | "uploaded" | "directory";
  issuer: CertificateIssuer;
  /** Start of the validity period. */
  notBefore: NullableTime;
  /** End of the validity period. */
  notAfter: NullableTime;
  /** DNS names in the certificate. */
  names: string[];
  lastError: CertificateLastError;
  /** Expected time of the next attempt or, for an issued certificate, of the renewal. */
  nextAttemptAt: NullableTime;
};

export type CertificateDetail = Certificate & {
  dns: {
    /** DNS records that point the host to this server. */
    required: DnsRecord[];
    /** DNS records found by the last check. */
    found: DnsRecord[];
  };
  /** Reasons why some visitors may not accept the certificate. It is served nevertheless. */
  warnings: CertificateWarning[];
};

export type CertificateFailure = {
  code: "DNS_NOT_POINTED" | "CAA_FORBIDS" | "DNS_UNAVAILABLE" | "VALIDATION_FAILED" | "RATE_LIMITED" | "CA_UNAVAILABLE" | "CA_REFUSED" | "ACCOUNT_REFUSED" | "KEY_LOST" | "INTERNAL_ERROR";
  /** The problem and what to do. */
  message: string;
  at: string;
};

/** Issuer of the certificate. */
export type CertificateIssuer = string | null;

/** Reason for the failure of the last attempt. */
export type CertificateLastError = CertificateFailure | null;

/** `waiting_for_dns`: DNS does not point here yet. `ordering`: an order is in progress. `issued`: served. `renewing`: served and being replaced. `failed`: see `lastError`. */
export type CertificateState = "waiting_for_dns" | "ordering" | "issued" | "renewing" | "failed";

export type CertificateToCheck = Certificate & {
  /** Owner of the redirect. Null for certificates of TLS_CERTIFICATES_DIR. */
  userId: string | null;
  /** Address of the owner. */
  email: string | null;
};

export type CertificateWarning = {
  code: "UNTRUSTED_ISSUER" | "UNSUPPORTED_CURVE";
  message: string;
};

export type ChangeManyRedirectsRequest = {
  /** An operation has `op` (default: `create`) and members of a redirect. `update` and `delete` find the redirect by `id`, otherwise by `externalId`, otherwise by `fromDomain`. Read-only members are ignored. `update` replaces objects such as `afterEnd` as a whole, and `null` sets the default. */
  operations: unknown[];
};

export type ChangeManyRedirectsResponse = {
  dryRun: boolean;
  /** Whether changes were made. */
  applied: boolean;
  summary: ChangeManyRedirectsResponseSummary;
  /** One result per operation, in the same order. */
  results: ChangeManyRedirectsResponseResult[];
};

export type ChangeManyRedirectsResponse422 = {
  error: ChangeManyRedirectsResponse422Error;
  dryRun?: boolean;
  /** Whether changes were made. */
  applied?: boolean;
  summary?: ChangeManyRedirectsResponseSummary;
  /** One result per operation, in the same order. */
  results?: ChangeManyRedirectsResponseResult[];
};

export type ChangeManyRedirectsResponse422Error = { message: string; code: string; field?: string };

export type ChangeManyRedirectsResponseResult = {
  /** Position of the operation, starting with 1. */
  row: number;
  op: "create" | "update" | "delete";
  /** Result of the operation. If `applied` is false, it has not happened. */
  status: "created" | "updated" | "deleted" | "unchanged" | "failed";
  /** Id of the redirect. */
  id?: string;
  error?: VerifyDomainsResponseError;
};

export type ChangeManyRedirectsResponseSummary = {
  total: number;
  created: number;
  updated: number;
  deleted: number;
  unchanged: number;
  failed: number;
};

export type ChangePasswordRequest = {
  currentPassword: string;
  /** 8 to 200 characters. Spaces at both ends count. */
  newPassword: string;
};

export type ChangeRedirectPathOptionsRequest = { options: Options };

export type ChangeRedirectPathOptionsResponse = { options: PathOptions };

/** Members without a type here are read-only and ignored. */
export type ChangeRedirectRequest = {
  /** Must be the id in the path. */
  id?: string;
  fromDomain?: FromDomain;
  toDomain?: ToDomain;
  redirectType?: RedirectType;
  /** Appends the request path to the destination. */
  pathForwarding?: boolean;
  /** Appends the query string to the destination. */
  queryForwarding?: boolean;
  samplingRate?: SamplingRate;
  cacheSeconds?: CacheSeconds;
  queryRecording?: QueryRecording;
  statusCode?: StatusCode;
  enabled?: Enabled;
  tags?: string[];
  note?: string;
  externalId?: ExternalId;
  startsAt?: StartsAt;
  endsAt?: EndsAt;
  afterEnd?: AfterEnd;
  notFound?: NotFound;
  responseHeaders?: ResponseHeaders;
  appendQuery?: AppendQuery;
  httpsMode?: HttpsMode;
  hsts?: Hsts;
  clickIdParam?: ClickIdParam;
  isVerified?: unknown;
  status?: unknown;
  verification?: unknown;
  userID?: unknown;
  createdAt?: unknown;
  updatedAt?: unknown;
  verifiedAt?: unknown;
  analyticsUsage?: unknown;
  certificate?: unknown;
  pathCount?: unknown;
  version?: unknown;
};

/** Members without a type here are read-only and ignored. */
export type ChangeRuleRequest = {
  name?: string;
  description?: Description;
  type?: "force" | "percentage" | "ab_experiment";
  conditionLogic?: ConditionLogic;
  priority?: Priority;
  /** Only active rules are evaluated. */
  status?: "active" | "inactive" | "draft";
  metadata?: RuleMetadata;
  /** An empty list matches every visitor. */
  conditions?: NewRuleCondition[];
  action?: RuleAction;
  startDate?: StartDate;
  endDate?: EndDate;
  id?: unknown;
  redirectId?: unknown;
  hitCount?: unknown;
  createdBy?: unknown;
  createdAt?: unknown;
  updatedAt?: unknown;
};

export type ChangeSinceDraft = { path: string; before: unknown; after: unknown };

/** Author of the change. All members are `null` for the service itself and for an unknown author. */
export type ChangedBy = {
  userId: string | null;
  email: string | null;
  /** Id of the access token or session. */
  tokenId: string | null;
  /** Address that the request came from. */
  address: string | null;
};

export type Checkout = {
  id: string;
  /** Same as `id`. */
  checkoutId: string;
  checkoutUrl: string;
  status: "open" | "complete" | "expired";
  planId: string;
  /** Null until the checkout is complete. */
  subscriptionId: string | null;
  expiresAt: string;
  createdAt: string;
  completedAt: NullableTime;
  /** Amount due at payment, before discount and tax, in the smallest currency unit. 0 if a trial begins. For a plan change it is the price of the plan; Stripe deducts what was already paid. */
  amount: number;
  discountAmount: number;
  taxAmount: number;
  /** `amount` minus `discountAmount` plus `taxAmount`. */
  totalAmount: number;
  /** ISO 4217 code in lower case. */
  currency: string;
  /** Name from the payment page. Null until the payment, and in the sandbox. */
  customerName: string | null;
  customerEmail: string | null;
  product: { name: string; recurringInterval: "month" | "year" };
};

/** Query parameter that every destination on another host gets, with an id of the visit for conversions of experiments. No cache keeps the answers then. `null`: none. */
export type ClickIdParam = string | null;

export type CompareStagedRedirectPathsResponse = {
  summary: {
    added: number;
    changed: number;
    removed: number;
    unchanged: number;
  };
  options: { live: PathOptions; staged: PathOptions };
  /** Changed entries, sorted by source. */
  data: PathDifference[];
  page: Page;
};

export type CompareVersionsResponse = { changes: StateDifference[]; page: Page };

export type ComparisonStats = { data: ComparisonStatsData; meta: ComparisonStatsMeta };

export type ComparisonStatsData = {
  /** Both periods, the one with more hits first. */
  periods: Array<{
    period: "current" | "previous";
    /** First millisecond of the period. */
    start: string;
    /** Last millisecond of the period. */
    end: string;
    /** Excludes bots unless `includeBots`. */
    hits: number;
    uniqueVisitors: UniqueVisitors;
    /** Percentage of the hits of both periods. */
    percentage: number;
  }>;
  summary: {
    current: BasicStatsData;
    previous: BasicStatsData;
    change: {
      /** Change of `totalHits` from the previous period, in percent. */
      hits: number | null;
      /** Change of `uniqueVisitors` from the previous period, in percent. */
      uniqueVisitors: number | null;
      /** Change of `botHits` from the previous period, in percent. */
      botHits: number | null;
      /** Change of `humanHits` from the previous period, in percent. */
      humanHits: number | null;
      /** Change of `avgHitsPerDay` from the previous period, in percent. */
      avgHitsPerDay: number | null;
    };
  };
};

export type ComparisonStatsMeta = StatsMeta & {
  /** Period for the comparison. Expired hits do not count. */
  previousPeriod: Period;
};

export type Condition = {
  /** Index of the condition in the rule. */
  index: number;
  attribute: Attribute;
  operator: Operator;
  param?: string;
  timezone?: string;
  matched: boolean;
};

/** `AND`: all conditions must match. `OR`: at least one must match. */
export type ConditionLogic = "AND" | "OR";

export type Conversion = {
  /** Your id of the conversion. Each id counts once for an experiment. */
  id: string;
  /** `visitorId` of a hit of this rule. */
  visitorId?: string;
  /** Value of the query parameter that `clickIdParam` of the redirect names. */
  clickId?: string;
  /** Name of the goal; it must not begin with `visit:`. */
  goal: string;
  /** Time of the conversion, ISO 8601, not in the future. Default: now. */
  at?: string;
  /** Revenue, in a unit of your choice. */
  value?: number;
};

export type ConversionsAnswer = {
  /** Stored now. */
  accepted: number;
  /** Known ids; nothing changed. */
  duplicates: number;
  /** Visitors or clicks that this rule has no recorded visit of. Not stored: they can be sent again. */
  unknown: number;
};

export type CreateAccessTokenRequest = {
  /** Purpose of the token, in your words. */
  name: string;
  /** Permissions of the token. Default: those of the token of this request. */
  scopes?: Scope[];
  /** Lifetime in days. Default, and with `null`: unlimited. */
  expiresInDays?: number | null;
};

export type CreateCheckoutRequest = {
  /** Id of a plan from `GET /user/plans`. A malformed id gets 400 `INVALID_PLAN_ID`, an unknown one 404 `PLAN_NOT_FOUND`. */
  planId: string;
  /** URL after the payment. Default, and with `null`: `DASHBOARD_URL?checkout_id=…`. Accepts only origins of `DASHBOARD_URL` and `CORS_ORIGINS`. `{CHECKOUT_ID}` is replaced by the id of the checkout. */
  successUrl?: string | null;
  /** URL after a cancellation. Default, and with `null`: `DASHBOARD_URL`. Accepts only origins of `DASHBOARD_URL` and `CORS_ORIGINS`. `{CHECKOUT_ID}` is replaced by the id of the checkout. */
  cancelUrl?: string | null;
};

export type CreateCheckoutResponse = {
  success: boolean;
  /** Text for people. It names usage above the limits of the plan. */
  message: string;
  data: { checkoutUrl: string; checkoutId: string; expiresAt: string };
};

export type CreatePortalSessionRequest = {
  /** Absolute http or https URL that the portal links back to. Default, and with `null`: the dashboard. */
  returnUrl?: string | null;
};

export type CreatePortalSessionResponse = {
  success: boolean;
  /** Text for people. It names usage above the limits of the plan. */
  message: string;
  data: { portalUrl: string; expiresAt: string };
};

export type CreateRedirectRuleRequest = {
  name: string;
  type: "force" | "percentage" | "ab_experiment";
  action: RuleAction;
  description?: Description;
  conditionLogic?: ConditionLogic;
  priority?: Priority;
  /** Only active rules are evaluated. */
  status?: "active" | "inactive" | "draft";
  metadata?: RuleMetadata;
  /** An empty list matches every visitor. */
  conditions?: NewRuleCondition[];
  startDate?: StartDate;
  endDate?: EndDate;
};

export type CreateTakedownRequest = {
  /** Host of redirects. */
  host?: string;
  /** Destination host of redirects or their rules. */
  destinationHost?: string;
  /** Reason for the log and for the owner. */
  reason: string;
};

export type CreateWebhookEndpointRequest = {
  /** Receives the messages. It must be https on a public address, with port 443 or 1024 and above. */
  url: string;
  /** Events that the endpoint receives. */
  events: EventType[];
};

export type CreatedAccessToken = AccessToken & { /** The token. It is shown only once. */ token: string };

export type CreatedTakedown = Takedown & {
  /** Number of published redirects that it concerns. */
  redirects: number;
};

export type CreatedWebhookEndpoint = WebhookEndpoint & {
  /** Key of the message signatures (Standard Webhooks). It is shown only once. */
  secret: string;
};

export type Dashboard = { data: DashboardData; meta: ComparisonStatsMeta };

export type DashboardData = {
  overview: {
    /** All hits. Includes bots unless `includeBots=false`. */
    totalHits: number;
    uniqueVisitors: UniqueVisitors;
    /** Percentage of hits of known bots. */
    botsPercentage: number;
    /** `totalHits` divided by the days of the period. */
    avgHitsPerDay: number;
    /** Percentage of hits answered with 2xx or 3xx. */
    successRate: number;
    change: {
      /** Change of `totalHits` from the previous period, in percent. */
      hits: number | null;
      /** Change of `uniqueVisitors` from the previous period, in percent. */
      uniqueVisitors: number | null;
    };
  };
  /** Country codes (ISO 3166-1 alpha-2), without unknown countries. The first 10, sorted by hits, then by name. */
  topCountries: Array<{
    country: string;
    /** Excludes bots unless `includeBots`. */
    count: number;
    percentage: Percentage;
  }>;
  /** Types of device, including `unknown`. The first 10, sorted by hits, then by name. */
  topDevices: Array<{
    device: string;
    /** Excludes bots unless `includeBots`. */
    count: number;
    percentage: Percentage;
  }>;
  /** Names of browsers, including `unknown`. The first 10, sorted by hits, then by name. */
  topBrowsers: Array<{
    browser: string;
    /** Excludes bots unless `includeBots`. */
    count: number;
    percentage: Percentage;
  }>;
  /** Domains, or `direct`, `search`, `social` or `unknown`. The first 10, sorted by hits, then by name. */
  topReferrers: Array<{
    referrer: string;
    /** Excludes bots unless `includeBots`. */
    count: number;
    percentage: Percentage;
  }>;
  /** Deciding rules. The first 10, sorted by hits, then by name. */
  topRules: Array<{
    ruleId: number;
    name: string;
    /** Excludes bots unless `includeBots`. */
    count: number;
    percentage: Percentage;
  }>;
  /** All days of the period, including days without hits. */
  dailyTrends: Array<{
    /** Date in the time zone of the request. */
    date: string;
    /** Hits. Includes bots unless `includeBots=false`. */
    count: number;
  }>;
};

export type Dataplane = {
  /** Id of the process. A restarted process has a new id. */
  id: string;
  /** Host name of the machine. */
  host: string;
  /** Process id on the machine. */
  pid: number;
  /** Ruleset that it serves, as `epoch.seq`. Null if it serves none. */
  version: string | null;
  /** Number of hosts it serves. Absent if its release does not report it. */
  hosts?: number;
  /** `cold`: serves nothing yet. `live`: serves the latest ruleset. `resync`: missed changes and is catching up. `stale`: serves the last good ruleset, unconfirmed. */
  state: "cold" | "live" | "resync" | "stale";
  /** Time from the last confirmation of the ruleset to the report. Null while `cold`. */
  ageMs: number | null;
  /** Number of changes that the data plane has not served yet. Null if it serves nothing, or a ruleset of another epoch. */
  behind: number | null;
  /** Error since the last successful update. */
  lastError?: string;
  startedAt: string;
  reportedAt: string;
};

export type DeleteAccountRequest = { password?: string };

export type DeleteAccountResponse = { message: string; eraseAt: string };

/** `null` is stored as an empty string. */
export type Description = string | null;

export type Destination = {
  url: string;
  usedBy: Array<"redirect" | "afterEnd" | "rule" | "path">;
  health: "ok" | "broken" | "unknown";
  /** Status of the last answer; null without one. */
  statusCode: number | null;
  /** Reason for which there was no answer. `address_refused`: the host is in a private network. */
  error: "address_refused" | "name_not_resolved" | "timed_out" | "connection_failed" | "tls_failed" | "certificate_expired" | "redirect_loop" | "too_many_redirects" | "invalid_redirect" | null;
  /** Redirects that the check followed, at most 10. */
  redirects: Array<{ statusCode: number; location: string }>;
  /** First certificate on the way to expire; null without TLS. */
  tlsExpiresAt: string | null;
  responseTimeMs: number | null;
  /** Failed checks in a row. */
  failures: number;
  /** First of the failed checks. */
  failingSince: string | null;
  /** Last check; null before the first one. */
  checkedAt: string | null;
  nextCheckAt: string;
};

export type DestinationUrlStats = { data: DestinationUrlStatsData; meta: UnmatchedPathStatsMeta };

export type DestinationUrlStatsData = {
  /** Sorted by hits, then by key. Answers without a `Location` are left out. */
  destinationUrls: Array<{
    /** `Location` of the answers. */
    destinationUrl: string;
    /** Excludes bots unless `includeBots`. */
    hits: number;
    uniqueVisitors: UniqueVisitors;
    percentage: Percentage;
  }>;
  summary: {
    totalHits: TotalHits;
    /** Hits with a destination, including rows beyond the end of the list. */
    sentHits: number;
    /** Number of destinations, including those beyond the end of the list. */
    totalDestinationUrls: number;
    /** The first row of the list. */
    topDestinationUrl: string | null;
    /** Percentage of hits with a destination. */
    coverage: number;
  };
};

export type DeviceCategoryStats = { data: DeviceCategoryStatsData; meta: StatsMeta };

export type DeviceCategoryStatsData = {
  /** Sorted by hits, then by key. */
  deviceCategories: Array<{
    /** `mobile`, `tablet`, `desktop`, `unknown` or a rarer type. */
    device: string;
    /** Excludes bots unless `includeBots`. */
    hits: number;
    uniqueVisitors: UniqueVisitors;
    percentage: Percentage;
  }>;
  summary: {
    /** Number of rows. */
    totalDeviceCategories: number;
    /** The most frequent known type. */
    topDevice: string | null;
    /** Percentage of mobile phones, without tablets. */
    mobilePercentage: number;
    /** Percentage of tablets. */
    tabletPercentage: number;
    /** Percentage of desktop computers. */
    desktopPercentage: number;
  };
};

export type DeviceStats = { data: DeviceStatsData; meta: StatsMeta };

export type DeviceStatsData = {
  /** Sorted by hits, then by name. */
  devices: Array<{
    type: string;
    /** Excludes bots unless `includeBots`. */
    hits: number;
    /** Percentage of all these hits. */
    percentage: number;
  }>;
  /** Sorted by hits, then by name. At most 1000. */
  operatingSystems: OperatingSystem[];
  /** Sorted by hits, then by name. At most 1000. */
  browsers: OperatingSystem[];
  summary: {
    /** Percentage of mobile phones, without tablets. */
    mobilePercentage: number;
    /** Percentage of desktop computers. */
    desktopPercentage: number;
    /** The most frequent known type of device. */
    topDevice: string | null;
    /** The most frequent known operating system, with its version. */
    topOS: string | null;
    /** The most frequent known browser, with its version. */
    topBrowser: string | null;
  };
};

export type DnsRecord = {
  type: "A" | "AAAA" | "CNAME" | "CAA";
  name: string;
  value: string;
};

/** The required record and the records in DNS. */
export type DnsRecords = {
  type: "TXT";
  /** Full name of the required record. */
  name: string;
  /** Same as `found`. */
  addresses: string[];
  /** Whether the domain is registrable itself and no subdomain. */
  isRootDomain: boolean;
  isVerified: boolean;
};

export type Draft = {
  redirectId: string;
  /** Settings, as `PATCH /redirects/{id}` takes them. */
  redirect?: Record<string, unknown>;
  /** All rules. */
  rules?: WholeRule[];
  paths?: StageRedirectPathsRequest;
  /** Version of the redirect that the draft was made from. */
  baseVersion: number;
  /** Version of the redirect now. */
  currentVersion: number;
  /** Time of publication; `null` if none is planned. */
  publishAt: string | null;
  /** Why the last publication at a time failed. */
  lastError: DraftFailure | null;
  /** Why the draft would be refused if it were published now. Empty if it would be accepted. */
  errors: Array<{
    code: string;
    message: string;
    /** Path in the draft: `rules.3.action.url`. */
    field?: string;
  }>;
  /** Examples that pass now and would fail after the change, at most 100. */
  brokenExamples: BrokenExample[];
  diagnostics: PathDiagnostic[];
  createdAt: string;
  updatedAt: string;
  updatedBy: {
    userId: string;
    /** E-mail address at that time. */
    email: string | null;
    /** Id of the access token or session. */
    tokenId: string | null;
  };
};

export type DraftFailure = {
  code: string;
  message: string;
  /** Path in the draft: `rules.3.action.url`. */
  field?: string;
  at: string;
};

export type DraftOutdated = {
  error: ChangeManyRedirectsResponse422Error;
  baseVersion?: number;
  currentVersion?: number;
  /** Changes since the draft was made, at most 50. `GET /redirects/{id}/versions/{currentVersion}/diff?against={baseVersion}` lists all. `null` if the base version is no longer kept. */
  changes?: ChangeSinceDraft[] | null;
};

export type DraftTestResult = {
  /** Destination of the visitor, including forwarding. */
  url: string;
  /** Status of the answer. It is 508 if `url` is the requested URL. */
  statusCode: 301 | 302 | 307 | 308 | 508;
  /** `null` for a rule that is new. */
  ruleId: number | null;
  ruleName: string;
  actionType: "redirect" | "percentage_redirect" | "ab_test";
  /** Configured percentage of a percentage rule. */
  percentage?: number;
  /** Name of the variant of an A/B test. */
  variant?: string;
  /** Whether the rule redirects. False for a visitor outside the percentage, whose `url` is the destination of the redirect. */
  triggered: boolean;
  userAttributes: UserAttributes;
  message: string;
};

export type DuplicateRuleResponse = { message: string; rule: Rule };

/** Whether visitors are redirected. If false, they get 404. */
export type Enabled = boolean;

/** Last moment (inclusive). A date alone means the whole day (UTC). `null` means no end. */
export type EndDate = string | null;

export type EndOtherSessionsResponse = { message: string; ended: number };

/** Visitors get `afterEnd` from this time on. `null` means no end. */
export type EndsAt = string | null;

export type EntryStats = { data: EntryStatsData; meta: UnmatchedPathStatsMeta };

export type EntryStatsData = {
  /** Sorted by hits, then by id. */
  entries: Array<{
    entryId: number;
    /** Null if the entry was deleted. */
    source: string | null;
    /** Destination as its owner wrote it. Null for 410 and for a deleted entry. */
    destination: string | null;
    /** Recorded hits of the period that the entry decided. Excludes bots unless `includeBots`. */
    hits: number;
    /** Percentage of the hits that an entry decided. */
    percentage: number;
    /** Last hit over all time, independent of the sampling rate. Null if there was none. */
    lastHitAt: string | null;
  }>;
  /** Entries that no request has ever used, sorted by id. */
  neverHit: Array<{
    entryId: number;
    /** Null if the entry was deleted. */
    source: string | null;
    /** Destination as its owner wrote it. Null for 410 and for a deleted entry. */
    destination: string | null;
  }>;
  summary: {
    /** Current number of entries in the table. */
    totalEntries: number;
    /** Number of entries with hits in the period, including deleted ones. */
    entriesHit: number;
    /** Total number, including entries beyond the end of the list. */
    entriesNeverHit: number;
    /** Hits of the period that an entry decided. */
    totalHits: number;
  };
};

/** The body of every error. */
export type Error = {
  error: {
    /** The problem and what the API accepts. */
    message: string;
    /** - `INVALID_REQUEST` (400): The request itself is malformed: JSON, content type, path or query.
     * - `INVALID_PLAN_ID` (400): This is not the id of a plan that can be subscribed to.
     * - `SUBSCRIPTION_NOT_REACTIVATABLE` (400): Only a cancellation for the end of the period, which has not come yet, can be withdrawn.
     * - `MISSING_TOKEN` (401): No bearer token was sent.
     * - `INVALID_TOKEN` (401): The bearer token is malformed, unknown or deleted.
     * - `EXPIRED_TOKEN` (401): The bearer token is past its end.
     * - `INVALID_CREDENTIALS` (401): E-mail address and password do not match a user.
     * - `INSUFFICIENT_SCOPE` (403): The token lacks the scope this endpoint needs.
     * - `FORBIDDEN` (403): The resource exists and belongs to someone else.
     * - `REQUESTED_WITH_REQUIRED` (403): A change with the session cookie lacks the header `X-Requested-With: waymark`.
     * - `ACCOUNT_SUSPENDED` (403): The operator has suspended this account.
     * - `ACCOUNT_CLOSING` (403): The account waits for its deletion and can only be read.
     * - `SIGNUP_CLOSED` (403): This installation takes no new users.
     * - `PLAN_LIMIT_REACHED` (403): The plan allows no more of this.
     * - `PLAN_NOT_FOUND` (404): There is no plan with this id.
     * - `SUBSCRIPTION_NOT_FOUND` (404): There is no subscription to act on.
     * - `NOT_FOUND` (404): There is no such resource or path.
     * - `METHOD_NOT_ALLOWED` (405): The path has other methods; the header `Allow` lists them.
     * - `IDEMPOTENCY_CONFLICT` (409): A request with this Idempotency-Key is still being answered.
     * - `EXAMPLES_BROKEN` (409): The change breaks examples of the redirect; `brokenExamples` lists them, and `force=true` allows it.
     * - `PRECONDITION_FAILED` (412): The resource has changed since the version that `If-Match` names.
     * - `BODY_TOO_LARGE` (413): The request body is larger than the endpoint takes; most take 1 MiB.
     * - `BULK_REJECTED` (422): An operation of an `all_or_nothing` request failed, and nothing was changed. `results` says which and why.
     * - `VALIDATION_ERROR` (422): A field of a well-formed body breaks a rule; `field` names it.
     * - `REDIRECT_LOOP` (422): The destination would lead back to the domain, by itself or through other redirects and rules.
     * - `DOMAIN_TAKEN` (422): Another user has verified this domain.
     * - `DOMAIN_EXISTS` (422): You already have a redirect for this domain.
     * - `EXTERNAL_ID_EXISTS` (422): Another redirect of yours has this external id.
     * - `RATE_LIMIT_EXCEEDED` (429): Too many requests in this window, or too many questions or exports at a time; retry later.
     * - `INTERNAL_ERROR` (500): The server failed; the request id finds the cause in its log.
     * - `SERVICE_UNAVAILABLE` (503): A part the answer needs is not reachable; retry later. */
    code: "INVALID_REQUEST" | "INVALID_PLAN_ID" | "SUBSCRIPTION_NOT_REACTIVATABLE" | "MISSING_TOKEN" | "INVALID_TOKEN" | "EXPIRED_TOKEN" | "INVALID_CREDENTIALS" | "INSUFFICIENT_SCOPE" | "FORBIDDEN" | "REQUESTED_WITH_REQUIRED" | "ACCOUNT_SUSPENDED" | "ACCOUNT_CLOSING" | "SIGNUP_CLOSED" | "PLAN_LIMIT_REACHED" | "PLAN_NOT_FOUND" | "SUBSCRIPTION_NOT_FOUND" | "NOT_FOUND" | "METHOD_NOT_ALLOWED" | "IDEMPOTENCY_CONFLICT" | "EXAMPLES_BROKEN" | "PRECONDITION_FAILED" | "BODY_TOO_LARGE" | "BULK_REJECTED" | "VALIDATION_ERROR" | "REDIRECT_LOOP" | "DOMAIN_TAKEN" | "DOMAIN_EXISTS" | "EXTERNAL_ID_EXISTS" | "RATE_LIMIT_EXCEEDED" | "INTERNAL_ERROR" | "SERVICE_UNAVAILABLE";
    /** Dotted path of the invalid member. */
    field?: string;
  };
  /** Examples that pass now and would fail after the change, at most 100. */
  brokenExamples?: BrokenExample[];
};

export type ErrorStats = { data: ErrorStatsData; meta: StatsMeta };

export type ErrorStatsData = {
  /** Sorted by hits, then by code. */
  errors: Array<{
    /** 4xx or 5xx. `hits?statusCode=` lists these hits. */
    statusCode: number;
    /** Excludes bots unless `includeBots`. */
    hits: number;
    uniqueVisitors: UniqueVisitors;
    /** Percentage of all errors. */
    percentage: number;
  }>;
  /** Sorted by hits, then by code. */
  successes: Array<{
    /** A status below 400. */
    statusCode: number;
    /** Excludes bots unless `includeBots`. */
    hits: number;
    uniqueVisitors: UniqueVisitors;
    /** Percentage of all successes. */
    percentage: number;
  }>;
  summary: {
    /** All hits, with or without errors. Includes bots unless `includeBots=false`. */
    totalHits: number;
    /** Hits answered with 4xx or 5xx. */
    errorHits: number;
    /** Hits answered with a status below 400. */
    successHits: number;
    /** Percentage of `errorHits` in `totalHits`. */
    errorRate: number;
    /** Percentage of `successHits` in `totalHits`. */
    successRate: number;
    /** The most frequent value. */
    topStatusCode: number | null;
  };
};

export type EventType = "subscription.confirmed" | "subscription.canceled" | "subscription.revoked" | "payment.failed" | "payment.disputed" | "payment.dispute_closed" | "domain.verified" | "domain.proof_missing" | "domain.unverified" | "redirect.taken_down" | "certificate.issued" | "certificate.failed" | "certificate.expiring" | "redirect.created" | "redirect.updated" | "redirect.deleted" | "rule.created" | "rule.updated" | "rule.deleted" | "usage.approaching_limit" | "usage.limit_reached" | "plan.excess_redirects" | "import.finished" | "destination.broken" | "destination.recovered" | "draft.failed";

export type Example = {
  /** Unique among the examples of the redirect. */
  name: string;
  request: ExampleRequest;
  expect: ExampleExpectation;
};

export type ExampleAnswer = {
  /** 508: the redirect leads to the requested URL. */
  statusCode: number;
  /** The `Location`; `null` without one. */
  location: string | null;
  /** Decided by a `rule`, a `path`, or the option `unmatched` of the paths (`destination`, `not_found`, `gone`). Without paths it is `destination`. `disabled`, `not_started`, `ended`: the state of the redirect. `https`: `httpsMode`. `method`: the method is not allowed. `too_long`: the request is too long for the rules. */
  reason: "rule" | "path" | "destination" | "not_found" | "gone" | "disabled" | "not_started" | "ended" | "https" | "method" | "too_long";
  /** Rule that matches. `null` also for a new rule of a draft. */
  ruleId: number | null;
  /** Its name. */
  ruleName: string | null;
  /** Variant of an A/B test. */
  variant: string | null;
  /** Source of the path that decides. */
  source: string | null;
};

/** `true`: the stored draft of the redirect. Otherwise a draft as `PUT /redirects/{id}/draft` takes it. Default: the redirect as it is. */
export type ExampleDraft = {
  redirect?: NewDraftRedirect;
  /** All rules, as `POST /redirects/{id}/rules` takes them. A rule with `id` stays the rule that it is and keeps its hits; one without is new; rules of the redirect that are not in the list are deleted. Rules are ordered by `priority`; one without it follows the rule before it in the list. */
  rules?: WholeRule[];
  /** All paths, and the options that change, as `PUT /redirects/{id}/paths` takes them. */
  paths?: StageRedirectPathsRequest;
} | boolean;

/** At least one member. All of them must hold for the same answer. */
export type ExampleExpectation = {
  statusCode?: number;
  /** The whole `Location`, byte by byte, without the id of `clickIdParam`. */
  location?: string;
  /** Name of the rule that decides. */
  ruleName?: string;
  /** No rule and no path matches. */
  noMatch?: true;
};

export type ExampleRequest = {
  /** URL with the host of the redirect. It is read as browsers do. */
  url: string;
  /** Default: `GET`. */
  method?: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS" | "TRACE" | "CONNECT";
  /** Headers that decisions read, with names in lower case. */
  headers?: {
    /** Languages of the visitor. Rules see the first choice. */
    "accept-language"?: string;
    /** Cookies. Choices are remembered in cookies with the name `wm_{ruleId}`. */
    cookie?: string;
    /** URL of the referring page. */
    referer?: string;
    /** Source of device, browser and operating system. */
    "user-agent"?: string;
  };
  /** Place and device of the visitor, as in the test of rules. */
  userAttributes?: {
    /** ISO 3166-1 alpha-2 code, upper-case, of the IP address. Default: from `ip_address`. */
    country?: string;
    /** English name of the state or region; known with a city database. Default: from `ip_address`. */
    region?: string;
    /** English name of the city; known with a city database. Default: from `ip_address`. */
    city?: string;
    /** Kind of device, such as mobile. Default: from `user_agent`. */
    device_type?: string;
    /** Manufacturer of the device. Default: from `user_agent`. */
    device_brand?: string;
    /** Model of the device. Default: from `user_agent`. */
    device_model?: string;
    /** Name of the browser. Default: from `user_agent`. */
    browser_name?: string;
    /** Compared segment by segment as numbers: 9.2 is less than 10. Default: from `user_agent`. */
    browser_version?: string;
    /** Name of the operating system. Default: from `user_agent`. */
    os_name?: string;
    /** Compared segment by segment as numbers: 9.2 is less than 10. Default: from `user_agent`. */
    os_version?: string;
    /** IPv4 or IPv6 address. */
    ip_address?: string;
  };
  /** Time of the visit. Default: the time of the check. */
  at?: string | null;
  /** Makes the choices of percentages and A/B tests repeatable, as in the test of rules. Without it and without a cookie, each possible choice is tried, and one must meet the expectation. */
  visitorId?: string;
};

export type ExampleResult = {
  name: string;
  status: "passed" | "failed";
  /** Answers that such a visitor can get: more than one if a percentage or an A/B test decides. */
  received: ExampleAnswer[];
  /** Expected and received answer, and why. `null` if the example passes. */
  message: string | null;
};

export type ExperimentMeta = {
  ruleId: number;
  redirectId: string;
  period: {
    /** First moment. */
    start: string;
    /** Last moment. */
    end: string;
  };
  windowDays: number | null;
  effectPercent: number;
  bots: "included" | "excluded";
  /** Last change of variants, weights or destinations in the period. */
  changedAt: string | null;
  /** Visitors left out: a variant that the rule did not have then, or a time before it was an experiment. */
  unassigned: number;
  sampling: {
    /** Lowest sampling rate of the counted hits. */
    rate: number;
    /** Hits of the rule in the period, with those of bots. */
    recordedHits: number;
    /** Estimate of all visits. */
    estimatedTotalHits: number;
    /** Effect of sampling on this result. */
    note: string | null;
  };
};

export type ExperimentResults = {
  /** The baseline first. */
  variants: ExperimentVariant[];
  /** Variant that the others are compared with: the first; `out` of a percentage. */
  baseline: string;
  /** Distinct visitors of all variants. */
  visitors: number;
  /** Visitors who were sent to more than one variant. Each counts once, for the variant of the first visit. */
  mixed: number;
  /** Smallest sequential p-value, corrected for the number of variants. It stays valid however often somebody looks. 1 while there is too little data. */
  pValue: number;
  sampleRatio: ExperimentSampleRatio;
  /** Visitors of all variants with which an effect of `effectPercent` is found with a probability of 80 %. null while it cannot be known. */
  neededVisitors: number | null;
  /** `not enough data yet`, `NAME is better`, `no difference found`, or `sample ratio mismatch: …` with likely causes. */
  verdict: string;
  /** Reason of the verdict, in sentences. */
  explanation: string;
  /** As asked; null for posted conversions of any goal. */
  goal: string | null;
  /** Goals of posted conversions, the most frequent first; up to 100. */
  goals: Array<{
    goal: string;
    /** Posted, whether they count here or not. */
    conversions: number;
  }>;
  /** Parts of the period between changes of variants, weights or destinations, oldest first; empty if there was none. The members beside this one are about the last part. A visitor belongs to the part of the first visit. */
  segments: ExperimentSegment[];
  /** Bots by variant, in the whole period. */
  bots: Array<{
    variant: string;
    /** Hits of bots. */
    hits: number;
    /** Distinct bots. */
    visitors: number;
  }>;
  meta: ExperimentMeta;
};

/** null unless values were posted. */
export type ExperimentRevenue = {
  /** Sum of the values of all counted conversions. */
  total: number;
  /** Mean; visitors without a value count as 0. */
  perVisitor: number;
  interval: [number, number] | null;
  /** `perVisitor` minus that of the baseline. */
  difference: number | null;
  differenceInterval: [number, number] | null;
};

export type ExperimentSampleRatio = {
  /** Whether visitors are shared as the weights say. */
  ok: boolean;
  /** Sequential; below 0.001 is an alarm. */
  pValue: number;
};

export type ExperimentSegment = {
  /** First moment. */
  start: string;
  /** Last moment. */
  end: string;
  /** The baseline first. */
  variants: ExperimentVariant[];
  /** Variant that the others are compared with: the first; `out` of a percentage. */
  baseline: string;
  /** Distinct visitors of all variants. */
  visitors: number;
  /** Visitors who were sent to more than one variant. Each counts once, for the variant of the first visit. */
  mixed: number;
  /** Smallest sequential p-value, corrected for the number of variants. It stays valid however often somebody looks. 1 while there is too little data. */
  pValue: number;
  sampleRatio: ExperimentSampleRatio;
  /** Visitors of all variants with which an effect of `effectPercent` is found with a probability of 80 %. null while it cannot be known. */
  neededVisitors: number | null;
  /** `not enough data yet`, `NAME is better`, `no difference found`, or `sample ratio mismatch: …` with likely causes. */
  verdict: string;
  /** Reason of the verdict, in sentences. */
  explanation: string;
};

export type ExperimentVariant = {
  /** Name of the variant; `in` or `out` of a percentage. */
  name: string;
  /** Share of the visitors in percent, as the rule says. */
  weight: number;
  /** Distinct visitors who were sent to this variant first. */
  visitors: number;
  /** Visitors among these who got another variant later. */
  mixed: number;
  /** Visitors among these with at least one conversion. */
  conversions: number;
  /** `conversions` of `visitors`; 0 without visitors. */
  rate: number;
  /** 95 % interval of `rate` (Wilson), for one look. */
  interval: [number, number];
  /** Change against the rate of the baseline: 0.1 is 10 % more. */
  lift: number | null;
  liftInterval: [number, number] | null;
  /** Rate minus the rate of the baseline. */
  difference: number | null;
  differenceInterval: [number, number] | null;
  /** Sequential p-value against the baseline, for this variant alone. */
  pValue: number | null;
  /** Probability to have the highest rate of all variants. */
  probabilityBest: number;
  revenue: ExperimentRevenue | null;
};

export type ExplainHitRequest = {
  /** Id of a hit, as `GET /analytics/redirect/{id}/hits` shows it. */
  hitId: string;
};

export type ExplainedDraftRule = {
  /** `null` for a rule that is new. */
  ruleId: number | null;
  ruleName: string;
  /** `not_reached`: an earlier rule decided. `inactive` and `draft`: not evaluated. */
  outcome: "matched" | "not_matched" | "not_started" | "ended" | "not_reached" | "inactive" | "draft";
  /** The evaluated conditions, in order. */
  conditions: Condition[];
  /** Index of the condition that decided the match. Null if none did. */
  decidedBy: number | null;
};

export type ExplainedRule = {
  ruleId: number;
  ruleName: string;
  /** `not_reached`: an earlier rule decided. `inactive` and `draft`: not evaluated. */
  outcome: "matched" | "not_matched" | "not_started" | "ended" | "not_reached" | "inactive" | "draft";
  /** The evaluated conditions, in order. */
  conditions: Condition[];
  /** Index of the condition that decided the match. Null if none did. */
  decidedBy: number | null;
};

/** Id in your own system, unique among your redirects. */
export type ExternalId = string | null;

export type Fallback = { /** `null` means 404. */ url: string | null };

/** Domain or subdomain without protocol and path. */
export type FromDomain = string;

export type GeoStats = { data: GeoStatsData; meta: GeoStatsMeta };

export type GeoStatsData = {
  /** Known locations, sorted by hits, then by code. At most 1000. */
  locations: Array<{
    /** Country: ISO 3166-1 alpha-2. Region: `DE-Bavaria`. City: `DE-Bavaria-Munich`, or `DE--Munich` if the region is unknown. */
    code: string;
    /** English name. */
    name: string;
    /** Hits from this location. Excludes bots unless `includeBots`. */
    hits: number;
    /** Distinct visitors from this location. */
    uniqueVisitors: number;
    /** Percentage of the hits with a known location. */
    percentage: number;
    /** Position in degrees. Known for most countries, and for cities if the geographic database has them. */
    coordinates?: { latitude: number; longitude: number };
  }>;
  summary: {
    /** Number of locations, including those beyond the end of the list. */
    totalLocations: number;
    /** Name of the first location. */
    topLocation: string | null;
    /** Percentage of hits with a known location. */
    coverage: number;
  };
};

export type GeoStatsMeta = StatsMeta & { groupBy: "country" | "region" | "city" };

export type GetBillingSummaryResponse = {
  success: boolean;
  /** Text for people. It names usage above the limits of the plan. */
  message: string;
  data: {
    currentPlan: Plan;
    subscription: {
      id: string;
      status: "active" | "trialing" | "canceled" | "revoked" | "past_due" | "incomplete" | "incomplete_expired";
      currentPeriodEnd: string;
      cancelAtPeriodEnd: boolean;
      isTrialing: boolean;
      trialEnd: NullableTime;
    } | null;
    /** The five newest transactions. */
    recentTransactions: Transaction[];
    usageStats: UsageStats;
  };
};

export type GetCheckoutResponse = {
  success: boolean;
  /** Text for people. It names usage above the limits of the plan. */
  message: string;
  data: Checkout;
};

export type GetHealthResponse = { status: string };

export type GetReadinessResponse503 = {
  ready: boolean;
  parts: Record<string, boolean>;
  /** Unavailable parts, with what to do. */
  reasons?: Record<string, string>;
};

export type GetStagedRedirectPathsResponse = {
  data: PathEntrySettings[];
  page: Page;
  options: PathOptions;
  summary: ReplaceRedirectPathsResponseSummary;
  createdAt: string;
};

export type GetSubscriptionResponse = {
  success: boolean;
  /** Text for people. It names usage above the limits of the plan. */
  message: string;
  data: {
    /** Null without a subscription that gives access. */
    subscription: Subscription | null;
  };
};

export type Hit = {
  /** Unique id of the hit. */
  id: string;
  /** Time of the answer. */
  timestamp: string;
  /** Host of the request in lower case, without port. Hits of a wildcard from earlier releases have its name. */
  host: string;
  /** Path of the request. */
  path: string;
  /** Query of the request without `?`, or an empty string. Masked values are `***`; see `queryRecording` of redirects. */
  query: string;
  /** `Location` of the answer. Its query is recorded like `query`. */
  destinationUrl: string | null;
  statusCode: number;
  /** Id of the rule that decided. */
  ruleId: number | null;
  /** Id of the path table entry that decided, alone or after a percentage had let the visitor pass. */
  entryId: number | null;
  /** Name of the variant of an A/B test. */
  variant: string | null;
  /** ISO 3166-1 alpha-2 code. */
  country: string | null;
  /** English name. */
  region: string | null;
  /** English name. */
  city: string | null;
  /** `mobile`, `tablet`, `desktop` or a rarer type. */
  deviceType: string | null;
  /** Manufacturer of the device. */
  deviceBrand: string | null;
  /** Model of the device. */
  deviceModel: string | null;
  /** Name of the browser. */
  browser: string | null;
  /** Version number. */
  browserVersion: string | null;
  /** Name of the operating system. */
  os: string | null;
  /** Version number. */
  osVersion: string | null;
  /** Preferred language of `Accept-Language`. */
  language: string | null;
  /** `Referer` of the request. User information is masked, and its query is recorded like `query`. */
  referrer: string | null;
  /** Registrable domain of the referrer. */
  referrerDomain: string | null;
  /** `search`, `social`, `direct`, `email`, `paid`, `website` or `unknown`. */
  referrerType: string;
  isBot: boolean;
  /** Reason for counting as a bot: `user-agent`, `head`, `prefetch` or `preview`. */
  botReason: string | null;
  /** Address truncated to /24 (IPv4) or /48 (IPv6). */
  ipAddress: string | null;
  /** `User-Agent` of the request. */
  userAgent: string | null;
  /** Pseudonym of the visitor, valid for one calendar month (UTC) and for your redirects only. */
  visitorId: string;
  /** Campaign parameters of the query. */
  utm: {
    /** `utm_source` parameter, decoded. */
    source: string | null;
    /** `utm_medium` parameter. */
    medium: string | null;
    /** `utm_campaign` parameter. */
    campaign: string | null;
    /** `utm_term` parameter. */
    term: string | null;
    /** `utm_content` parameter. */
    content: string | null;
  };
  /** Version of the ruleset that answered. */
  rulesetVersion: string;
};

/** Delivery of the hits of this redirect, over all time. `lost` excludes what a killed data plane recorded since its last flush, at most 20 ms. */
export type HitDelivery = {
  /** Hits that data planes chose to record. */
  recorded: number;
  /** Recorded hits that are stored. */
  delivered: number;
  /** Surplus copies of stored hits. */
  duplicated: number;
  /** Recorded hits that are not stored: dropped from a full buffer, or still missing although later hits have arrived. */
  lost: number;
};

export type HitExplanation = {
  hitId: string;
  timestamp: string;
  /** Version of the ruleset that answered. */
  rulesetVersion: string;
  /** Version of the redirect that answered; null when it is not known. */
  version: number | null;
  /** Version that is evaluated: the current one if the other is not known. */
  explainedVersion: number;
  received: ReplayedAnswer;
  /** The redirect was changed since, or may have been. */
  definitionChanged: boolean;
  /** `reproduced`: the version gives this answer again. `differs`: it gives `answer`. `unknown`: `notRecorded` decides. */
  outcome: "reproduced" | "differs" | "unknown";
  answer: ReplayedAnswer | null;
  /** Active rules in their order, up to the one that decides. */
  rules: Array<{
    ruleId: number;
    ruleName: string;
    /** null: what the hit does not hold decides. */
    matched: boolean | null;
    /** true for the first rule that matches. */
    decided: boolean;
    /** false: its dates did not include the visit. */
    isLive: boolean;
    conditions: Array<{
      index: number;
      attribute: string;
      operator: string;
      param?: string;
      value: unknown;
      /** Recorded value of the attribute; the network of an address. */
      actual: unknown;
      /** null: what the hit does not hold decides. */
      matched: boolean | null;
    }>;
  }>;
  /** Choice of a percentage or an A/B test. */
  choice: {
    sticky: "cookie" | "visitor" | "none";
    /** Number from 0 to 1. */
    draw: number | null;
    /** Range of draws that get the same outcome: from the first number on, below the second. */
    bucket: [number, number] | null;
    /** Whether a cookie decided. */
    remembered: boolean | null;
    variant: string | null;
  } | null;
  /** Entry of paths that decided. */
  entry: { id: number; source: string | null } | null;
  notRecorded: Array<{
    attribute: string;
    reason: "not_recorded" | "shortened" | "masked" | "not_drawn" | "refused";
  }>;
};

export type Hits = {
  /** Newest first. */
  data: Hit[];
  pagination: Pagination;
  meta: StatsMeta;
};

export type HourlyStats = { data: HourlyStatsData; meta: StatsMeta };

export type HourlyStatsData = {
  /** All 24 hours, each summed over the period, sorted by hits. */
  hours: Array<{
    /** Hour of the day. 8 means 08:00 to 08:59. */
    hour: number;
    /** Excludes bots unless `includeBots`. */
    hits: number;
    uniqueVisitors: UniqueVisitors;
    /** Percentage of all these hits. */
    percentage: number;
  }>;
  summary: {
    /** Sum of all hours. */
    totalHits: number;
    /** Hits of the busiest hour. */
    peakHits: number;
    /** The busiest hour. */
    peakHour: number | null;
    /** `totalHits` divided by 24. */
    avgHits: number;
  };
};

/** `Strict-Transport-Security` over HTTPS. `maxAge` is required. The switches default to false. `preload: true` is your confirmation that browsers may build the host into their lists, which takes months to undo. */
export type Hsts = {
  maxAge: number;
  includeSubDomains?: boolean;
  preload?: boolean;
} | null;

/** `both`: HTTP and HTTPS. `upgrade`: HTTP redirects to HTTPS. `off`: no HTTPS. */
export type HttpsMode = "both" | "upgrade" | "off";

/** Hits that are not from known bots. */
export type HumanHits = number;

export type Import = {
  id: string;
  kind: "redirects" | "paths";
  format: "csv" | "ndjson" | "json" | "nginx" | "htaccess" | "netlify" | "cloudflare" | "vercel" | "caddy" | "shlink" | "yourls" | "bitly" | "wordpress";
  mode: "best_effort" | "all_or_nothing";
  dryRun: boolean;
  redirectId: string | null;
  state: "queued" | "running" | "finished" | "failed" | "canceled";
  /** Deleted redirects count as updated. With `dryRun`, the counts show what would happen. */
  rows: {
    total: number;
    done: number;
    created: number;
    updated: number;
    unchanged: number;
    failed: number;
    skipped: number;
  };
  rowsPerSecond: number;
  secondsLeft: number | null;
  error: ImportError;
  createdAt: string;
  startedAt: NullableTime;
  finishedAt: NullableTime;
};

/** Reason for the failure of the whole import. */
export type ImportError = { code: string; message: string; field?: string } | null;

export type ImportedRow = {
  /** Row number in the file, starting with 1. A header row does not count. */
  row: number;
  status: "created" | "updated" | "deleted" | "unchanged" | "failed" | "skipped";
  /** Text of the row in the file. */
  source: string;
  /** Reason for the failure or skip. */
  message: string | null;
  field?: string;
};

export type Index = {
  name: string;
  version: string;
  docs: string;
  openapi: string;
};

export type Instructions = {
  title: string;
  steps: Array<{ step: number; description: string }>;
};

export type LanguageStats = { data: LanguageStatsData; meta: UnmatchedPathStatsMeta };

export type LanguageStatsData = {
  /** Sorted by hits, then by key. Hits without a language are left out. */
  languages: Array<{
    /** Language tag (BCP 47), such as `de` or `en-US`. */
    language: string;
    /** English name, or the tag if it has no name. */
    name: string;
    /** Excludes bots unless `includeBots`. */
    hits: number;
    uniqueVisitors: UniqueVisitors;
    percentage: Percentage;
  }>;
  summary: {
    /** Number of languages, including those beyond the end of the list. */
    totalLanguages: number;
    /** The first row of the list. */
    topLanguage: string | null;
    /** Percentage of hits with a known language. */
    coverage: number;
  };
};

/** Rounded to the minute. `null` means unused. */
export type LastUsedAt = string | null;

export type ListAccessTokensResponse = { tokens: AccessToken[] };

export type ListAttributeValuesResponse = {
  attribute: Attribute;
  /** Recorded values first, the most frequent first. */
  values: AttributeValue[];
};

export type ListAuditEntriesResponse = { data: AuditEntry[]; page: Page };

export type ListBrokenDestinationsResponse = { data: BrokenDestination[]; page: Page };

export type ListCertificatesResponse = {
  data: CertificateDetail[];
  page: Page;
  total?: number;
  facets?: { state: Record<string, number> };
};

export type ListCertificatesToCheckResponse = { data: CertificateToCheck[]; page: Page };

export type ListDataplanesResponse = {
  /** Data planes that have reported recently. */
  dataplanes: Dataplane[];
  /** Newest ruleset, as `epoch.seq`. */
  head: string;
  /** Delivery of hits for the 64 most recent producers. Null if the statistics are unavailable. */
  producers: Producer[] | null;
};

export type ListImportRowsResponse = { data: ImportedRow[]; page: ListImportsResponsePage };

export type ListImportsResponse = { data: Import[]; page: ListImportsResponsePage };

export type ListImportsResponsePage = { limit: number; nextCursor: string | null };

export type ListOperatorLogResponse = { data: OperatorLogEntry[]; page: Page };

export type ListPlansResponse = { plans: Plan[]; message: string };

export type ListRedirectPathsResponse = { data: PathEntry[]; page: Page; options: PathOptions };

export type ListRedirectsResponse = {
  data: Array<{
    id?: string;
    fromDomain?: string;
    toDomain?: ToDomain;
    redirectType?: RedirectType;
    /** Appends the request path to the destination. */
    pathForwarding?: boolean;
    /** Appends the query string to the destination. */
    queryForwarding?: boolean;
    samplingRate?: SamplingRate;
    cacheSeconds?: CacheSeconds;
    queryRecording?: QueryRecording;
    statusCode?: StatusCode;
    enabled?: Enabled;
    tags?: string[];
    note?: string;
    externalId?: ExternalId;
    startsAt?: NullableTime;
    endsAt?: NullableTime;
    afterEnd?: AfterEnd;
    notFound?: NotFound;
    responseHeaders?: ResponseHeaders;
    appendQuery?: AppendQuery;
    httpsMode?: HttpsMode;
    hsts?: Hsts;
    clickIdParam?: ClickIdParam;
    isVerified?: boolean;
    status?: Status;
    verification?: VerificationRecord;
    userID?: string;
    createdAt?: string;
    updatedAt?: string;
    verifiedAt?: NullableTime;
    /** Certificate of the domain. */
    certificate?: Certificate | null;
    /** Number of entries in the path table. */
    pathCount?: number;
    /** Increases with each change of the redirect. */
    version?: number;
    analyticsUsage?: AnalyticsUsage;
    /** Present in lists of deleted redirects. */
    deletedAt?: string;
    /** End of the time for a restoration. Present in lists of deleted redirects. */
    restorableUntil?: string;
  }>;
  page: {
    limit: number;
    /** Null on the last page. */
    nextCursor: string | null;
  };
  total?: number;
  /** Present if not all redirects were counted. `facets` are then minimum numbers. With a filter, `total` is one too. */
  countLimit?: number;
  facets?: {
    status: Record<string, number>;
    /** The 100 most frequent tags. */
    tags: Record<string, number>;
  };
};

export type ListReplaysResponse = { data: ListedReplay[]; page: Page };

export type ListRuleAttributesResponse = {
  /** Attributes by category. */
  attributes: {
    geography: AttributeCategory;
    device: AttributeCategory;
    browser: AttributeCategory;
    system: AttributeCategory;
    traffic: AttributeCategory;
    time: AttributeCategory;
    language: AttributeCategory;
    url: AttributeCategory;
    technical: AttributeCategory;
  };
  operators: RuleOperator[];
};

export type ListRulesResponse = { rules: Rule[] };

export type ListSessionsResponse = { sessions: ListedSession[] };

export type ListTakedownsResponse = { data: Takedown[]; page: Page };

export type ListTransactionsResponse = {
  success: boolean;
  /** Text for people. It names usage above the limits of the plan. */
  message: string;
  data: {
    /** Newest first. */
    transactions: Transaction[];
    pagination: ListTransactionsResponsePagination;
  };
};

export type ListTransactionsResponsePagination = {
  page: number;
  limit: number;
  total: number;
  totalPages: number;
};

export type ListUsersResponse = { data: ListedUser[]; page: Page };

export type ListVersionsResponse = { data: Version[]; page: Page };

export type ListWebhookDeliveriesResponse = {
  data: WebhookDelivery[];
  pagination: ListTransactionsResponsePagination;
};

export type ListWebhookEndpointsResponse = { endpoints: WebhookEndpoint[] };

export type ListedReplay = {
  id: string;
  redirectId: string;
  state: "queued" | "running" | "finished" | "failed" | "canceled";
  progress: number;
  start: string;
  end: string;
  spec: {
    /** Origin of the definition: the stored draft, a draft in the request, or a version. */
    source: "stored_draft" | "draft" | "version";
    /** Version, or that below the draft. */
    version: number | null;
    /** Maximum visits to judge. */
    sample: number;
  };
  visits: Visits;
  /** Reason of a failure. */
  error: ImportError;
  createdAt: string;
  startedAt: NullableTime;
  finishedAt: NullableTime;
  /** Replaced by `spec.source`. null for a version. */
  draft: "stored" | "given" | null;
  /** Replaced by `spec.version`. */
  version: number | null;
  /** Replaced by `spec.sample`. */
  sample: number;
};

export type ListedSession = {
  id: string;
  /** `cookie`: from `POST /auth/session`. `token`: a login that returned a token. */
  kind: "cookie" | "token";
  /** `User-Agent` of the browser. */
  userAgent: string | null;
  /** Whether this request belongs to the session. */
  isCurrent: boolean;
  createdAt: string;
  lastUsedAt: LastUsedAt;
  expiresAt: string;
};

export type ListedUser = {
  id: string;
  email: string | null;
  isEmailVerified: boolean;
  createdAt: string;
  redirects: number;
  suspendedAt: NullableTime;
  suspensionReason: string | null;
  /** Time when the account will be erased after its deletion. */
  eraseAt: string | null;
};

export type MailAnswer = {
  message: string;
  /** `log`: without an SMTP server, the operator finds the link in the log. */
  delivery: "email" | "log";
};

export type Message = { message: string };

export type NewDraft = {
  redirect?: NewDraftRedirect;
  /** All rules, as `POST /redirects/{id}/rules` takes them. A rule with `id` stays the rule that it is and keeps its hits; one without is new; rules of the redirect that are not in the list are deleted. Rules are ordered by `priority`; one without it follows the rule before it in the list. */
  rules?: WholeRule[];
  /** All paths, and the options that change, as `PUT /redirects/{id}/paths` takes them. */
  paths?: StageRedirectPathsRequest;
  /** Version of the redirect that the draft was made from. Default: that of the draft before; without one, the current version. */
  baseVersion?: number;
  /** Ignored. */
  redirectId?: unknown;
  /** Ignored. */
  currentVersion?: unknown;
  /** Ignored. */
  publishAt?: unknown;
  /** Ignored. */
  lastError?: unknown;
  /** Ignored. */
  errors?: unknown;
  /** Ignored. */
  brokenExamples?: unknown;
  /** Ignored. */
  diagnostics?: unknown;
  /** Ignored. */
  createdAt?: unknown;
  /** Ignored. */
  updatedAt?: unknown;
  /** Ignored. */
  updatedBy?: unknown;
};

/** Settings, as `PATCH /redirects/{id}` takes them. */
export type NewDraftRedirect = {
  /** Must be the id in the path. */
  id?: string;
  fromDomain?: FromDomain;
  toDomain?: ToDomain;
  /** `permanent` means status 301 or 308, `temporary` 302 or 307; see `statusCode`. */
  redirectType?: "permanent" | "temporary" | null;
  /** Appends the request path to the destination. */
  pathForwarding?: boolean | null;
  /** Appends the query string to the destination. */
  queryForwarding?: boolean | null;
  /** Share of visits to record, from 0 (none) to 1 (all). */
  samplingRate?: number | null;
  /** Seconds that caches may keep a permanent answer. Default: 300. 0 forbids it. Temporary answers, and those with active rules, are never cached. */
  cacheSeconds?: number | null;
  /** Recorded parts of the query of requests, destinations and referrers. `full`: everything, with values of secrets (`token`, `password`, `api_key`, …) masked. `names`: all values masked, no campaigns. `none`: nothing. It affects later hits only, and never the redirect itself. */
  queryRecording?: "full" | "names" | "none" | null;
  /** HTTP status. It sets `redirectType`: 301 and 308 are permanent, 302 and 307 temporary. A change of `redirectType` alone sets 301 or 302. */
  statusCode?: 301 | 302 | 307 | 308 | null;
  /** Whether visitors are redirected. If false, they get 404. */
  enabled?: boolean | null;
  tags?: string[] | null;
  note?: string | null;
  externalId?: ExternalId | null;
  startsAt?: StartsAt | null;
  endsAt?: EndsAt | null;
  afterEnd?: UpdateRedirectRequestAfterEnd | null;
  notFound?: UpdateRedirectRequestNotFound | null;
  responseHeaders?: Record<string, string | null> | null;
  appendQuery?: Record<string, string | null> | null;
  /** `both`: HTTP and HTTPS. `upgrade`: HTTP redirects to HTTPS. `off`: no HTTPS. */
  httpsMode?: "both" | "upgrade" | "off" | null;
  hsts?: UpdateRedirectRequestHsts | null;
  clickIdParam?: ClickIdParam | null;
  isVerified?: unknown;
  status?: unknown;
  verification?: unknown;
  userID?: unknown;
  createdAt?: unknown;
  updatedAt?: unknown;
  verifiedAt?: unknown;
  analyticsUsage?: unknown;
  certificate?: unknown;
  pathCount?: unknown;
  version?: unknown;
};

export type NewExamples = { examples: Example[] };

export type NewPathEntry = {
  /** `/exact/path`, `/prefix/*`, or segments like `:id`. */
  source: string;
  /** Required query parameters. A value is a text (equals), `true` (present) or `false` (absent). */
  query?: Record<string, boolean | string> | null;
  /** An absolute URL, or a path on the destination of the redirect. Placeholders: `:id`, `*`, `{query.name}` and, for wildcard hosts, `{host.1}`. Null with `statusCode` 410. */
  destination?: string | null;
  /** Default: 301. */
  statusCode?: 301 | 302 | 307 | 308 | 410;
  /** `inherit` (default) uses the setting of the redirect. */
  queryForwarding?: "inherit" | true | false;
  /** How the end of the path is compared. `inherit` (default): by `ignoreTrailingSlash` of the table; `/prefix/*` also matches `/prefix`. `exact`: a slash at the end counts; `/prefix/*` matches `/prefix/` and everything below. `below`, only with `/*`: everything below, not `/prefix/` itself. */
  pathEnding?: "inherit" | "exact" | "below";
  /** Default: true. */
  enabled?: boolean;
  note?: string;
};

export type NewRuleCondition = {
  attribute: Attribute;
  operator: Operator;
  /** A string or a number. `in` and `not_in` take 1 to 1,000 values, `between` takes 2. `ip_range` takes `10.0.0.0/8`, `10.0.0.1-10.0.0.9` or 2 addresses. `exists` and `not_exists` ignore it. */
  value?: unknown;
  /** Name of the query parameter, case-sensitive. Required with `query_param`, and not accepted otherwise. */
  param?: string;
  /** IANA time zone for `hour_of_day` or `day_of_week`, including daylight saving time. Default: UTC. Other attributes do not take it. */
  timezone?: string;
};

/** Requests that no entry of the path table matches get 302 to this URL, if `unmatched` of the table is `not_found`. `null` means 404. */
export type NotFound = { url: string } | null;

export type NullableTime = string | null;

export type OpenSessionRequest = { email: string; password: string };

export type OpenSessionWithCodeRequest = { code: string };

export type OpenSessionWithTokenResponse = { expiresAt: string; user: User };

export type OperatingSystem = {
  /** Name, or `unknown`. */
  name: string;
  /** Version, or an empty string if unknown. */
  version: string;
  /** Excludes bots unless `includeBots`. */
  hits: number;
  /** Percentage of all these hits. */
  percentage: number;
};

/** Operator of a condition. `GET /rules/attributes` lists those of each attribute. */
export type Operator = "equals" | "not_equals" | "in" | "not_in" | "contains" | "not_contains" | "starts_with" | "ends_with" | "regex" | "greater_than" | "less_than" | "greater_equal" | "less_equal" | "between" | "ip_range" | "exists" | "not_exists";

export type OperatorLogEntry = {
  id: string;
  at: string;
  operatorId: string;
  operatorEmail: string | null;
  tokenId: string | null;
  action: "user.suspend" | "user.resume" | "takedown.create" | "takedown.lift" | "domain.release" | "epoch.begin";
  /** Id of the user, host or new ruleset. */
  subject: string;
  detail: Record<string, unknown>;
};

export type Options = {
  ignoreCase?: boolean;
  ignoreTrailingSlash?: boolean;
  /** Result for paths without an entry: the destination of the redirect, 404 or 410. */
  unmatched?: "destination" | "not_found" | "gone";
};

export type Page = {
  limit: number;
  /** `null` on the last page. */
  nextCursor: string | null;
};

export type Pagination = {
  page: number;
  limit: number;
  /** Total number of hits. */
  total: number;
  /** Number of pages. 0 without hits. */
  totalPages: number;
};

export type PathDiagnostic = {
  kind: "duplicate" | "unreachable" | "loop" | "chain" | "collapsed";
  source: string;
  other?: string;
  message: string;
};

export type PathDifference = {
  kind: "added" | "changed" | "removed";
  /** Null for an added entry. */
  live: PathEntrySettings | null;
  /** Null for a removed entry. */
  staged: PathEntrySettings | null;
};

export type PathEntry = PathEntrySettings & {
  id: number;
  /** Number of visits that the entry decided, independent of the sampling rate. */
  hitCount: number;
  lastHitAt: NullableTime;
  createdAt: string;
  updatedAt: string;
};

export type PathEntrySettings = {
  source: string;
  query: Query;
  destination: string | null;
  statusCode: 301 | 302 | 307 | 308 | 410;
  queryForwarding: "inherit" | true | false;
  pathEnding: "inherit" | "exact" | "below";
  enabled: boolean;
  note: string;
};

/** An entry as `POST /redirects/{id}/paths` takes it, with its id. */
export type PathEntryState = {
  id: number;
  source: string;
  query: Record<string, boolean | string> | null;
  destination: string | null;
  statusCode: 301 | 302 | 307 | 308 | 410;
  queryForwarding: "inherit" | true | false;
  pathEnding: "inherit" | "exact" | "below";
  enabled: boolean;
  note: string;
};

export type PathOptions = {
  ignoreCase: boolean;
  ignoreTrailingSlash: boolean;
  /** Result for paths without an entry: the destination of the redirect, 404 or 410. */
  unmatched: "destination" | "not_found" | "gone";
};

export type PathStats = { data: PathStatsData; meta: UnmatchedPathStatsMeta };

export type PathStatsData = {
  /** Sorted by hits, then by key. */
  paths: Array<{
    /** Path of the request without the query. */
    path: string;
    /** Excludes bots unless `includeBots`. */
    hits: number;
    uniqueVisitors: UniqueVisitors;
    percentage: Percentage;
  }>;
  summary: {
    /** Number of paths, including those beyond the end of the list. */
    totalPaths: number;
    /** The first row of the list. */
    topPath: string | null;
  };
};

export type PeakTrafficStats = { data: PeakTrafficStatsData; meta: UnmatchedPathStatsMeta };

export type PeakTrafficStatsData = {
  /** Hours of the period with hits, sorted by hits, then by time. */
  peaks: Array<{
    /** Start of an hour. The period may begin within it. */
    timestamp: string;
    /** Excludes bots unless `includeBots`. */
    hits: number;
    uniqueVisitors: UniqueVisitors;
    /** Percentage of the hits of the period. */
    percentage: number;
  }>;
  /** Hits by hour and by weekday, summed over the period. */
  distribution: {
    /** All 24 hours of the day, starting with 0. */
    byHour: Array<{
      /** Hour of the day. 8 means 08:00 to 08:59. */
      hour: number;
      /** Excludes bots unless `includeBots`. */
      hits: number;
      /** Percentage of the hits of the period. */
      percentage: number;
    }>;
    /** All seven days of the week, starting with Sunday. */
    byWeekday: Array<{
      /** 0 is Sunday. */
      dayOfWeek: number;
      /** Excludes bots unless `includeBots`. */
      hits: number;
      /** Percentage of the hits of the period. */
      percentage: number;
    }>;
  };
  summary: {
    totalHits: TotalHits;
    /** Hits of the busiest hour. */
    peakHits: number;
    /** The busiest hour. */
    peakTimestamp: string | null;
    /** `totalHits` divided by the hours of the period. */
    avgHits: number;
    /** Hour of the day with the most hits. */
    busiestHourOfDay: number | null;
    /** Weekday with the most hits (0 is Sunday). */
    busiestDayOfWeek: number | null;
  };
};

/** Percentage of all hits of the list, including rows beyond its end. */
export type Percentage = number;

export type PercentageAction = {
  type: "percentage_redirect";
  url: Url;
  /** Default: the setting of the redirect. */
  pathForwarding?: boolean;
  /** Default: the setting of the redirect. */
  queryForwarding?: boolean;
  percentage: number;
  /** Status of the answer. Default: 302. */
  statusCode?: 301 | 302 | 307 | 308;
  /** Memory of a visitor's result. `cookie`: for 30 days. `visitor`: by a keyed hash of address and user agent. Default: `none`. */
  sticky?: "cookie" | "visitor" | "none";
};

export type Period = {
  /** First millisecond of the period. */
  start: string;
  /** Last millisecond of the period. */
  end: string;
};

export type Plan = {
  id: string;
  name: string;
  description: string;
  pricing: {
    /** Amount in the smallest currency unit. */
    amount: number;
    /** ISO 4217 code in lower case. */
    currency: string;
    interval: "month" | "year";
    /** Days before the first charge. */
    trialDays: number;
  };
  /** -1 means unlimited. */
  limits: {
    /** Maximum redirects of a user. */
    maxRedirects: number;
    perRedirect: {
      /** Monthly limit of recorded events. At 0 nothing is recorded, and redirecting continues. */
      maxAnalyticsEvents: number;
      /** Maximum rules of a redirect. */
      maxRulesPerRedirect: number;
      /** Maximum entries in the path table of a redirect. Set only in `PLANS_FILE`. */
      maxPathsPerRedirect?: number;
      /** Retention of recorded events in days. */
      analyticsRetentionDays: number;
    };
  };
  /** Days of access after a failed charge. */
  gracePeriodDays: number;
  /** Features for a pricing page. They enforce nothing. */
  features: Record<string, boolean>;
  /** Whether users can subscribe to it. */
  isActive: boolean;
  /** Rank of the plan. A higher tier offers more. */
  tier: number;
};

export type PostConversionsRequest = { conversions: Conversion[] };

/** Order of evaluation, the lowest number first. A rule with the priority of another one is inserted before it. */
export type Priority = number;

export type Producer = {
  /** Id of one run of a data-plane process. Hits have the same id. */
  id: string;
  /** Time when the producer closed its latest batch. */
  seenAt: string;
  /** Number of hits chosen by sampling. */
  recorded: number;
  /** Number of recorded hits in the store, each counted once, including expired ones. */
  stored: number;
  /** Number of surplus copies in the store. */
  duplicated: number;
  /** Number of recorded hits that are not stored: dropped, lost in a crash, or still missing although later hits have arrived. */
  lost: number;
};

export type PublishDraftRequest = {
  /** Time of publication, at most a year ahead. Default: now. */
  at?: string | null;
};

export type PutExamplesResponse = { data: Example[] };

export type Query = Record<string, boolean | string> | null;

export type QueryParamStats = { data: QueryParamStatsData; meta: UnmatchedPathStatsMeta };

export type QueryParamStatsData = {
  /** Sorted by hits, then by key. */
  queryParams: Array<{
    /** Name of the query parameter. Its values are not shown. */
    param: string;
    /** Excludes bots unless `includeBots`. */
    hits: number;
    uniqueVisitors: UniqueVisitors;
    /** Percentage of the sum of all rows, including rows beyond the end of the list. A hit with several parameters counts in several rows. */
    percentage: number;
  }>;
  summary: {
    /** Number of parameters, including those beyond the end of the list. */
    totalQueryParams: number;
    /** The first row of the list. */
    topQueryParam: string | null;
    /** Percentage of hits with a query parameter. */
    coverage: number;
  };
};

/** Recorded parts of the query of requests, destinations and referrers. `full`: everything, with values of secrets (`token`, `password`, `api_key`, …) masked. `names`: all values masked, no campaigns. `none`: nothing. It affects later hits only, and never the redirect itself. */
export type QueryRecording = "full" | "names" | "none";

export type ReactivateSubscriptionResponse = {
  success: boolean;
  /** Text for people. It names usage above the limits of the plan. */
  message: string;
  data: { subscription: Subscription };
};

/** Whether visits of this redirect are recorded now. Redirecting does not depend on it. */
export type Recording = {
  active: boolean;
  /** `monthly_limit`: the monthly events are used up. `sampling_zero`: the sampling rate is 0. Null: visits are recorded. */
  reason: "monthly_limit" | "sampling_zero" | null;
};

export type Redirect = {
  id: string;
  fromDomain: string;
  toDomain: ToDomain;
  redirectType: RedirectType;
  /** Appends the request path to the destination. */
  pathForwarding: boolean;
  /** Appends the query string to the destination. */
  queryForwarding: boolean;
  samplingRate: SamplingRate;
  cacheSeconds: CacheSeconds;
  queryRecording: QueryRecording;
  statusCode: StatusCode;
  enabled: Enabled;
  tags: string[];
  note: string;
  externalId: ExternalId;
  startsAt: NullableTime;
  endsAt: NullableTime;
  afterEnd: AfterEnd;
  notFound: NotFound;
  responseHeaders: ResponseHeaders;
  appendQuery: AppendQuery;
  httpsMode: HttpsMode;
  hsts: Hsts;
  clickIdParam: ClickIdParam;
  isVerified: boolean;
  status: Status;
  verification: VerificationRecord;
  userID: string;
  createdAt: string;
  updatedAt: string;
  verifiedAt: NullableTime;
  /** Certificate of the domain. */
  certificate: Certificate | null;
  /** Number of entries in the path table. */
  pathCount: number;
  /** Increases with each change of the redirect. */
  version: number;
  analyticsUsage: AnalyticsUsage;
};

export type RedirectAction = {
  type: "redirect";
  url: Url;
  /** Default: the setting of the redirect. */
  pathForwarding?: boolean;
  /** Default: the setting of the redirect. */
  queryForwarding?: boolean;
  /** Status of the answer. Default: that of the redirect. */
  statusCode?: 301 | 302 | 307 | 308;
};

export type RedirectHealth = {
  health: "ok" | "broken" | "unknown";
  /** At most 100. */
  destinations: Destination[];
};

/** Settings as `PATCH /redirects/{id}` takes them, and the standing of the redirect. */
export type RedirectState = {
  fromDomain: string;
  toDomain: string;
  redirectType: "permanent" | "temporary";
  statusCode: 301 | 302 | 307 | 308;
  pathForwarding: boolean;
  queryForwarding: boolean;
  samplingRate: number;
  cacheSeconds: number;
  queryRecording: string;
  enabled: boolean;
  tags: string[];
  note: string;
  externalId: string | null;
  startsAt: NullableTime;
  endsAt: NullableTime;
  afterEnd: Record<string, unknown> | null;
  responseHeaders: Record<string, string>;
  appendQuery: Record<string, string>;
  clickIdParam: string | null;
  notFound: Record<string, unknown> | null;
  httpsMode: "both" | "upgrade" | "off";
  hsts: Record<string, unknown> | null;
  isVerified: boolean;
  isDeleted: boolean;
};

/** `permanent` means status 301 or 308, `temporary` 302 or 307; see `statusCode`. */
export type RedirectType = "permanent" | "temporary";

export type ReferrerStats = { data: ReferrerStatsData; meta: UnmatchedPathStatsMeta };

export type ReferrerStatsData = {
  /** Sorted by hits, then by url, domain and type. Each address has one row. */
  referrers: Array<{
    /** Address of the referrer, or `direct`, `search`, `social` or `unknown` if it is no web address. */
    url: string;
    /** Registrable domain of the address, or an empty string. */
    domain: string;
    /** Kind of referrer, from its address alone. `stats/campaigns` uses the tags of the link. */
    type: "search" | "social" | "direct" | "email" | "paid" | "website" | "unknown";
    /** Hits from this location. Excludes bots unless `includeBots`. */
    hits: number;
    /** Distinct visitors from this location. */
    uniqueVisitors: number;
    /** Percentage of all hits, including rows beyond the end of the list. */
    percentage: number;
  }>;
  summary: {
    /** Number of referrers, including those beyond the end of the list. */
    totalReferrers: number;
    /** Percentage of hits without a referrer. */
    directTraffic: number;
    /** Percentage of the type `search`. */
    searchTraffic: number;
    /** Percentage of the type `social`. */
    socialTraffic: number;
    topReferrer: {
      domain: string;
      /** Hits from all addresses of the domain. */
      hits: number;
    } | null;
  };
};

export type Referrers = {
  bots: Bots;
  series: Series;
  /** Maximum rows. Rows with the most hits come first. */
  limit: number;
};

export type ReorderRulesRequest = {
  /** Ids of all rules of the redirect, each once. The first one gets the highest priority. */
  ruleIds: number[];
};

export type ReorderRulesResponse = { message: string; rules: Rule[] };

export type ReplaceRedirectPathsResponseSummary = { total: number };

export type Replay = {
  id: string;
  redirectId: string;
  state: "queued" | "running" | "finished" | "failed" | "canceled";
  progress: number;
  start: string;
  end: string;
  spec: {
    /** Origin of the definition: the stored draft, a draft in the request, or a version. */
    source: "stored_draft" | "draft" | "version";
    /** Version, or that below the draft. */
    version: number | null;
    /** Maximum visits to judge. */
    sample: number;
    /** `true` was the stored draft. */
    draft: unknown;
  };
  visits: Visits;
  /** Most visits first. */
  changes: Array<{
    from: ReplayedAnswer;
    to: ReplayedAnswer;
    visits: number;
    /** Visits of the period, recorded or not. */
    estimatedVisits?: number;
    /** Share of the replayed visits by weight (1 / sampling rate). */
    share: number;
    /** 95 % interval of the share, of a sample. */
    interval?: [number, number];
    /** true: all further destinations of these rules together. */
    isRest: boolean;
    examples: Array<{
      path: string;
      timestamp: string;
      country: string | null;
      deviceType: string | null;
    }>;
  }>;
  unjudged: Array<{
    /** Attribute of conditions, or `draw`, `cookie`, `visitor`, `host` or `request`. */
    attribute: string;
    reason: "not_recorded" | "shortened" | "masked" | "not_drawn" | "refused";
    visits: number;
    /** Share of the replayed visits by weight (1 / sampling rate). */
    share: number;
  }>;
  rules: Array<{
    ruleId: number;
    name: string;
    /** Replayed visits that it decided then. */
    before: number;
    /** Judged visits that it would decide. */
    after: number;
    /** `shadowed`: visits match it, and earlier rules decide them all (tried on up to 20,000 groups). `unknown`: it decides no judged visit, and some are unjudged. */
    state: "decides" | "shadowed" | "matches_nothing" | "unknown" | "removed";
  }>;
  /** Recorded visits of the period by the version of the redirect that answered them, newest first. Several: the period goes across a change. */
  versions: Array<{
    /** Version that answered; null where that is not known. */
    version: number | null;
    visits: number;
  }>;
  /** Version that was made within a minute of the start of the period; null without one. Visits right after the start may have been answered by the version before. */
  startsAtVersion: number | null;
  /** Hosts of a loop that it would close. */
  loop: string[];
  /** Reason of a failure. */
  error: ImportError;
  createdAt: string;
  startedAt: NullableTime;
  finishedAt: NullableTime;
};

/** `true`: the stored draft. Otherwise a definition, of which parts may be left out. Without `draft` and `version`: the definition in force. */
export type ReplayDraft = {
  /** Settings to change, as in `PATCH /redirects/{id}`. */
  redirect?: NewDraftRedirect;
  /** All rules, first in priority first. `status` is `active` by default. Default: those of the redirect. */
  rules?: Array<{
    /** Rule of the redirect that this one replaces, with its draws and cookies. */
    id?: number;
    name: string;
    type: "force" | "percentage" | "ab_experiment";
    action: RuleAction;
    description?: Description;
    conditionLogic?: ConditionLogic;
    priority?: Priority;
    /** Only active rules are evaluated. */
    status?: "active" | "inactive" | "draft";
    metadata?: RuleMetadata;
    /** An empty list matches every visitor. */
    conditions?: NewRuleCondition[];
    startDate?: StartDate;
    endDate?: EndDate;
  }>;
  /** Table of paths, as in `PUT /redirects/{id}/paths`. Default: that of the redirect. */
  paths?: StageRedirectPathsRequest;
} | boolean;

export type ReplayedAnswer = {
  /** Rule that decides. Rules of the draft without an id have negative ones: -1 is the first. */
  ruleId: number | null;
  variant: string | null;
  /** As hits record it; null where `isRest` is true. */
  destination: string | null;
  statusCode: number;
};

export type RequestPasswordResetRequest = { email: string };

export type Required = {
  recordType: "TXT";
  /** Full name of the TXT record. */
  name: string;
  /** Exact value of the record, without quotes. */
  value: string;
  /** Instruction for the record. */
  action: string;
};

export type ResendWebhookDeliveryResponse = { delivery: WebhookDelivery; message: string };

export type ResetPasswordRequest = {
  /** Parameter `token` of the link in the mail. */
  token: string;
  /** 8 to 200 characters. Spaces at both ends count. */
  newPassword: string;
};

/** Headers of the answer. `Cache-Control` is ignored with active rules or `endsAt`. `Strict-Transport-Security` is sent over HTTPS only. */
export type ResponseHeaders = Record<string, string>;

export type RestoreRedirectPathsResponse = {
  summary: ReplaceRedirectPathsResponseSummary;
  diagnostics: PathDiagnostic[];
};

export type ReturnVisitorStats = { data: ReturnVisitorStatsData; meta: ReturnVisitorStatsMeta };

export type ReturnVisitorStatsData = {
  /** New and returning visitors, sorted by hits. */
  visitors: Array<{
    /** `returning`: more than one recorded hit in the period. */
    visitorType: "single" | "returning";
    /** Excludes bots unless `includeBots`. */
    hits: number;
    uniqueVisitors: UniqueVisitors;
    /** Percentage of all these hits. */
    percentage: number;
  }>;
  /** Visitors by number of visits, including empty ranges. */
  distribution: Array<{
    /** Smallest number of hits of a visitor in this range. */
    minVisits: number;
    /** Largest number of hits of a visitor in this range. Null means unlimited. */
    maxVisits: number | null;
    /** Visitors in this range. */
    uniqueVisitors: number;
    /** Percentage of `uniqueVisitors`. */
    percentage: number;
  }>;
  summary: {
    totalHits: TotalHits;
    /** New and returning visitors together. */
    uniqueVisitors: number;
    /** Visitors with more than one hit. */
    returningVisitors: number;
    /** Percentage of `returningVisitors` in `uniqueVisitors`. */
    returningPercentage: number;
    /** `totalHits` divided by `uniqueVisitors`. */
    avgHitsPerVisitor: number;
  };
};

export type ReturnVisitorStatsMeta = StatsMeta & {
  /** Sampled share of the visitors: 1 (exact) up to about 65536 visitors, above it 1/16 with a standard error of at most 0.8 % for returning visitors. */
  visitorSampleRate: number;
};

export type Rule = {
  id: number;
  redirectId: string;
  name: string;
  description: string;
  type: "force" | "percentage" | "ab_experiment";
  conditionLogic: ConditionLogic;
  priority: Priority;
  /** Only active rules are evaluated. */
  status: "active" | "inactive" | "draft";
  metadata: RuleMetadata;
  conditions: RuleCondition[];
  action: RuleAction;
  startDate: NullableTime;
  endDate: NullableTime;
  /** Matches in real traffic, independent of the sampling rate. */
  hitCount: number;
  /** Id of the user who created it. */
  createdBy: string;
  createdAt: string;
  updatedAt: string;
};

/** Fits the type of the rule: `redirect` for `force`, `percentage_redirect` for `percentage`, `ab_test` for `ab_experiment`. The answer shows it as it was sent. */
export type RuleAction = RedirectAction | PercentageAction | AbTestAction;

export type RuleAnalytics = {
  /** Sorted by priority. */
  analytics: RuleAnalyticsItem[];
  /** Sum of all `hitCount`. */
  totalHits: number;
  totalRules: number;
  activeRules: number;
};

export type RuleAnalyticsItem = {
  id: number;
  name: string;
  type: "force" | "percentage" | "ab_experiment";
  status: "active" | "inactive" | "draft";
  /** Matches in real traffic, independent of the sampling rate. */
  hitCount: number;
  /** Percentage of `totalHits`, with two decimals. */
  percentage: number;
  /** Matches by people: no bots, HEAD requests, prefetches or link previews. Matches from before this member existed count in `hitCount` only. */
  humanHits: number;
  createdAt: string;
  /** Current variants of an A/B test. */
  variants?: Array<{
    name: string;
    /** All matches that led to this variant, including bots. */
    hits: number;
    /** Percentage of the hits of all listed variants, with two decimals. */
    percentage: number;
    /** Hits by people, like `humanHits` of the rule. Use these to judge an experiment. */
    humanHits: number;
    /** Percentage of the human hits of all listed variants, with two decimals. */
    humanPercentage: number;
  }>;
};

export type RuleAttribute = {
  key: Attribute;
  name: string;
  description: string;
  /** Type of comparison. `version` compares segments as numbers. */
  type: "string" | "version" | "number" | "string or number" | "ip";
  operators: Operator[];
  category: "geography" | "device" | "browser" | "system" | "traffic" | "time" | "language" | "url" | "technical";
  /** Common values, or all values if there are few. */
  predefinedValues?: Array<{
    /** The value to use in a condition. */
    value: string;
    /** Label for people. */
    label: string;
  }>;
  /** Values to choose from: recorded values, the most frequent first, then common values. */
  availableValues?: AttributeValue[];
  /** Whether a condition must name the query parameter in `param`. */
  requiresParam?: boolean;
  /** Whether a condition may name a `timezone`. */
  acceptsTimezone?: boolean;
};

export type RuleCondition = {
  attribute: Attribute;
  operator: Operator;
  value?: Array<string | number> | string | number;
  /** Name of the query parameter, case-sensitive. Required with `query_param`, and not accepted otherwise. */
  param?: string;
  /** IANA time zone for `hour_of_day` or `day_of_week`, including daylight saving time. Default: UTC. Other attributes do not take it. */
  timezone?: string;
};

/** Your own data: strings, numbers and booleans by name. */
export type RuleMetadata = Record<string, string | number | boolean>;

export type RuleOperator = {
  key: Operator;
  name: string;
  description: string;
  /** `single`: one value. `array`: 1 to 1,000 values. `range`: exactly 2 values. `none`: no value. */
  valueType: "single" | "array" | "range" | "none";
  symbol: string;
};

/** A rule as `POST /redirects/{id}/rules` takes it, with its id. */
export type RuleState = {
  id: number;
  name: string;
  description: string;
  type: "force" | "percentage" | "ab_experiment";
  conditions: Array<Record<string, unknown>>;
  conditionLogic: "AND" | "OR";
  action: Record<string, unknown>;
  priority: number;
  status: "active" | "inactive" | "draft";
  startDate: NullableTime;
  endDate: NullableTime;
  metadata: Record<string, unknown>;
};

export type RuleTestResult = {
  /** Destination of the visitor, including forwarding. */
  url: string;
  /** Status of the answer. It is 508 if `url` is the requested URL. */
  statusCode: 301 | 302 | 307 | 308 | 508;
  ruleId: number;
  ruleName: string;
  actionType: "redirect" | "percentage_redirect" | "ab_test";
  /** Configured percentage of a percentage rule. */
  percentage?: number;
  /** Name of the variant of an A/B test. */
  variant?: string;
  /** Whether the rule redirects. False for a visitor outside the percentage, whose `url` is the destination of the redirect. */
  triggered: boolean;
  userAttributes: UserAttributes;
  message: string;
};

export type RunExamplesRequest = { draft?: ExampleDraft };

export type RunExamplesResponse = {
  summary: { total: number; passed: number; failed: number };
  /** One result per example, in their order. */
  results: ExampleResult[];
};

export type Sampling = {
  /** Current sampling rate of the redirect. */
  rate: number;
  /** Recorded hits of the period, including bots. Filters do not apply. */
  recordedHits: number;
  /** Estimate of all requests. Each hit is weighted by the sampling rate at its time. */
  estimatedTotalHits: number;
};

/** Share of visits to record, from 0 (none) to 1 (all). */
export type SamplingRate = number;

export type Scope = "redirects:read" | "redirects:write" | "analytics:read" | "billing:read" | "billing:write" | "tokens:write";

/** Unit of the points of each series in the answer. Series have no gaps. */
export type Series = Record<string, StatsMetaSeries>;

export type Session = {
  /** An access token with all scopes. */
  token: string;
  /** Expiry of the token, 24 hours after the login. */
  expiresAt: string;
  user: User;
};

export type SetFirstPasswordRequest = {
  /** 8 to 200 characters. Spaces at both ends count. */
  newPassword: string;
};

export type SetRuleStatusRequest = {
  /** Only active rules are evaluated. */
  status: "active" | "inactive" | "draft";
};

export type SetRuleStatusResponse = { rule: Rule };

export type SeveralStats = {
  /** Data of each included statistic, by name. */
  data: {
    basic?: BasicStatsData;
    dashboard?: DashboardData;
    time?: TimeStatsData;
    geo?: GeoStatsData;
    devices?: DeviceStatsData;
    referrers?: ReferrerStatsData;
    hourly?: HourlyStatsData;
    comparison?: ComparisonStatsData;
    "peak-traffic"?: PeakTrafficStatsData;
    "return-visitors"?: ReturnVisitorStatsData;
    "status-codes"?: StatusCodeStatsData;
    errors?: ErrorStatsData;
    bots?: BotStatsData;
    languages?: LanguageStatsData;
    paths?: PathStatsData;
    "user-agents"?: UserAgentStatsData;
    "browser-families"?: BrowserFamilyStatsData;
    "device-categories"?: DeviceCategoryStatsData;
    "destination-urls"?: DestinationUrlStatsData;
    campaigns?: CampaignStatsData;
    "query-params"?: QueryParamStatsData;
    entries?: EntryStatsData;
    "unmatched-paths"?: UnmatchedPathStatsData;
  };
  meta: {
    redirectId: string;
    period: Period;
    sampling: Sampling;
    delivery: HitDelivery;
    recording: Recording;
    /** Time zone of days and hours. */
    timezone: string;
    /** Details of each statistic, by name. */
    statistics: {
      basic?: Basic;
      dashboard?: SeveralStatsDashboard;
      time?: {
        bots: Bots;
        series: Series;
        interval: "hour" | "day" | "week" | "month";
      };
      geo?: {
        bots: Bots;
        series: Series;
        groupBy: "country" | "region" | "city";
      };
      devices?: Basic;
      referrers?: Referrers;
      hourly?: Basic;
      comparison?: SeveralStatsDashboard;
      "peak-traffic"?: Referrers;
      "return-visitors"?: {
        bots: Bots;
        series: Series;
        /** Sampled share of the visitors: 1 (exact) up to about 65536 visitors, above it 1/16 with a standard error of at most 0.8 % for returning visitors. */
        visitorSampleRate: number;
      };
      "status-codes"?: Basic;
      errors?: Basic;
      bots?: Basic;
      languages?: Referrers;
      paths?: Referrers;
      "user-agents"?: Referrers;
      "browser-families"?: Referrers;
      "device-categories"?: Basic;
      "destination-urls"?: Referrers;
      campaigns?: Referrers;
      "query-params"?: Referrers;
      entries?: Referrers;
      "unmatched-paths"?: Referrers;
    };
  };
};

export type SeveralStatsDashboard = {
  bots: Bots;
  series: Series;
  /** Period for the comparison. Expired hits do not count. */
  previousPeriod: Period;
};

export type SignUpRequest = {
  email: string;
  /** 8 to 200 characters. Spaces at both ends count. */
  password: string;
};

export type StageRedirectPathsRequest = { options?: Options; entries: NewPathEntry[] };

/** First moment (inclusive). A date alone means 00:00 UTC. `null` means no start. */
export type StartDate = string | null;

export type StartNewEpochResponse = {
  message: string;
  /** Newest ruleset before the change, as `epoch.seq`. */
  previous: string;
  /** Newest ruleset, as `epoch.seq`. */
  head: string;
};

export type StartReplayRequest = {
  draft?: ReplayDraft;
  /** A version of the redirect. Not together with `draft`. */
  version?: number;
  /** Start of the period, included (UTC). */
  start: string;
  /** End of the period, included; a date alone is the whole day (UTC). */
  end: string;
  /** Maximum visits to judge (default 10000000). Beyond it a random sample is judged, and shares have an interval. */
  sample?: number;
};

/** Visitors get 404 before this time. `null` means no start. */
export type StartsAt = string | null;

export type StateDifference = {
  /** Path of the difference: `redirect.<member>`, `rules.<id>.<member>`, `paths.options.<member>`, `paths.entries.<id>.<member>`. The member is missing if only one of the two versions has the rule or entry. */
  path: string;
  /** Value in the version `against`. */
  before: unknown;
  /** Value in the version `n`. */
  after: unknown;
};

export type StatsMeta = {
  redirectId: string;
  period: Period;
  sampling: Sampling;
  delivery: HitDelivery;
  recording: Recording;
  bots: Bots;
  /** Time zone of days and hours. */
  timezone: string;
  series: Series;
};

export type StatsMetaSeries = {
  unit: "hour" | "day" | "week" | "month" | "hour-of-day" | "day-of-week" | "visits-per-visitor" | "period";
  timezone: string;
};

/** `pending` until the domain is verified; `disabled` while `enabled` is false; `scheduled` before `startsAt`; `ended` after `endsAt`. */
export type Status = "pending" | "active" | "disabled" | "scheduled" | "ended";

/** HTTP status. It sets `redirectType`: 301 and 308 are permanent, 302 and 307 temporary. A change of `redirectType` alone sets 301 or 302. */
export type StatusCode = 301 | 302 | 307 | 308;

export type StatusCodeStats = { data: StatusCodeStatsData; meta: StatsMeta };

export type StatusCodeStatsData = {
  /** Sorted by hits, then by code. */
  statusCodes: Array<{
    /** HTTP status code. */
    statusCode: number;
    /** Excludes bots unless `includeBots`. */
    hits: number;
    uniqueVisitors: UniqueVisitors;
    /** Percentage of all these hits. */
    percentage: number;
  }>;
  summary: {
    /** Number of different status codes. */
    totalStatusCodes: number;
    /** The most frequent value. */
    topStatusCode: number | null;
    /** Percentage of these hits answered with 2xx or 3xx. */
    successRate: number;
  };
};

export type Subscription = {
  id: string;
  /** `canceled`: access until the period ends. `revoked`: ended at once. `past_due`: in the grace period. */
  status: "active" | "trialing" | "canceled" | "revoked" | "past_due" | "incomplete" | "incomplete_expired";
  plan: Plan;
  currentPeriodStart: string;
  currentPeriodEnd: string;
  cancelAtPeriodEnd: boolean;
  canceledAt: NullableTime;
  trialStart: NullableTime;
  trialEnd: NullableTime;
  /** Whether the limits of the plan apply now. */
  isActive: boolean;
  isTrialing: boolean;
  /** Days until the current period ends, rounded up. 0 without access. */
  daysUntilRenewal: number;
  /** Label for people. */
  message: string;
};

export type SuspendUserRequest = { /** Reason for the log and for the owner. */ reason: string };

export type TakeStripeEventResponse = { received: boolean };

export type Takedown = {
  id: string;
  host: string | null;
  destinationHost: string | null;
  reason: string;
  createdBy: string;
  createdAt: string;
  liftedBy: string | null;
  /** Null while it is active. */
  liftedAt: string | null;
};

export type TestDraftRequest = {
  userAttributes?: UserAttributes;
  visitorId?: VisitorId;
  /** Adds the decision of each rule. */
  explain?: boolean;
  urls?: string[];
};

export type TestDraftResponse = {
  /** Result for `userAttributes`. `null` if no active rule matches. */
  result?: DraftTestResult | null;
  userAttributes?: UserAttributes;
  message?: string;
  /** All rules in order of priority; only with `explain`. */
  explanation?: ExplainedDraftRule[];
  results?: TestedPath[];
};

export type TestRulesRequest = {
  userAttributes: UserAttributes;
  visitorId?: VisitorId;
  /** Adds the decision of each rule. */
  explain?: boolean;
};

export type TestRulesResponse = {
  /** Null if no active rule matches. */
  result: RuleTestResult | null;
  userAttributes: UserAttributes;
  message: string;
  /** All rules by priority. Present only with `explain`. */
  explanation?: ExplainedRule[];
};

export type TestStagedRedirectPathsRequest = { urls: string[] };

export type TestStagedRedirectPathsResponse = { results: TestedPath[] };

export type TestedPath = {
  url: string;
  entryId: number | null;
  source: string | null;
  statusCode: number;
  location: string | null;
  reason: "exact" | "pattern" | "rule" | "destination" | "not_found" | "gone";
};

export type TimeStats = { data: TimeStatsData; meta: TimeStatsMeta };

export type TimeStatsData = {
  /** All buckets of the period, including empty ones. */
  timeSeries: Array<{
    /** Start of the bucket. The first one may begin before the period. */
    timestamp: string;
    /** Sum of `botHits` and `humanHits`. */
    hits: number;
    uniqueVisitors: UniqueVisitors;
    /** Hits of known bots. */
    botHits: number;
    humanHits: HumanHits;
  }>;
  summary: {
    /** Sum of all buckets. */
    totalHits: number;
    /** Hits of the busiest bucket. */
    peakHits: number;
    /** Start of the busiest bucket. */
    peakTimestamp: string | null;
    /** `totalHits` divided by the number of buckets. */
    avgHits: number;
  };
};

export type TimeStatsMeta = StatsMeta & { interval: "hour" | "day" | "week" | "month" };

/** Absolute destination URL. On a wildcard host, `{host.1}` to `{host.9}` after the host are the labels that `*` stands for, from the left. */
export type ToDomain = string;

/** Hits of the period. Excludes bots unless `includeBots`. */
export type TotalHits = number;

export type Transaction = {
  id: string;
  userId: string;
  subscriptionId: string;
  planId: string;
  /** Name of the payment provider. */
  provider: string;
  providerTransactionId: string;
  type: "payment" | "refund" | "subscription_cycle" | "setup_fee";
  status: "pending" | "failed" | "succeeded" | "partially_refunded" | "refunded";
  /** Amount in the smallest currency unit. */
  amount: number;
  /** ISO 4217 code in lower case. */
  currency: string;
  /** Amount in the smallest currency unit. */
  taxAmount: number;
  /** Amount in the smallest currency unit. */
  refundedAmount: number;
  paidAt: NullableTime;
  refundedAt: NullableTime;
  failedAt: NullableTime;
  receiptUrl: string | null;
  invoiceUrl: string | null;
  plan: {
    id: string;
    name: string;
    pricing: {
      /** Amount in the smallest currency unit. */
      amount: number;
      currency: string;
      interval: string;
    };
  };
  createdAt: string;
};

/** Distinct visitors. Excludes bots unless `includeBots`. */
export type UniqueVisitors = number;

export type UnmatchedPathStats = { data: UnmatchedPathStatsData; meta: UnmatchedPathStatsMeta };

export type UnmatchedPathStatsData = {
  /** Sorted by hits, then by key. */
  paths: Array<{
    /** Path of the request without the query. It can be the `source` of a new entry. */
    path: string;
    /** Excludes bots unless `includeBots`. */
    hits: number;
    uniqueVisitors: UniqueVisitors;
    percentage: Percentage;
  }>;
  summary: {
    /** Number of paths, including those beyond the end of the list. */
    totalPaths: number;
    /** Hits of all these paths. */
    totalHits: number;
    /** The first row of the list. */
    topPath: string | null;
  };
};

export type UnmatchedPathStatsMeta = StatsMeta & {
  /** Maximum rows. Rows with the most hits come first. */
  limit: number;
};

export type UpdateRedirectPathRequest = {
  /** `/exact/path`, `/prefix/*`, or segments like `:id`. */
  source?: string;
  /** Required query parameters. A value is a text (equals), `true` (present) or `false` (absent). */
  query?: Record<string, boolean | string> | null;
  /** An absolute URL, or a path on the destination of the redirect. Placeholders: `:id`, `*`, `{query.name}` and, for wildcard hosts, `{host.1}`. Null with `statusCode` 410. */
  destination?: string | null;
  /** Default: 301. */
  statusCode?: 301 | 302 | 307 | 308 | 410;
  /** `inherit` (default) uses the setting of the redirect. */
  queryForwarding?: "inherit" | true | false;
  /** How the end of the path is compared. `inherit` (default): by `ignoreTrailingSlash` of the table; `/prefix/*` also matches `/prefix`. `exact`: a slash at the end counts; `/prefix/*` matches `/prefix/` and everything below. `below`, only with `/*`: everything below, not `/prefix/` itself. */
  pathEnding?: "inherit" | "exact" | "below";
  /** Default: true. */
  enabled?: boolean;
  note?: string;
};

/** JSON Merge Patch (RFC 7396). Objects are merged, and `null` sets the default. Members without a type here are read-only and ignored. */
export type UpdateRedirectRequest = NewDraftRedirect;

/** Answer after `endsAt`: 410, or 302 to this URL without path, query, headers or rules of the redirect. `null` means 404. */
export type UpdateRedirectRequestAfterEnd = { statusCode?: 410 | null; url?: string | null } | null;

/** `Strict-Transport-Security` over HTTPS. `maxAge` is required. The switches default to false. `preload: true` is your confirmation that browsers may build the host into their lists, which takes months to undo. */
export type UpdateRedirectRequestHsts = {
  maxAge?: number | null;
  includeSubDomains?: boolean | null;
  preload?: boolean | null;
} | null;

/** Requests that no entry of the path table matches get 302 to this URL, if `unmatched` of the table is `not_found`. `null` means 404. */
export type UpdateRedirectRequestNotFound = { url?: string | null } | null;

/** JSON Merge Patch (RFC 7396). `null` sets the default. Members without a type here are read-only and ignored. */
export type UpdateRuleRequest = {
  name?: string;
  type?: "force" | "percentage" | "ab_experiment";
  priority?: Priority;
  description?: Description | null;
  /** `AND`: all conditions must match. `OR`: at least one must match. */
  conditionLogic?: "AND" | "OR" | null;
  /** Only active rules are evaluated. */
  status?: "active" | "inactive" | "draft" | null;
  conditions?: NewRuleCondition[] | null;
  startDate?: StartDate | null;
  endDate?: EndDate | null;
  action?: Record<string, unknown> | null;
  metadata?: Record<string, unknown> | null;
  id?: unknown;
  redirectId?: unknown;
  hitCount?: unknown;
  createdBy?: unknown;
  createdAt?: unknown;
  updatedAt?: unknown;
};

export type UpdateWebhookEndpointRequest = {
  /** Receives the messages. It must be https on a public address, with port 443 or 1024 and above. */
  url?: string;
  /** Events that the endpoint receives. */
  events?: EventType[];
  /** Whether messages are held back until the endpoint is resumed. */
  paused?: boolean;
};

export type UploadCertificateRequest = {
  /** Certificate of the host (PEM), followed by its issuers in order. */
  certificate: string;
  /** Private key (PEM). It is stored encrypted and never shown. */
  privateKey: string;
};

/** Absolute destination URL. `{host.1}` as in `toDomain`. */
export type Url = string;

export type UsageStats = {
  /** Number of active redirects. `maxRedirects` also limits pending ones. */
  redirectsUsed: number;
  /** Number of redirects whose domain is not verified yet. */
  redirectsPending: number;
  /** Limit of the plan. -1 means unlimited. */
  maxRedirects: number;
  /** Whether the plan allows another redirect. */
  canCreateRedirect: boolean;
  /** Events recorded in this billing period. */
  totalAnalyticsEvents: number;
  lastUsageUpdate: string;
};

export type User = {
  id: string;
  /** `null` for JWT users without a confirmed address. */
  email: string | null;
  /** Whether the address is confirmed, by a link in a mail or by the issuer of a JWT. */
  isEmailVerified: boolean;
  createdAt: string;
};

export type UserAgentStats = { data: UserAgentStatsData; meta: UnmatchedPathStatsMeta };

export type UserAgentStatsData = {
  /** Sorted by hits, then by key. */
  userAgents: Array<{
    /** `User-Agent` of the requests, or an empty string. */
    userAgent: string;
    /** Excludes bots unless `includeBots`. */
    hits: number;
    uniqueVisitors: UniqueVisitors;
    percentage: Percentage;
  }>;
  summary: {
    /** Number of user agents, including those beyond the end of the list. */
    totalUserAgents: number;
    /** The first row of the list. */
    topUserAgent: string | null;
  };
};

/** Attributes of the visitor. An empty text means unknown. */
export type UserAttributes = {
  /** ISO 3166-1 alpha-2 code, upper-case, of the IP address. Default: from `ip_address`. */
  country?: string;
  /** English name of the state or region; known with a city database. Default: from `ip_address`. */
  region?: string;
  /** English name of the city; known with a city database. Default: from `ip_address`. */
  city?: string;
  /** Kind of device, such as mobile. Default: from `user_agent`. */
  device_type?: string;
  /** Manufacturer of the device. Default: from `user_agent`. */
  device_brand?: string;
  /** Model of the device. Default: from `user_agent`. */
  device_model?: string;
  /** Name of the browser. Default: from `user_agent`. */
  browser_name?: string;
  /** Compared segment by segment as numbers: 9.2 is less than 10. Default: from `user_agent`. */
  browser_version?: string;
  /** Name of the operating system. Default: from `user_agent`. */
  os_name?: string;
  /** Compared segment by segment as numbers: 9.2 is less than 10. Default: from `user_agent`. */
  os_version?: string;
  /** URL of the referring page. */
  referrer?: string;
  /** Preferred language tag, such as `de-AT`, or a whole `Accept-Language` header. */
  language?: string;
  /** Path of the request. Default: `/`. */
  url_path?: string;
  /** `User-Agent` header. */
  user_agent?: string;
  /** Host or domain of the referrer. It is normalized like a real referrer: case, `www.` and a final dot are ignored, and parent domains match. Default: from `referrer`. */
  referrer_domain?: string;
  /** Default: the current hour in the `timezone` of each condition, or in UTC. */
  hour_of_day?: number;
  /** 0 is Sunday. Default: the current day in the `timezone` of each condition, or in UTC. */
  day_of_week?: number;
  /** Decoded values by name. A parameter that occurs several times has an array. */
  query_params?: Record<string, string[] | string>;
  /** IPv4 or IPv6 address. */
  ip_address?: string;
  visitorId?: VisitorId;
};

export type Variant = {
  name: string;
  percentage: number;
  url: Url;
  /** Default: the setting of the redirect. */
  pathForwarding?: boolean;
  /** Default: the setting of the redirect. */
  queryForwarding?: boolean;
  /** Status of the answer. Default: that of the action. */
  statusCode?: 301 | 302 | 307 | 308;
};

export type VerificationRecord = {
  recordType: "TXT";
  /** Full name of the TXT record. */
  name: string;
  /** Exact value of the record, without quotes. */
  value: string;
};

export type VerificationReport = {
  domain: string;
  isVerified: boolean;
  status: VerifyDomainResponseStatus;
  required: Required;
  /** Values of the TXT records found, verification records first. Control characters are escaped. */
  found: string[];
  dnsRecords: DnsRecords;
  instructions: Instructions;
  checkedAt: string;
};

export type VerifyDomainRequest = { domain: FromDomain };

export type VerifyDomainResponse = VerificationReport & {
  /** State of the certificate. `null` means that there is none and none is ordered. */
  certificateStatus: CertificateState | null;
};

export type VerifyDomainResponseStatus = {
  success: boolean;
  title: string;
  /** Result in one sentence. */
  summary: string;
  /** Reason, and what to do. */
  detail: string;
};

export type VerifyDomainsRequest = { domains: string[] };

export type VerifyDomainsResponse = {
  /** The answers of `POST /verify-domain` in the order of the request. A refused domain has `error`. */
  results: Array<VerificationReport | { domain: string; error: VerifyDomainsResponseError }>;
};

export type VerifyDomainsResponseError = { code: string; message: string; field?: string };

export type VerifyEmailRequest = {
  /** Parameter `token` of the link in the mail. */
  token: string;
};

export type Version = {
  version: number;
  at: string;
  by: ChangedBy;
  action: string;
  summary: string;
};

export type VersionState = {
  version: number;
  /** `null` for the state before the first recorded version. */
  at: string | null;
  by: ChangedBy;
  action: string | null;
  summary: string | null;
  redirect: RedirectState;
  rules: RuleState[];
  paths: {
    options: {
      ignoreCase: boolean;
      ignoreTrailingSlash: boolean;
      unmatched: "destination" | "not_found" | "gone";
    };
    /** Entries of the table. */
    total: number;
    entries: PathEntryState[];
    /** Gets further entries; `null` after the last one. */
    nextCursor: string | null;
  };
};

/** Makes the test repeatable. The same id always gets the same result of percentages and A/B tests. */
export type VisitorId = string;

export type Visits = {
  /** Recorded visits of the period, those of bots included. */
  total: number;
  /** Recorded visits by the weight of their sampling rate. */
  estimatedTotal: number;
  /** Visits that were looked at: all, or the sample. */
  replayed: number;
  unchanged: number;
  /** Visits with another rule, variant, destination or status. */
  changed: number;
  /** Visits decided by a fact that hits do not hold. */
  unjudged: number;
  /** Changed visits with the same rule and variant. */
  otherDestination: number;
  /** Changed visits with another rule, or none. */
  otherRule: number;
  /** Changed visits with another variant. */
  otherVariant: number;
  /** Visits that would be sent to the URL that they asked for (508). */
  newLoops: number;
};

export type WebhookDelivery = {
  id: string;
  endpointId: string;
  /** Value of the header `webhook-id`, the same for every attempt. */
  eventId: string;
  eventType: "subscription.confirmed" | "subscription.canceled" | "subscription.revoked" | "payment.failed" | "payment.disputed" | "payment.dispute_closed" | "domain.verified" | "domain.proof_missing" | "domain.unverified" | "redirect.taken_down" | "certificate.issued" | "certificate.failed" | "certificate.expiring" | "redirect.created" | "redirect.updated" | "redirect.deleted" | "rule.created" | "rule.updated" | "rule.deleted" | "usage.approaching_limit" | "usage.limit_reached" | "plan.excess_redirects" | "import.finished" | "destination.broken" | "destination.recovered" | "draft.failed" | "webhook.test";
  /** `delivered`: answered with 2xx. `failed`: given up after three days or an answer of 410. */
  status: "pending" | "delivered" | "failed";
  /** Status code of the answer to the latest attempt, if there was one. */
  responseCode: number | null;
  /** Reason why the latest attempt had no answer. */
  error: "name_not_resolved" | "address_refused" | "connection_failed" | "timed_out" | "secret_unreadable" | null;
  /** The latest attempts, oldest first. */
  attempts: Array<{
    at: string;
    /** Status code of the answer. `null` means no answer. */
    responseCode: number | null;
    /** Reason why there was no answer. */
    error: "name_not_resolved" | "address_refused" | "connection_failed" | "timed_out" | "secret_unreadable" | null;
    durationMs: number;
  }>;
  /** Time of the next attempt. `null` means none. */
  nextAttemptAt: string | null;
  createdAt: string;
};

export type WebhookEndpoint = {
  id: string;
  url: string;
  events: EventType[];
  createdAt: string;
  /** Whether messages are held back. */
  paused: boolean;
  /** Time since which nothing is sent, because the endpoint answered 410. A successful resend enables it again. */
  disabledAt: string | null;
};

export type WholeRule = CreateRedirectRuleRequest & {
  /** The rule that it was before, which keeps its hits. Without it: a new rule. */
  id?: number;
  redirectId?: unknown;
  hitCount?: unknown;
  createdBy?: unknown;
  createdAt?: unknown;
  updatedAt?: unknown;
};

export type WrittenPathEntry = PathEntry & {
  /** Remarks that the table has because of this entry, as `PUT /redirects/{id}/paths` returns them: chains through it, and entries that no request reaches. Empty for a disabled entry. */
  diagnostics: PathDiagnostic[];
};

export type ZoneProof = {
  /** Registrable domain. */
  zone: string;
  /** Full name of the TXT record. */
  name: string;
  /** Exact value of the record, without quotes. */
  zoneValue: string;
};

export type HitFilter = {
  /** Date (YYYY-MM-DD) or ISO 8601 timestamp, inclusive. Without an offset it is in `timezone`. Default: 29 days before the day of `end`. */
  start?: string | undefined;
  /** Date (YYYY-MM-DD) or ISO 8601 timestamp, inclusive. Without an offset it is in `timezone`. A date alone means the whole day. Default: now. It may be in the future. */
  end?: string | undefined;
  /** IANA time zone of dates, days and hours, such as `Europe/Berlin`, with daylight saving time. Timestamps in answers are UTC. */
  timezone?: string | undefined;
  /** Only hits from this country (ISO 3166-1 alpha-2), or `unknown`. */
  country?: string | undefined;
  /** Only hits from this region: a `code` of `stats/geo?groupBy=region`. */
  region?: string | undefined;
  /** Only hits from this city: a `code` of `stats/geo?groupBy=city`. */
  city?: string | undefined;
  /** Only hits of this type of device, or `unknown`. */
  device?: "mobile" | "tablet" | "desktop" | "smarttv" | "console" | "wearable" | "embedded" | "unknown" | undefined;
  /** Only hits of this browser, in any version, or `unknown`. */
  browser?: string | undefined;
  /** Only hits of this operating system, in any version, or `unknown`. */
  os?: string | undefined;
  /** Only hits with this language tag, or `unknown`. */
  language?: string | undefined;
  /** Only hits from this referrer: a domain, an address, or `direct`, `search`, `social` or `unknown` for those without an address. */
  referrer?: string | undefined;
  /** Only hits with this `utm_source`. An empty value selects hits without it. */
  source?: string | undefined;
  /** Only hits with this `utm_medium`. An empty value selects hits without it. */
  medium?: string | undefined;
  /** Only hits with this `utm_campaign`. An empty value selects hits without it. */
  campaign?: string | undefined;
  /** Only hits with this `utm_term`. An empty value selects hits without it. */
  term?: string | undefined;
  /** Only hits with this `utm_content`. An empty value selects hits without it. */
  content?: string | undefined;
  /** Only hits on this path, without query. */
  path?: string | undefined;
  /** Only hits answered with this `Location`. */
  destination?: string | undefined;
  /** Only hits answered with this status. */
  statusCode?: number | undefined;
  /** Only hits that this rule decided. */
  ruleId?: number | undefined;
  /** Only hits that got this variant of an A/B test. */
  variant?: string | undefined;
  /** Only hits that this entry of the table of paths decided, also beside a rule. */
  entryId?: number | undefined;
};

export type ForceQuery = {
  /** Makes the change although it breaks examples of the redirect. Without it such a change gets 409, and nothing is changed. */
  force?: boolean | undefined;
};

export type GetBasicStatsQuery = HitFilter & {
  /** Whether to count bots. Default: in totals only, not in lists and unique visitors. */
  includeBots?: boolean | undefined;
};

export type GetDeviceStatsQuery = HitFilter & {
  /** Whether to count bots. Default: false. */
  includeBots?: boolean | undefined;
};

export type GetReferrerStatsQuery = GetDeviceStatsQuery & {
  /** Maximum rows. Rows with the most hits come first. */
  limit?: number | undefined;
};

/** All operations: what they take, and what they answer. */
export interface Operations {
  /** Addresses of the documentation */
  'GET /': { answer: Index };
  /** Alive? */
  'GET /healthz': { answer: GetHealthResponse };
  /** Able to serve, part by part? */
  'GET /readyz': { answer: GetReadinessResponse503 };
  /** Sign up */
  'POST /auth/signup': { body: SignUpRequest; answer: Session | MailAnswer };
  /** Confirm an e-mail address */
  'POST /auth/email/verify': { body: VerifyEmailRequest; answer: Session };
  /** Ask for the mail of your signup again */
  'POST /auth/email/resend': { body: RequestPasswordResetRequest; answer: MailAnswer };
  /** Log in */
  'POST /auth/login': { body: OpenSessionRequest; answer: Session };
  /** Get the current user */
  'GET /auth/user': { answer: Account };
  /** Delete your account */
  'DELETE /auth/user': { body?: DeleteAccountRequest; answer: DeleteAccountResponse };
  /** Log in with a browser */
  'POST /auth/session': {
    body: OpenSessionRequest;
    answer: OpenSessionWithTokenResponse;
  };
  /** Log out */
  'DELETE /auth/session': { answer: Message };
  /** List your sessions */
  'GET /auth/sessions': { answer: ListSessionsResponse };
  /** End all other sessions */
  'DELETE /auth/sessions': { answer: EndOtherSessionsResponse };
  /** End a session */
  'DELETE /auth/sessions/{id}': { params: { id: string | number }; answer: Message };
  /** Log in with the code that the server prints at start */
  'POST /auth/session/code': {
    body: OpenSessionWithCodeRequest;
    answer: OpenSessionWithTokenResponse;
  };
  /** Log in a browser with an access token */
  'POST /auth/session/token': { answer: OpenSessionWithTokenResponse };
  /** Set the password of an account that has none */
  'POST /auth/password/set': { body: SetFirstPasswordRequest; answer: Message };
  /** Change your password */
  'POST /auth/password/change': { body: ChangePasswordRequest; answer: Message };
  /** Ask for a mail to choose a new password */
  'POST /auth/password/forgot': { body: RequestPasswordResetRequest; answer: MailAnswer };
  /** Choose a new password */
  'POST /auth/password/reset': { body: ResetPasswordRequest; answer: Message };
  /** Restore your account */
  'POST /auth/user/restore': { answer: Message };
  /** Create an access token */
  'POST /auth/tokens': { body: CreateAccessTokenRequest; answer: CreatedAccessToken };
  /** List your access tokens */
  'GET /auth/tokens': { answer: ListAccessTokensResponse };
  /** Delete an access token */
  'DELETE /auth/tokens/{id}': { params: { id: string | number }; answer: Message };
  /** Your redirects, page by page */
  'GET /redirects': {
    query?: {
      limit?: number | undefined;
      /** `nextCursor` of the previous page. */
      cursor?: string | undefined;
      /** Part of `fromDomain`, `toDomain`, `note` or `externalId`, case-insensitive. */
      search?: string | undefined;
      status?: "pending" | "active" | "disabled" | "scheduled" | "ended" | undefined;
      verified?: boolean | undefined;
      tag?: string | undefined;
      /** `broken`: a destination is broken. `ok`: all destinations work. `unknown`: others, such as redirects that are not verified. */
      health?: "ok" | "broken" | "unknown" | undefined;
      /** Lists the deleted redirects that can be restored, the last deleted first, instead of live ones. */
      deleted?: boolean | undefined;
      /** Default: `-createdAt`; `-updatedAt` for deleted redirects. */
      sort?: "createdAt" | "-createdAt" | "updatedAt" | "-updatedAt" | "fromDomain" | "-fromDomain" | undefined;
      /** Members to return, separated by commas. Default: all. Lists without `analyticsUsage` are faster. */
      fields?: Array<"id" | "fromDomain" | "toDomain" | "redirectType" | "pathForwarding" | "queryForwarding" | "samplingRate" | "cacheSeconds" | "queryRecording" | "statusCode" | "enabled" | "tags" | "note" | "externalId" | "startsAt" | "endsAt" | "afterEnd" | "notFound" | "responseHeaders" | "appendQuery" | "httpsMode" | "hsts" | "clickIdParam" | "isVerified" | "status" | "verification" | "userID" | "createdAt" | "updatedAt" | "verifiedAt" | "certificate" | "pathCount" | "version" | "analyticsUsage" | "deletedAt" | "restorableUntil"> | undefined;
      /** Adds `total` and `facets`. */
      count?: boolean | undefined;
    } | undefined;
    answer: ListRedirectsResponse;
  };
  /** Create a redirect */
  'POST /redirects': { body: AddRedirectRequest; answer: Redirect };
  /** Get a redirect */
  'GET /redirects/{id}': { params: { id: string | number }; answer: Redirect };
  /** Change a redirect */
  'PATCH /redirects/{id}': {
    params: { id: string | number };
    query?: ForceQuery | undefined;
    body: UpdateRedirectRequest;
    answer: Redirect;
  };
  /** Delete a redirect and its rules */
  'DELETE /redirects/{id}': { params: { id: string | number }; answer: Message };
  /** Restore a deleted redirect */
  'POST /redirects/{id}/restore': { params: { id: string | number }; answer: Redirect };
  /** Create a redirect */
  'POST /add-redirect': { body: AddRedirectRequest; answer: Redirect };
  /** Your redirects, newest first */
  'GET /get-redirects/me': { answer: Redirect[] };
  /** Change a redirect */
  'PUT /update/{id}': {
    params: { id: string | number };
    query?: ForceQuery | undefined;
    body: ChangeRedirectRequest;
    answer: Redirect;
  };
  /** Delete a redirect and its rules */
  'DELETE /delete-redirect/{id}': { params: { id: string | number }; answer: Message };
  /** Verify a domain now */
  'POST /verify-domain': { body: VerifyDomainRequest; answer: VerifyDomainResponse };
  /** Verify many domains now */
  'POST /verify-domains': { body: VerifyDomainsRequest; answer: VerifyDomainsResponse };
  /** Get the URL for visitors of disabled redirects */
  'GET /user/fallback': { answer: Fallback };
  /** Set the URL for visitors of disabled redirects */
  'PUT /user/fallback': { body: Fallback; answer: Fallback };
  /** The TXT record that proves a whole zone */
  'GET /domains/{domain}/proof': { params: { domain: string | number }; answer: ZoneProof };
  /** Create, change and delete many redirects */
  'POST /redirects/bulk': {
    query?: ForceQuery & {
      /** `all_or_nothing` (default): a failing row changes nothing. `best_effort`: other rows are applied. */
      mode?: "best_effort" | "all_or_nothing" | undefined;
      /** Changes nothing. The answer shows what would happen. */
      dryRun?: boolean | undefined;
    } | undefined;
    body: ChangeManyRedirectsRequest | RawBody;
    answer: ChangeManyRedirectsResponse;
  };
  /** Export all redirects */
  'GET /exports/redirects': {
    query?: {
      /** Default: `csv`. */
      format?: "csv" | "ndjson" | "json" | undefined;
    } | undefined;
    answer: string | Array<{
      id: string;
      fromDomain: string;
      toDomain: ToDomain;
      redirectType: RedirectType;
      /** Appends the request path to the destination. */
      pathForwarding: boolean;
      /** Appends the query string to the destination. */
      queryForwarding: boolean;
      samplingRate: SamplingRate;
      cacheSeconds: CacheSeconds;
      queryRecording: QueryRecording;
      statusCode: StatusCode;
      enabled: Enabled;
      tags: string[];
      note: string;
      externalId: ExternalId;
      startsAt: NullableTime;
      endsAt: NullableTime;
      afterEnd: AfterEnd;
      notFound: NotFound;
      responseHeaders: ResponseHeaders;
      appendQuery: AppendQuery;
      httpsMode: HttpsMode;
      hsts: Hsts;
      clickIdParam: ClickIdParam;
      isVerified: boolean;
      status: Status;
      verification: VerificationRecord;
      userID: string;
      createdAt: string;
      updatedAt: string;
      verifiedAt: NullableTime;
      /** Certificate of the domain. */
      certificate: Certificate | null;
      /** Number of entries in the path table. */
      pathCount: number;
      /** Increases with each change of the redirect. */
      version: number;
    }>;
  };
  /** The rules of a redirect, in the order of evaluation */
  'GET /rules/redirect/{redirectId}': {
    params: { redirectId: string | number };
    answer: ListRulesResponse;
  };
  /** Create a rule */
  'POST /rules/redirect/{redirectId}': {
    params: { redirectId: string | number };
    query?: ForceQuery | undefined;
    body: CreateRedirectRuleRequest;
    answer: DuplicateRuleResponse;
  };
  /** Create a rule */
  'POST /redirects/{id}/rules': {
    params: { id: string | number };
    query?: ForceQuery | undefined;
    body: CreateRedirectRuleRequest;
    answer: DuplicateRuleResponse;
  };
  /** Reorder the rules of a redirect */
  'PUT /rules/redirect/{redirectId}/reorder': {
    params: { redirectId: string | number };
    query?: ForceQuery | undefined;
    body: ReorderRulesRequest;
    answer: ReorderRulesResponse;
  };
  /** Get a rule */
  'GET /rules/{ruleId}': {
    params: { ruleId: string | number };
    answer: SetRuleStatusResponse;
  };
  /** Change a rule */
  'PUT /rules/{ruleId}': {
    params: { ruleId: string | number };
    query?: ForceQuery | undefined;
    body: ChangeRuleRequest;
    answer: SetRuleStatusResponse;
  };
  /** Change a rule */
  'PATCH /rules/{ruleId}': {
    params: { ruleId: string | number };
    query?: ForceQuery | undefined;
    body: UpdateRuleRequest;
    answer: SetRuleStatusResponse;
  };
  /** Delete a rule */
  'DELETE /rules/{ruleId}': {
    params: { ruleId: string | number };
    query?: ForceQuery | undefined;
    answer: Message;
  };
  /** Activate or deactivate a rule */
  'PUT /rules/{ruleId}/status': {
    params: { ruleId: string | number };
    query?: ForceQuery | undefined;
    body: SetRuleStatusRequest;
    answer: SetRuleStatusResponse;
  };
  /** Copy a rule */
  'POST /rules/{ruleId}/duplicate': {
    params: { ruleId: string | number };
    answer: DuplicateRuleResponse;
  };
  /** Test the rules with a visitor */
  'POST /rules/redirect/{redirectId}/test': {
    params: { redirectId: string | number };
    body: TestRulesRequest;
    answer: TestRulesResponse;
  };
  /** Attributes and operators for conditions */
  'GET /rules/attributes': {
    query?: {
      /** Adds recorded values of this redirect to `availableValues`. */
      redirectId?: string | undefined;
    } | undefined;
    answer: ListRuleAttributesResponse;
  };
  /** Values of an attribute to choose from */
  'GET /rules/redirect/{redirectId}/attributes/{attribute}/values': {
    params: {
      redirectId: string | number;
      /** A key from `GET /rules/attributes`. */
      attribute: string | number;
    };
    query?: {
      /** Name of the parameter, required for values of `query_param`. They come from the newest 2000 recorded hits with a query in the last 90 days. `stats/query-params` lists the names. */
      param?: string | undefined;
    } | undefined;
    answer: ListAttributeValuesResponse;
  };
  /** Matches of each rule */
  'GET /rules/redirect/{redirectId}/analytics': {
    params: { redirectId: string | number };
    answer: RuleAnalytics;
  };
  /** The table of paths of a redirect */
  'GET /redirects/{id}/paths': {
    params: { id: string | number };
    query?: {
      limit?: number | undefined;
      cursor?: string | undefined;
      /** Part of the source, destination or note, case-insensitive. */
      search?: string | undefined;
    } | undefined;
    answer: ListRedirectPathsResponse;
  };
  /** Add a path */
  'POST /redirects/{id}/paths': {
    params: { id: string | number };
    query?: ForceQuery | undefined;
    body: NewPathEntry;
    answer: WrittenPathEntry;
  };
  /** Replace the table of paths */
  'PUT /redirects/{id}/paths': {
    params: { id: string | number };
    query?: ForceQuery & {
      /** `true`: entries that lead to another entry of the table get the last destination, where it is the same for every visitor. The result is permanent if all entries on the way are, and keeps the method if all do. Diagnostics name what was collapsed. Destinations with placeholders, and ways past entries with query conditions, stay as they are. So does the whole table while the redirect has active rules or `appendQuery`, or is a wildcard. */
      collapse?: boolean | undefined;
    } | undefined;
    body: StageRedirectPathsRequest;
    answer: RestoreRedirectPathsResponse;
  };
  /** Change the options of the table of paths */
  'PATCH /redirects/{id}/paths': {
    params: { id: string | number };
    query?: ForceQuery | undefined;
    body: ChangeRedirectPathOptionsRequest;
    answer: ChangeRedirectPathOptionsResponse;
  };
  /** Change a path */
  'PATCH /redirects/{id}/paths/{entryId}': {
    params: { id: string | number; entryId: string | number };
    query?: ForceQuery | undefined;
    body: UpdateRedirectPathRequest;
    answer: WrittenPathEntry;
  };
  /** Delete a path */
  'DELETE /redirects/{id}/paths/{entryId}': {
    params: { id: string | number; entryId: string | number };
    query?: ForceQuery | undefined;
    answer: Message;
  };
  /** Test the table of paths with URLs */
  'POST /redirects/{id}/paths/test': {
    params: { id: string | number };
    body: TestStagedRedirectPathsRequest;
    answer: TestStagedRedirectPathsResponse;
  };
  /** Upload a table beside the live one */
  'PUT /redirects/{id}/paths/staged': {
    params: { id: string | number };
    query?: {
      /** `true`: entries that lead to another entry of the table get the last destination, where it is the same for every visitor. The result is permanent if all entries on the way are, and keeps the method if all do. Diagnostics name what was collapsed. Destinations with placeholders, and ways past entries with query conditions, stay as they are. So does the whole table while the redirect has active rules or `appendQuery`, or is a wildcard. */
      collapse?: boolean | undefined;
    } | undefined;
    body: StageRedirectPathsRequest;
    answer: RestoreRedirectPathsResponse;
  };
  /** The staged table of paths */
  'GET /redirects/{id}/paths/staged': {
    params: { id: string | number };
    query?: { limit?: number | undefined; cursor?: string | undefined } | undefined;
    answer: GetStagedRedirectPathsResponse;
  };
  /** Discard the staged table of paths */
  'DELETE /redirects/{id}/paths/staged': { params: { id: string | number }; answer: Message };
  /** Differences between the staged and the live table */
  'GET /redirects/{id}/paths/staged/diff': {
    params: { id: string | number };
    query?: { limit?: number | undefined; cursor?: string | undefined } | undefined;
    answer: CompareStagedRedirectPathsResponse;
  };
  /** Test the staged table with URLs */
  'POST /redirects/{id}/paths/staged/test': {
    params: { id: string | number };
    body: TestStagedRedirectPathsRequest;
    answer: TestStagedRedirectPathsResponse;
  };
  /** Make the staged table of paths the live one */
  'POST /redirects/{id}/paths/staged/publish': {
    params: { id: string | number };
    query?: ForceQuery & {
      /** `true`: entries that lead to another entry of the table get the last destination, where it is the same for every visitor. The result is permanent if all entries on the way are, and keeps the method if all do. Diagnostics name what was collapsed. Destinations with placeholders, and ways past entries with query conditions, stay as they are. So does the whole table while the redirect has active rules or `appendQuery`, or is a wildcard. */
      collapse?: boolean | undefined;
    } | undefined;
    answer: RestoreRedirectPathsResponse;
  };
  /** Restore the table of paths before the last replacement */
  'POST /redirects/{id}/paths/restore': {
    params: { id: string | number };
    query?: ForceQuery | undefined;
    answer: RestoreRedirectPathsResponse;
  };
  /** Export the table of paths */
  'GET /exports/redirects/{id}/paths': {
    params: { id: string | number };
    query?: {
      /** Default: `csv`. */
      format?: "csv" | "json" | "nginx" | "netlify" | "caddy" | undefined;
    } | undefined;
    answer: string | unknown[];
  };
  /** Import a file */
  'POST /imports': {
    query?: ForceQuery & {
      /** `redirects` (default): whole hosts. `paths`: path table entries of `redirectId`. */
      kind?: "redirects" | "paths" | undefined;
      /** Required with `kind=paths`. */
      redirectId?: string | undefined;
      /** Default: `csv` or `ndjson`, by `Content-Type`. */
      format?: "csv" | "ndjson" | "json" | "nginx" | "htaccess" | "netlify" | "cloudflare" | "vercel" | "caddy" | "shlink" | "yourls" | "bitly" | "wordpress" | undefined;
      /** `best_effort` (default): other rows are applied. `all_or_nothing`: a failing row changes nothing; up to 50000 rows. */
      mode?: "best_effort" | "all_or_nothing" | undefined;
      /** Changes nothing. The rows show what would happen. */
      dryRun?: boolean | undefined;
      /** Only for `kind=paths`. Imported rows that lead to another entry of the table get the last destination, as `collapse` of `PUT /redirects/{id}/paths` does. */
      collapse?: boolean | undefined;
      /** Only for `kind=redirects`. Rows that create a redirect for a domain of yours that has one already fail (`fail`, default), are skipped, or change it. Rows that equal it count as unchanged with `update`. */
      onExisting?: "fail" | "skip" | "update" | undefined;
    } | undefined;
    body: RawBody | Record<string, unknown>;
    answer: Import;
  };
  /** List your imports, newest first */
  'GET /imports': {
    query?: { limit?: number | undefined; cursor?: string | undefined } | undefined;
    answer: ListImportsResponse;
  };
  /** Get an import and its progress */
  'GET /imports/{id}': { params: { id: string | number }; answer: Import };
  /** Results of the rows of an import */
  'GET /imports/{id}/rows': {
    params: { id: string | number };
    query?: {
      /** Only rows with this status. */
      status?: "created" | "updated" | "deleted" | "unchanged" | "failed" | "skipped" | undefined;
      /** `json` (default): one page. `csv`: all rows as a file. */
      format?: "json" | "csv" | undefined;
      limit?: number | undefined;
      cursor?: string | undefined;
    } | undefined;
    answer: ListImportRowsResponse | string;
  };
  /** Cancel an import */
  'POST /imports/{id}/cancel': { params: { id: string | number }; answer: Import };
  /** Write the draft of a redirect */
  'PUT /redirects/{id}/draft': {
    params: { id: string | number };
    body: NewDraft;
    answer: Draft;
  };
  /** The draft of a redirect */
  'GET /redirects/{id}/draft': { params: { id: string | number }; answer: Draft };
  /** Discard the draft of a redirect */
  'DELETE /redirects/{id}/draft': { params: { id: string | number }; answer: Message };
  /** Publish the draft of a redirect */
  'POST /redirects/{id}/draft/publish': {
    params: { id: string | number };
    query?: ForceQuery | undefined;
    body?: PublishDraftRequest;
    answer: Redirect | Draft;
  };
  /** Test the draft on a visitor and URLs */
  'POST /redirects/{id}/draft/test': {
    params: { id: string | number };
    body: TestDraftRequest;
    answer: TestDraftResponse;
  };
  /** Roll back to a version */
  'POST /redirects/{id}/versions/{n}/rollback': {
    params: {
      id: string | number;
      /** Number of the version. */
      n: string | number;
    };
    query?: ForceQuery | undefined;
    answer: Redirect;
  };
  /** The examples of a redirect */
  'GET /redirects/{id}/examples': { params: { id: string | number }; answer: PutExamplesResponse };
  /** Replace the examples of a redirect */
  'PUT /redirects/{id}/examples': {
    params: { id: string | number };
    body: NewExamples;
    answer: PutExamplesResponse;
  };
  /** Run the examples of a redirect */
  'POST /redirects/{id}/examples/run': {
    params: { id: string | number };
    body?: RunExamplesRequest;
    answer: RunExamplesResponse;
  };
  /** List the versions of a redirect, newest first */
  'GET /redirects/{id}/versions': {
    params: { id: string | number };
    query?: {
      limit?: number | undefined;
      /** `nextCursor` of the previous page. Default: the first page. */
      cursor?: string | undefined;
    } | undefined;
    answer: ListVersionsResponse;
  };
  /** The state of a redirect at a version */
  'GET /redirects/{id}/versions/{n}': {
    params: {
      id: string | number;
      /** Number of the version. */
      n: string | number;
    };
    query?: {
      /** Maximum entries of the table of paths. */
      limit?: number | undefined;
      /** `nextCursor` of the previous page. Default: the first page. */
      cursor?: string | undefined;
    } | undefined;
    answer: VersionState;
  };
  /** The differences of two versions */
  'GET /redirects/{id}/versions/{n}/diff': {
    params: {
      id: string | number;
      /** Number of the version. */
      n: string | number;
    };
    query?: {
      /** Version to compare with. Default: the one before. 0 is the state before the creation. */
      against?: number | undefined;
      limit?: number | undefined;
      /** `nextCursor` of the previous page. Default: the first page. */
      cursor?: string | undefined;
    } | undefined;
    answer: CompareVersionsResponse;
  };
  /** Changes of everything you own, newest first */
  'GET /audit': {
    query?: {
      /** Id of a resource, or a type: redirect, token, session, account, webhook_endpoint, certificate, import, subscription, payment. Changes of rules and paths are those of their redirect. */
      resource?: string | undefined;
      /** An action, or its first or last part: `rule.updated`, `rule`, `updated`. */
      action?: "redirect.created" | "redirect" | "created" | "redirect.updated" | "updated" | "redirect.deleted" | "deleted" | "redirect.restored" | "restored" | "redirect.verified" | "verified" | "redirect.unverified" | "unverified" | "redirect.switched_off" | "switched_off" | "redirect.switched_on" | "switched_on" | "redirect.taken_down" | "taken_down" | "redirect.takedown_lifted" | "takedown_lifted" | "redirect.rolled_back" | "rolled_back" | "rule.created" | "rule" | "rule.updated" | "rule.duplicated" | "duplicated" | "rule.deleted" | "rule.reordered" | "reordered" | "path.created" | "path" | "path.updated" | "path.deleted" | "paths.replaced" | "paths" | "replaced" | "paths.imported" | "imported" | "paths.published" | "published" | "paths.restored" | "draft.published" | "draft" | "draft.written" | "written" | "draft.scheduled" | "scheduled" | "draft.deleted" | "paths.staged" | "staged" | "paths.discarded" | "discarded" | "examples.replaced" | "examples" | "token.created" | "token" | "token.deleted" | "session.created" | "session" | "session.deleted" | "account.created" | "account" | "account.email_verified" | "email_verified" | "account.password_changed" | "password_changed" | "account.deletion_requested" | "deletion_requested" | "account.restored" | "account.fallback_changed" | "fallback_changed" | "account.suspended" | "suspended" | "account.resumed" | "resumed" | "webhook_endpoint.created" | "webhook_endpoint" | "webhook_endpoint.updated" | "webhook_endpoint.deleted" | "webhook_endpoint.secret_rotated" | "secret_rotated" | "certificate.uploaded" | "certificate" | "uploaded" | "certificate.deleted" | "import.created" | "import" | "import.canceled" | "canceled" | "subscription.changed" | "subscription" | "changed" | "payment.changed" | "payment" | undefined;
      /** First moment. */
      since?: string | undefined;
      /** Last moment, included. */
      until?: string | undefined;
      limit?: number | undefined;
      /** `nextCursor` of the previous page. Default: the first page. */
      cursor?: string | undefined;
    } | undefined;
    answer: ListAuditEntriesResponse;
  };
  /** Changes of everything you own as a file */
  'GET /exports/audit': {
    query?: {
      /** Id of a resource, or a type: redirect, token, session, account, webhook_endpoint, certificate, import, subscription, payment. Changes of rules and paths are those of their redirect. */
      resource?: string | undefined;
      /** An action, or its first or last part: `rule.updated`, `rule`, `updated`. */
      action?: "redirect.created" | "redirect" | "created" | "redirect.updated" | "updated" | "redirect.deleted" | "deleted" | "redirect.restored" | "restored" | "redirect.verified" | "verified" | "redirect.unverified" | "unverified" | "redirect.switched_off" | "switched_off" | "redirect.switched_on" | "switched_on" | "redirect.taken_down" | "taken_down" | "redirect.takedown_lifted" | "takedown_lifted" | "redirect.rolled_back" | "rolled_back" | "rule.created" | "rule" | "rule.updated" | "rule.duplicated" | "duplicated" | "rule.deleted" | "rule.reordered" | "reordered" | "path.created" | "path" | "path.updated" | "path.deleted" | "paths.replaced" | "paths" | "replaced" | "paths.imported" | "imported" | "paths.published" | "published" | "paths.restored" | "draft.published" | "draft" | "draft.written" | "written" | "draft.scheduled" | "scheduled" | "draft.deleted" | "paths.staged" | "staged" | "paths.discarded" | "discarded" | "examples.replaced" | "examples" | "token.created" | "token" | "token.deleted" | "session.created" | "session" | "session.deleted" | "account.created" | "account" | "account.email_verified" | "email_verified" | "account.password_changed" | "password_changed" | "account.deletion_requested" | "deletion_requested" | "account.restored" | "account.fallback_changed" | "fallback_changed" | "account.suspended" | "suspended" | "account.resumed" | "resumed" | "webhook_endpoint.created" | "webhook_endpoint" | "webhook_endpoint.updated" | "webhook_endpoint.deleted" | "webhook_endpoint.secret_rotated" | "secret_rotated" | "certificate.uploaded" | "certificate" | "uploaded" | "certificate.deleted" | "import.created" | "import" | "import.canceled" | "canceled" | "subscription.changed" | "subscription" | "changed" | "payment.changed" | "payment" | undefined;
      /** First moment. */
      since?: string | undefined;
      /** Last moment, included. */
      until?: string | undefined;
      /** Default: `csv`. */
      format?: "csv" | "ndjson" | undefined;
    } | undefined;
    answer: string;
  };
  /** Counts of a period */
  'GET /analytics/redirect/{redirectId}/stats/basic': {
    params: { /** Id of the redirect. */ redirectId: string | number };
    query?: GetBasicStatsQuery | undefined;
    answer: BasicStats;
  };
  /** Overview of a redirect */
  'GET /analytics/redirect/{redirectId}/dashboard': {
    params: { /** Id of the redirect. */ redirectId: string | number };
    query?: GetBasicStatsQuery | undefined;
    answer: Dashboard;
  };
  /** Hits over time */
  'GET /analytics/redirect/{redirectId}/stats/time': {
    params: { /** Id of the redirect. */ redirectId: string | number };
    query?: GetBasicStatsQuery & {
      /** Length of a bucket. Weeks begin on Monday. */
      interval?: "hour" | "day" | "week" | "month" | undefined;
    } | undefined;
    answer: TimeStats;
  };
  /** Locations of visitors */
  'GET /analytics/redirect/{redirectId}/stats/geo': {
    params: { /** Id of the redirect. */ redirectId: string | number };
    query?: GetDeviceStatsQuery & {
      /** Kind of location. */
      groupBy?: "country" | "region" | "city" | undefined;
    } | undefined;
    answer: GeoStats;
  };
  /** Devices, operating systems and browsers */
  'GET /analytics/redirect/{redirectId}/stats/devices': {
    params: { /** Id of the redirect. */ redirectId: string | number };
    query?: GetDeviceStatsQuery | undefined;
    answer: DeviceStats;
  };
  /** Referrers */
  'GET /analytics/redirect/{redirectId}/stats/referrers': {
    params: { /** Id of the redirect. */ redirectId: string | number };
    query?: GetReferrerStatsQuery | undefined;
    answer: ReferrerStats;
  };
  /** Hits by the hour of the day */
  'GET /analytics/redirect/{redirectId}/stats/hourly': {
    params: { /** Id of the redirect. */ redirectId: string | number };
    query?: GetDeviceStatsQuery | undefined;
    answer: HourlyStats;
  };
  /** A period against the one before */
  'GET /analytics/redirect/{redirectId}/stats/comparison': {
    params: { /** Id of the redirect. */ redirectId: string | number };
    query?: GetBasicStatsQuery | undefined;
    answer: ComparisonStats;
  };
  /** Busiest hours */
  'GET /analytics/redirect/{redirectId}/stats/peak-traffic': {
    params: { /** Id of the redirect. */ redirectId: string | number };
    query?: GetReferrerStatsQuery | undefined;
    answer: PeakTrafficStats;
  };
  /** Visitors who came once, and who came again */
  'GET /analytics/redirect/{redirectId}/stats/return-visitors': {
    params: { /** Id of the redirect. */ redirectId: string | number };
    query?: GetDeviceStatsQuery | undefined;
    answer: ReturnVisitorStats;
  };
  /** Status codes */
  'GET /analytics/redirect/{redirectId}/stats/status-codes': {
    params: { /** Id of the redirect. */ redirectId: string | number };
    query?: GetDeviceStatsQuery | undefined;
    answer: StatusCodeStats;
  };
  /** Errors */
  'GET /analytics/redirect/{redirectId}/stats/errors': {
    params: { /** Id of the redirect. */ redirectId: string | number };
    query?: HitFilter & {
      /** Whether to count bots. Default: true. */
      includeBots?: boolean | undefined;
    } | undefined;
    answer: ErrorStats;
  };
  /** Bots by reason */
  'GET /analytics/redirect/{redirectId}/stats/bots': {
    params: { /** Id of the redirect. */ redirectId: string | number };
    query?: HitFilter & {
      /** Whether to count bots. It has no effect here. */
      includeBots?: boolean | undefined;
    } | undefined;
    answer: BotStats;
  };
  /** Languages */
  'GET /analytics/redirect/{redirectId}/stats/languages': {
    params: { /** Id of the redirect. */ redirectId: string | number };
    query?: GetReferrerStatsQuery | undefined;
    answer: LanguageStats;
  };
  /** Requested paths */
  'GET /analytics/redirect/{redirectId}/stats/paths': {
    params: { /** Id of the redirect. */ redirectId: string | number };
    query?: GetReferrerStatsQuery | undefined;
    answer: PathStats;
  };
  /** User agents */
  'GET /analytics/redirect/{redirectId}/stats/user-agents': {
    params: { /** Id of the redirect. */ redirectId: string | number };
    query?: GetReferrerStatsQuery | undefined;
    answer: UserAgentStats;
  };
  /** Browsers, without versions */
  'GET /analytics/redirect/{redirectId}/stats/browser-families': {
    params: { /** Id of the redirect. */ redirectId: string | number };
    query?: GetReferrerStatsQuery | undefined;
    answer: BrowserFamilyStats;
  };
  /** Kinds of devices */
  'GET /analytics/redirect/{redirectId}/stats/device-categories': {
    params: { /** Id of the redirect. */ redirectId: string | number };
    query?: GetDeviceStatsQuery | undefined;
    answer: DeviceCategoryStats;
  };
  /** Destinations */
  'GET /analytics/redirect/{redirectId}/stats/destination-urls': {
    params: { /** Id of the redirect. */ redirectId: string | number };
    query?: GetReferrerStatsQuery | undefined;
    answer: DestinationUrlStats;
  };
  /** Campaigns */
  'GET /analytics/redirect/{redirectId}/stats/campaigns': {
    params: { /** Id of the redirect. */ redirectId: string | number };
    query?: GetReferrerStatsQuery | undefined;
    answer: CampaignStats;
  };
  /** Query parameters */
  'GET /analytics/redirect/{redirectId}/stats/query-params': {
    params: { /** Id of the redirect. */ redirectId: string | number };
    query?: GetReferrerStatsQuery | undefined;
    answer: QueryParamStats;
  };
  /** Used and unused entries of the table of paths */
  'GET /analytics/redirect/{redirectId}/stats/entries': {
    params: { /** Id of the redirect. */ redirectId: string | number };
    query?: GetReferrerStatsQuery | undefined;
    answer: EntryStats;
  };
  /** Requested paths without an entry or rule */
  'GET /analytics/redirect/{redirectId}/stats/unmatched-paths': {
    params: { /** Id of the redirect. */ redirectId: string | number };
    query?: GetReferrerStatsQuery | undefined;
    answer: UnmatchedPathStats;
  };
  /** List hits, newest first */
  'GET /analytics/redirect/{redirectId}/hits': {
    params: { /** Id of the redirect. */ redirectId: string | number };
    query?: HitFilter & {
      /** Whether to list hits of bots. `isBot` overrides it. */
      includeBots?: boolean | undefined;
      /** Page number, starting with 1. Pages cover the first 100000 hits; `hits/export` has all. */
      page?: number | undefined;
      /** Hits per page. */
      limit?: number | undefined;
      /** Only hits of bots (`true`) or of others (`false`). */
      isBot?: boolean | undefined;
    } | undefined;
    answer: Hits;
  };
  /** Export hits, newest first */
  'GET /analytics/redirect/{redirectId}/hits/export': {
    params: { /** Id of the redirect. */ redirectId: string | number };
    query?: HitFilter & {
      /** Whether to list hits of bots. `isBot` overrides it. */
      includeBots?: boolean | undefined;
      /** `ndjson`: one hit per line, as in `hits`. `csv`: the same as columns. */
      format?: "csv" | "ndjson" | undefined;
      /** Only hits of bots (`true`) or of others (`false`). */
      isBot?: boolean | undefined;
    } | undefined;
    answer: string;
  };
  /** Several statistics in one request */
  'GET /analytics/redirect/{redirectId}/stats': {
    params: { /** Id of the redirect. */ redirectId: string | number };
    query: GetReferrerStatsQuery & {
      /** Statistics to include, separated by commas. */
      include: Array<"basic" | "dashboard" | "time" | "geo" | "devices" | "referrers" | "hourly" | "comparison" | "peak-traffic" | "return-visitors" | "status-codes" | "errors" | "bots" | "languages" | "paths" | "user-agents" | "browser-families" | "device-categories" | "destination-urls" | "campaigns" | "query-params" | "entries" | "unmatched-paths">;
      /** Length of a bucket. Weeks begin on Monday. */
      interval?: "hour" | "day" | "week" | "month" | undefined;
      /** Kind of location. */
      groupBy?: "country" | "region" | "city" | undefined;
    };
    answer: SeveralStats;
  };
  /** How an experiment is going, and how sure that is */
  'GET /experiments/{ruleId}/results': {
    params: {
      /** Rule with the action `ab_test`, or a `percentage_redirect` below 100 %. */
      ruleId: string | number;
    };
    query?: {
      /** Goal that counts as a conversion: the name of a goal of posted conversions, or `visit:HOST/PATH` for a visit of the same visitor to another path or redirect of yours (a final `*` stands for any rest). Default: posted conversions of any goal. */
      goal?: string | undefined;
      /** A date (YYYY-MM-DD) or an ISO 8601 timestamp, UTC unless it says its offset; inclusive. Default: the day (UTC) on which the rule was created. */
      start?: string | undefined;
      /** As `start`; a date alone is the whole day. Default: now. May be in the future. */
      end?: string | undefined;
      /** Days after the first visit in which a conversion counts. Default: 7 for visits, none for posted conversions. Conversions after `end` never count. */
      windowDays?: number | undefined;
      /** Effect that `neededVisitors` is for, in percent of the rate of the baseline. */
      effectPercent?: number | undefined;
      /** Whether bots count as visitors. Default: false. `bots` shows them in any case. */
      includeBots?: boolean | undefined;
    } | undefined;
    answer: ExperimentResults;
  };
  /** Report conversions of the visitors of an experiment */
  'POST /experiments/{ruleId}/conversions': {
    params: {
      /** Rule with the action `ab_test`, or a `percentage_redirect` below 100 %. */
      ruleId: string | number;
    };
    body: PostConversionsRequest;
    answer: ConversionsAnswer;
  };
  /** Replay recorded visits */
  'POST /redirects/{id}/replay': {
    params: { id: string | number };
    body: StartReplayRequest;
    answer: Replay;
  };
  /** List the replays of a redirect, newest first */
  'GET /redirects/{id}/replays': {
    params: { id: string | number };
    query?: {
      limit?: number | undefined;
      /** `nextCursor` of the previous page. Default: the first page. */
      cursor?: string | undefined;
    } | undefined;
    answer: ListReplaysResponse;
  };
  /** A replay: its progress and its result */
  'GET /replays/{id}': { params: { id: string | number }; answer: Replay };
  /** Cancel a replay */
  'POST /replays/{id}/cancel': { params: { id: string | number }; answer: Replay };
  /** Explain the decision about a recorded hit */
  'POST /redirects/{id}/explain': {
    params: { id: string | number };
    body: ExplainHitRequest;
    answer: HitExplanation;
  };
  /** List the plans */
  'GET /user/plans': { answer: ListPlansResponse };
  /** Begin to pay for a plan */
  'POST /payment/checkout': { body: CreateCheckoutRequest; answer: CreateCheckoutResponse };
  /** Get a checkout */
  'GET /payment/checkout/{id}': { params: { id: string | number }; answer: GetCheckoutResponse };
  /** Your subscription */
  'GET /payment/subscription': { answer: GetSubscriptionResponse };
  /** Cancel your subscription */
  'POST /payment/subscription/cancel': {
    body?: CancelSubscriptionRequest;
    answer: ReactivateSubscriptionResponse;
  };
  /** Withdraw a cancellation */
  'POST /payment/subscription/reactivate': { answer: ReactivateSubscriptionResponse };
  /** Open the billing portal */
  'POST /payment/portal': {
    body?: CreatePortalSessionRequest;
    answer: CreatePortalSessionResponse;
  };
  /** Your transactions, newest first */
  'GET /payment/history': {
    query?: { page?: number | undefined; limit?: number | undefined } | undefined;
    answer: ListTransactionsResponse;
  };
  /** Plan, payments and usage */
  'GET /payment/billing': { answer: GetBillingSummaryResponse };
  /** Events of Stripe */
  'POST /webhooks/stripe': { answer: TakeStripeEventResponse };
  /** Create a webhook endpoint */
  'POST /webhook-endpoints': {
    body: CreateWebhookEndpointRequest;
    answer: CreatedWebhookEndpoint;
  };
  /** Your webhook endpoints, newest first */
  'GET /webhook-endpoints': { answer: ListWebhookEndpointsResponse };
  /** Change a webhook endpoint */
  'PATCH /webhook-endpoints/{id}': {
    params: { id: string | number };
    body: UpdateWebhookEndpointRequest;
    answer: WebhookEndpoint;
  };
  /** Delete a webhook endpoint */
  'DELETE /webhook-endpoints/{id}': { params: { id: string | number }; answer: Message };
  /** Replace the secret of a webhook endpoint */
  'POST /webhook-endpoints/{id}/rotate-secret': {
    params: { id: string | number };
    answer: CreatedWebhookEndpoint;
  };
  /** Send a test message */
  'POST /webhook-endpoints/{id}/test': {
    params: { id: string | number };
    answer: ResendWebhookDeliveryResponse;
  };
  /** Deliveries of an endpoint, newest first */
  'GET /webhook-endpoints/{id}/deliveries': {
    params: { id: string | number };
    query?: { page?: number | undefined; limit?: number | undefined } | undefined;
    answer: ListWebhookDeliveriesResponse;
  };
  /** Send a message again */
  'POST /webhook-deliveries/{id}/resend': {
    params: { id: string | number };
    answer: ResendWebhookDeliveryResponse;
  };
  /** Your certificates, by host */
  'GET /certificates': {
    query?: {
      limit?: number | undefined;
      /** `nextCursor` of the previous page. */
      cursor?: string | undefined;
      /** Part of the host, case-insensitive. */
      search?: string | undefined;
      state?: "waiting_for_dns" | "ordering" | "issued" | "renewing" | "failed" | undefined;
      /** Adds `total` and `facets`. The time for it grows with the number of certificates. */
      count?: boolean | undefined;
    } | undefined;
    answer: ListCertificatesResponse;
  };
  /** List certificates of all users that end soon or fail */
  'GET /admin/certificates': {
    query?: {
      limit?: number | undefined;
      /** `nextCursor` of the previous page. */
      cursor?: string | undefined;
      /** Part of the host, case-insensitive. */
      search?: string | undefined;
      /** Certificates whose validity period ends within this number of days are in the list. */
      days?: number | undefined;
    } | undefined;
    answer: ListCertificatesToCheckResponse;
  };
  /** The certificate of a host */
  'GET /certificates/{host}': { params: { host: string | number }; answer: CertificateDetail };
  /** Upload a certificate */
  'PUT /certificates/{host}': {
    params: { host: string | number };
    body: UploadCertificateRequest;
    answer: CertificateDetail;
  };
  /** Delete a certificate and its key */
  'DELETE /certificates/{host}': { params: { host: string | number }; answer: Message };
  /** Try again to obtain or renew a certificate */
  'POST /certificates/{host}/retry': { params: { host: string | number }; answer: CertificateDetail };
  /** Whether the destinations of a redirect work */
  'GET /redirects/{id}/health': { params: { id: string | number }; answer: RedirectHealth };
  /** List the broken destinations of all users, the last to break first */
  'GET /admin/destinations': {
    query?: {
      limit?: number | undefined;
      /** `nextCursor` of the previous page. Default: the first page. */
      cursor?: string | undefined;
      /** Part of the URL. */
      search?: string | undefined;
    } | undefined;
    answer: ListBrokenDestinationsResponse;
  };
  /** List users, newest first */
  'GET /admin/users': {
    query?: {
      limit?: number | undefined;
      /** `nextCursor` of the previous page. Default: the first page. */
      cursor?: string | undefined;
      /** Part of an e-mail address, or an id. */
      search?: string | undefined;
      status?: "active" | "suspended" | undefined;
    } | undefined;
    answer: ListUsersResponse;
  };
  /** Suspend a user */
  'POST /admin/users/{id}/suspend': {
    params: { id: string | number };
    body?: SuspendUserRequest;
    answer: ListedUser;
  };
  /** Lift a suspension */
  'POST /admin/users/{id}/resume': { params: { id: string | number }; answer: ListedUser };
  /** Take down a host or a destination */
  'POST /admin/takedowns': { body: CreateTakedownRequest; answer: CreatedTakedown };
  /** List takedowns, newest first, lifted ones included */
  'GET /admin/takedowns': {
    query?: {
      limit?: number | undefined;
      /** `nextCursor` of the previous page. Default: the first page. */
      cursor?: string | undefined;
    } | undefined;
    answer: ListTakedownsResponse;
  };
  /** Lift a takedown */
  'DELETE /admin/takedowns/{id}': { params: { id: string | number }; answer: Message };
  /** Release a domain from its owner */
  'POST /admin/domains/{domain}/release': { params: { domain: string | number }; answer: Message };
  /** List what operators did, newest first */
  'GET /admin/log': {
    query?: {
      limit?: number | undefined;
      /** `nextCursor` of the previous page. Default: the first page. */
      cursor?: string | undefined;
      action?: "user.suspend" | "user.resume" | "takedown.create" | "takedown.lift" | "domain.release" | "epoch.begin" | undefined;
      /** Part of the subject or of the address of the operator. */
      search?: string | undefined;
      /** First moment. */
      since?: string | undefined;
      /** Last moment, included. */
      until?: string | undefined;
    } | undefined;
    answer: ListOperatorLogResponse;
  };
  /** State of data planes and their hits */
  'GET /admin/dataplanes': { answer: ListDataplanesResponse };
  /** Begin a new epoch of rulesets */
  'POST /admin/new-epoch': { answer: StartNewEpochResponse };
}
