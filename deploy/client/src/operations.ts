// Generated from the OpenAPI document by `npm run client:types`. Do not edit.

/** A body that is sent as it is. */
export type RawBody = string | Uint8Array | Blob | ReadableStream<Uint8Array>;

export type AbTestAction = {
  type: "ab_test";
  /** Their names are distinct, their percentages sum to 100. A switch or status that one lacks is that of the action. */
  variants: Variant[];
  /** Default: the switch of the redirect. */
  pathForwarding?: boolean;
  /** Default: the switch of the redirect. */
  queryForwarding?: boolean;
  /** Status of the answer. Default, which is not written into the action: 302. */
  statusCode?: 301 | 302 | 307 | 308;
  /** How a visitor's choice is remembered: in a cookie for 30 days; by a keyed hash of address and user agent; not at all. Default, which is not written into the action: `cookie`. */
  sticky?: "cookie" | "visitor" | "none";
};

export type AccessToken = {
  id: string;
  name: string;
  scopes: Scope[];
  /** `null`: it has no end. */
  expiresAt: string | null;
  lastUsedAt: LastUsedAt;
  createdAt: string;
};

export type Account = {
  user: User;
  /** When the account is erased, because its deletion was asked for; `null`: never. */
  eraseAt: string | null;
  plan: Plan;
  usage: {
    /** `redirectsUsed` and `redirectsPending` together. */
    redirects: number;
    /** Those that are active. `maxRedirects` limits the pending ones too. */
    redirectsUsed: number;
    /** Those whose domain is not verified yet. */
    redirectsPending: number;
    /** Limit of the plan; -1: no limit. */
    maxRedirects: number;
    /** Whether the plan allows one more. */
    canCreateRedirect: boolean;
    /** Recorded in this billing period. */
    totalAnalyticsEvents: number;
    lastUsageUpdate: string;
  };
  /** The same as `user.isEmailVerified`. */
  isEmailVerified: boolean;
  /** Whether the user runs this installation. */
  isOperator: boolean;
  isOnTrial: boolean;
  /** `null`: not on trial. */
  trialEndsAt: string | null;
  /** A payment failed, and the plan applies for its days of grace. */
  isInGracePeriod: boolean;
};

export type AddRedirectRequest = {
  /** Domain or subdomain without protocol and path. */
  fromDomain: string;
  /** Destination URL, with protocol. */
  toDomain: string;
  redirectType?: RedirectType;
  /** Append the request path to the destination. */
  pathForwarding?: boolean;
  /** Carry the query string to the destination. */
  queryForwarding?: boolean;
  samplingRate?: SamplingRate;
  cacheSeconds?: CacheSeconds;
  queryRecording?: QueryRecording;
  statusCode?: StatusCode;
  /** `false`: visitors get 404. */
  enabled?: boolean;
  tags?: string[];
  note?: string;
  externalId?: ExternalId;
  startsAt?: StartsAt;
  endsAt?: EndsAt;
  afterEnd?: AfterEnd;
  responseHeaders?: ResponseHeaders;
  appendQuery?: AppendQuery;
  httpsMode?: HttpsMode;
  hsts?: Hsts;
};

/** Answer after `endsAt`: 410 Gone, or 302 to exactly this URL, without path, query, headers or rules of the redirect. `null`: 404. */
export type AfterEnd = {
  statusCode?: 410;
  url?: string;
} | null;

export type AnalyticsUsage = {
  /** Recorded this month. */
  recordedHits: number;
  /** The same, scaled by the sampling rate of each hit. */
  estimatedTotalHits: number;
  samplingRate: number;
  /** YYYY-MM, UTC. */
  month: string;
  /** Events a month that the plan records; -1: no limit. */
  planLimit: number;
  usagePercentage: number;
  limitStatus: "within_limit" | "approaching_limit" | "limit_reached";
  canRecordMore: boolean;
};

/** Query parameters to add to every destination, those of rules included, when the request's query has none of that name. Names and values are not encoded. */
export type AppendQuery = Record<string, string>;

export type Attribute = "country" | "region" | "city" | "device_type" | "device_brand" | "device_model" | "browser_name" | "browser_version" | "os_name" | "os_version" | "referrer" | "referrer_domain" | "hour_of_day" | "day_of_week" | "language" | "url_path" | "query_param" | "user_agent" | "ip_address";

export type AttributeCategory = {
  name: string;
  description: string;
  /** An emoji. */
  icon: string;
  /** Name of an icon of the Lucide set. */
  iconName: string;
  attributes: RuleAttribute[];
};

export type AttributeValue = {
  /** As a condition takes it. */
  value: string;
  /** For people. */
  label: string;
  /** `analytics`: recorded hits have it. `predefined`: a usual value that none has. */
  source: "predefined" | "analytics";
  /** Recorded hits that have it. */
  count?: number;
};

export type Basic = {
  bots: Bots;
  series: Series;
};

export type BasicStats = {
  data: BasicStatsData;
  meta: StatsMeta;
};

export type BasicStatsData = {
  /** `botHits` + `humanHits`. */
  totalHits: number;
  uniqueVisitors: UniqueVisitors;
  /** Hits of known bots. */
  botHits: number;
  /** All other hits. */
  humanHits: number;
  /** `totalHits` over the calendar days that the period touches. */
  avgHitsPerDay: number;
  /** Hits of the day that had the most. */
  peakHits: number;
  /** Midnight of that day, the earliest of equals. */
  peakDate: string | null;
  /** Percentage of hits answered with 2xx or 3xx. */
  successRate: number;
};

export type BotStats = {
  data: BotStatsData;
  meta: StatsMeta;
};

export type BotStatsData = {
  /** By hits, most first, then by reason. */
  bots: Array<{
    /** As in the hits: `user-agent`, `head`, `prefetch`, `preview`; or `unknown`. */
    botReason: string;
    /** Hits of bots known by it. */
    hits: number;
    /** Distinct bots among them. */
    uniqueVisitors: number;
    /** Share of all bots' hits. */
    percentage: number;
  }>;
  /** Every day that the period touches. */
  daily: Array<{
    /** Of the time zone. */
    date: string;
    /** Bots' hits. */
    hits: number;
    /** Distinct bots among them. */
    uniqueVisitors: number;
  }>;
  summary: {
    /** `botHits` + `humanHits`. */
    totalHits: number;
    /** Hits of known bots. */
    botHits: number;
    /** All other hits. */
    humanHits: number;
    /** Share of `botHits` in `totalHits`. */
    botsPercentage: number;
    /** The most frequent one. */
    topBotReason: string | null;
  };
};

/** Whether hits of bots are in the totals; in an answer without totals, in its lists. */
export type Bots = "included" | "excluded";

export type BrowserFamilyStats = {
  data: BrowserFamilyStatsData;
  meta: UnmatchedPathStatsMeta;
};

export type BrowserFamilyStatsData = {
  /** By hits, most first, then by key. */
  browserFamilies: Array<{
    /** `unknown` where the user agent does not tell. */
    browser: string;
    /** Hits; without bots unless `includeBots`. */
    hits: number;
    /** Distinct visitors among them. */
    uniqueVisitors: number;
    /** Share of the hits that the list covers, also of those beyond its end. */
    percentage: number;
  }>;
  summary: {
    /** Rows, also those beyond the end of the list. */
    totalBrowserFamilies: number;
    /** The most frequent one that is known. */
    topBrowser: string | null;
  };
};

/** How long browsers and other caches may keep a permanent answer, in seconds (default 300). 0 forbids it. Temporary answers, and those of a redirect with active rules, are never kept. */
export type CacheSeconds = number;

export type CampaignStats = {
  data: CampaignStatsData;
  meta: UnmatchedPathStatsMeta;
};

export type CampaignStatsData = {
  /** By hits, most first, then by key. Hits without any of these parameters are left out. */
  campaigns: Array<{
    /** `utm_source`, null where it was not sent. */
    source: string | null;
    /** `utm_medium`, null where it was not sent. */
    medium: string | null;
    /** `utm_campaign`, null where it was not sent. */
    campaign: string | null;
    /** `utm_term`, null where it was not sent. */
    term: string | null;
    /** `utm_content`, null where it was not sent. */
    content: string | null;
    /** Hits; without bots unless `includeBots`. */
    hits: number;
    /** Distinct visitors among them. */
    uniqueVisitors: number;
    /** Share of the hits that the list covers, also of those beyond its end. */
    percentage: number;
  }>;
  summary: {
    totalHits: TotalHits;
    /** Those that a campaign brought: hits of all rows, also of those beyond the end of the list. */
    campaignHits: number;
    /** Rows, also those beyond the end of the list. */
    totalCampaigns: number;
    /** The most frequent source, in whatever campaign; so the next two. */
    topSource: string | null;
    /** The most frequent medium. */
    topMedium: string | null;
    /** The most frequent campaign. */
    topCampaign: string | null;
    /** Share of hits that a campaign brought. */
    coverage: number;
  };
};

export type CancelSubscriptionRequest = {
  /** End it now, which cannot be undone. Default: with the period. */
  immediately?: boolean;
  /** Feedback. `null`: none. */
  reason?: string | null;
};

export type Certificate = {
  host: string;
  /** `waiting_for_dns`: DNS does not point here yet. `ordering`: an order waits or is under way. `issued`: served. `renewing`: served, and being replaced. `failed`: there is none; `lastError` says why. */
  state: "waiting_for_dns" | "ordering" | "issued" | "renewing" | "failed";
  source: "acme" | "uploaded" | "directory";
  /** Who signed it. */
  issuer: string | null;
  /** Start of its validity. */
  notBefore: string | null;
  /** End of its validity. */
  notAfter: string | null;
  /** DNS names that it covers. */
  names: string[];
  /** Why the last attempt failed. */
  lastError: CertificateFailure | null;
  /** When the next attempt is expected; for an issued certificate, when it is renewed. */
  nextAttemptAt: string | null;
};

export type CertificateDetail = {
  host: string;
  /** `waiting_for_dns`: DNS does not point here yet. `ordering`: an order waits or is under way. `issued`: served. `renewing`: served, and being replaced. `failed`: there is none; `lastError` says why. */
  state: "waiting_for_dns" | "ordering" | "issued" | "renewing" | "failed";
  source: "acme" | "uploaded" | "directory";
  /** Who signed it. */
  issuer: string | null;
  /** Start of its validity. */
  notBefore: string | null;
  /** End of its validity. */
  notAfter: string | null;
  /** DNS names that it covers. */
  names: string[];
  /** Why the last attempt failed. */
  lastError: CertificateFailure | null;
  /** When the next attempt is expected; for an issued certificate, when it is renewed. */
  nextAttemptAt: string | null;
  dns: {
    /** Records that make the host point here. */
    required: DnsRecord[];
    /** Records that the last check found. */
    found: DnsRecord[];
  };
};

export type CertificateFailure = {
  code: "DNS_NOT_POINTED" | "CAA_FORBIDS" | "DNS_UNAVAILABLE" | "VALIDATION_FAILED" | "RATE_LIMITED" | "CA_UNAVAILABLE" | "CA_REFUSED" | "ACCOUNT_REFUSED" | "KEY_LOST" | "INTERNAL_ERROR";
  /** What is wrong and what to do. */
  message: string;
  at: string;
};

export type ChangeManyRedirectsRequest = {
  /** An operation has `op` (`create` by default, `update` or `delete`) and members of a redirect; read-only members are ignored. `update` and `delete` find the redirect by `id`, otherwise by `externalId`, otherwise by `fromDomain`. */
  operations: unknown[];
};

export type ChangeManyRedirectsResponse = {
  dryRun: boolean;
  /** Whether changes were made. */
  applied: boolean;
  summary: ChangeManyRedirectsResponseSummary;
  /** One result per operation, in their order. */
  results: ChangeManyRedirectsResponseResult[];
};

export type ChangeManyRedirectsResponse422 = {
  error: {
    message: string;
    code: string;
    field?: string;
  };
  dryRun?: boolean;
  /** Whether changes were made. */
  applied?: boolean;
  summary?: ChangeManyRedirectsResponseSummary;
  /** One result per operation, in their order. */
  results?: ChangeManyRedirectsResponseResult[];
};

export type ChangeManyRedirectsResponseResult = {
  /** Place of the operation, from 1. */
  row: number;
  op: "create" | "update" | "delete";
  /** With `applied` false, what would have happened. */
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
  /** 8 to 200 characters, taken as they are: spaces around them count. */
  newPassword: string;
};

export type ChangeRedirectRequest = {
  /** If sent, the id of the path. */
  id?: string;
  /** Domain or subdomain without protocol and path. */
  fromDomain?: string;
  /** Destination URL, with protocol. */
  toDomain?: string;
  redirectType?: RedirectType;
  /** Append the request path to the destination. */
  pathForwarding?: boolean;
  /** Carry the query string to the destination. */
  queryForwarding?: boolean;
  samplingRate?: SamplingRate;
  cacheSeconds?: CacheSeconds;
  queryRecording?: QueryRecording;
  statusCode?: StatusCode;
  /** `false`: visitors get 404. */
  enabled?: boolean;
  tags?: string[];
  note?: string;
  externalId?: ExternalId;
  startsAt?: StartsAt;
  endsAt?: EndsAt;
  afterEnd?: AfterEnd;
  responseHeaders?: ResponseHeaders;
  appendQuery?: AppendQuery;
  httpsMode?: HttpsMode;
  hsts?: Hsts;
  /** Ignored. */
  isVerified?: unknown;
  /** Ignored. */
  status?: unknown;
  /** Ignored. */
  verification?: unknown;
  /** Ignored. */
  userID?: unknown;
  /** Ignored. */
  createdAt?: unknown;
  /** Ignored. */
  updatedAt?: unknown;
  /** Ignored. */
  verifiedAt?: unknown;
  /** Ignored. */
  analyticsUsage?: unknown;
  /** Ignored. */
  certificate?: unknown;
  /** Ignored. */
  pathCount?: unknown;
  /** Ignored. */
  version?: unknown;
};

export type ChangeRuleRequest = {
  name?: string;
  description?: Description;
  type?: "force" | "percentage" | "ab_experiment";
  conditionLogic?: ConditionLogic;
  priority?: Priority;
  /** Only active rules are evaluated. */
  status?: "active" | "inactive" | "draft";
  metadata?: RuleMetadata;
  /** Without any, the rule matches everybody. */
  conditions?: NewRuleCondition[];
  action?: RuleAction;
  startDate?: StartDate;
  endDate?: EndDate;
  /** Ignored. */
  id?: unknown;
  /** Ignored. */
  redirectId?: unknown;
  /** Ignored. */
  hitCount?: unknown;
  /** Ignored. */
  createdBy?: unknown;
  /** Ignored. */
  createdAt?: unknown;
  /** Ignored. */
  updatedAt?: unknown;
};

export type Checkout = {
  id: string;
  /** The same as `id`. */
  checkoutId: string;
  checkoutUrl: string;
  status: "open" | "complete" | "expired";
  planId: string;
  /** `null` until it is complete. */
  subscriptionId: string | null;
  expiresAt: string;
  createdAt: string;
  completedAt: string | null;
  /** Due when it is paid, before discount and tax, in the smallest unit of the currency; 0 where a trial begins. Changes of plan show the price of the plan, of which Stripe deducts what was paid already. */
  amount: number;
  discountAmount: number;
  taxAmount: number;
  /** `amount` less `discountAmount`, plus `taxAmount`. */
  totalAmount: number;
  /** ISO 4217, in lower case. */
  currency: string;
  /** As given on the payment page. `null` until then, and in the sandbox. */
  customerName: string | null;
  customerEmail: string | null;
  product: {
    name: string;
    recurringInterval: "month" | "year";
  };
};

export type CompareStagedRedirectPathsResponse = {
  summary: {
    added: number;
    changed: number;
    removed: number;
    unchanged: number;
  };
  options: {
    live: PathOptions;
    staged: PathOptions;
  };
  /** By source, without entries that stay as they are. */
  data: PathDifference[];
  page: ListRedirectPathsResponsePage;
};

export type ComparisonStats = {
  data: ComparisonStatsData;
  meta: ComparisonStatsMeta;
};

export type ComparisonStatsData = {
  /** Both, with or without hits: the one with more first, of equals the current one. */
  periods: Array<{
    period: "current" | "previous";
    /** First millisecond. */
    start: string;
    /** Last millisecond. */
    end: string;
    /** Hits; without bots unless `includeBots`. */
    hits: number;
    /** Distinct visitors among them. */
    uniqueVisitors: number;
    /** Share of the hits of both periods. */
    percentage: number;
  }>;
  summary: {
    current: BasicStatsData;
    previous: BasicStatsData;
    change: {
      /** Change of `totalHits` against the period before, in percent. */
      hits: number | null;
      /** Change of `uniqueVisitors` against the period before, in percent. */
      uniqueVisitors: number | null;
      /** Change of `botHits` against the period before, in percent. */
      botHits: number | null;
      /** Change of `humanHits` against the period before, in percent. */
      humanHits: number | null;
      /** Change of `avgHitsPerDay` against the period before, in percent. */
      avgHitsPerDay: number | null;
    };
  };
};

export type ComparisonStatsMeta = {
  redirectId: string;
  period: Period;
  sampling: Sampling;
  delivery: HitDelivery;
  recording: Recording;
  bots: Bots;
  /** Whose days and hours these are. */
  timezone: string;
  series: Series;
  /** What the period is compared with. Hits that the plan no longer keeps are not counted. */
  previousPeriod: Period;
};

/** `AND`: all conditions must match. `OR`: at least one. Without any, a rule matches everybody. */
export type ConditionLogic = "AND" | "OR";

export type CreateAccessTokenRequest = {
  /** What the token is for, in your words. */
  name: string;
  /** What it may do. Default: all that the token of this request may do. */
  scopes?: Scope[];
  /** Default, and `null`: it has no end. */
  expiresInDays?: number | null;
};

export type CreateCheckoutRequest = {
  /** The id of a plan, as `GET /user/plans` lists them. 400 `INVALID_PLAN_ID` for what is no text of 1 to 63 letters, digits, `_` and `-`; 404 `PLAN_NOT_FOUND` for a plan there is not. */
  planId: string;
  /** Where the user is sent once it is paid. Default, and `null`: `DASHBOARD_URL?checkout_id=…`. Only origins of `DASHBOARD_URL` and `CORS_ORIGINS` are accepted, others are 400 `INVALID_REQUEST`. `{CHECKOUT_ID}` becomes the id of the checkout. */
  successUrl?: string | null;
  /** Where the user is sent who gives it up. Default, and `null`: `DASHBOARD_URL`. Only origins of `DASHBOARD_URL` and `CORS_ORIGINS` are accepted, others are 400 `INVALID_REQUEST`. `{CHECKOUT_ID}` becomes the id of the checkout. */
  cancelUrl?: string | null;
};

export type CreateCheckoutResponse = {
  success: boolean;
  /** For people; also what is over the limits of the plan. */
  message: string;
  data: {
    checkoutUrl: string;
    checkoutId: string;
    expiresAt: string;
  };
};

export type CreatePortalSessionRequest = {
  /** Where the portal leads back to: an absolute http or https URL. Default, and `null`: the dashboard. */
  returnUrl?: string | null;
};

export type CreatePortalSessionResponse = {
  success: boolean;
  /** For people; also what is over the limits of the plan. */
  message: string;
  data: {
    portalUrl: string;
    expiresAt: string;
  };
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
  /** Without any, the rule matches everybody. */
  conditions?: NewRuleCondition[];
  startDate?: StartDate;
  endDate?: EndDate;
};

export type CreateTakedownRequest = {
  /** Domain of redirects. */
  host?: string;
  /** Host that redirects or their rules lead to. */
  destinationHost?: string;
  /** Kept in the log, and told to the owner. */
  reason: string;
};

export type CreateWebhookEndpointRequest = {
  /** Messages are posted to it. https, at a public address, on port 443 or one from 1024 on. */
  url: string;
  /** What it is to hear of. */
  events: EventType[];
};

export type CreatedAccessToken = {
  /** The token itself. It is shown this once and stored nowhere. */
  token: string;
  id: string;
  name: string;
  scopes: Scope[];
  /** `null`: it has no end. */
  expiresAt: string | null;
  lastUsedAt: LastUsedAt;
  createdAt: string;
};

export type CreatedTakedown = {
  id: string;
  host: string | null;
  destinationHost: string | null;
  reason: string;
  createdBy: string;
  createdAt: string;
  liftedBy: string | null;
  /** `null` while it is active. */
  liftedAt: string | null;
  /** Published redirects that are taken down by it. */
  redirects: number;
};

export type CreatedWebhookEndpoint = {
  id: string;
  url: string;
  events: EventType[];
  createdAt: string;
  /** Whether messages wait. */
  paused: boolean;
  /** Since when it is sent nothing, because it answered 410. A message that is sent again by hand and taken takes that back. */
  disabledAt: string | null;
  /** Messages are signed with it, as Standard Webhooks says. It is shown this once. */
  secret: string;
};

export type Dashboard = {
  data: DashboardData;
  meta: ComparisonStatsMeta;
};

export type DashboardData = {
  overview: {
    /** All hits, bots' included unless `includeBots=false`. */
    totalHits: number;
    uniqueVisitors: UniqueVisitors;
    /** Share of hits that are of known bots. */
    botsPercentage: number;
    /** `totalHits` over the calendar days that the period touches. */
    avgHitsPerDay: number;
    /** Share of hits answered with 2xx or 3xx. */
    successRate: number;
    change: {
      /** Change of `totalHits` against the period before, in percent. */
      hits: number | null;
      /** Change of `uniqueVisitors` against the period before, in percent. */
      uniqueVisitors: number | null;
    };
  };
  /** ISO 3166-1 alpha-2; unknown ones left out. By hits, most first, then by name; 10 at most. */
  topCountries: Array<{
    country: string;
    /** Hits; without bots unless `includeBots`. */
    count: number;
    percentage: Percentage;
  }>;
  /** Types of device, `unknown` among them. By hits, most first, then by name; 10 at most. */
  topDevices: Array<{
    device: string;
    /** Hits; without bots unless `includeBots`. */
    count: number;
    percentage: Percentage;
  }>;
  /** Names of browsers, `unknown` among them. By hits, most first, then by name; 10 at most. */
  topBrowsers: Array<{
    browser: string;
    /** Hits; without bots unless `includeBots`. */
    count: number;
    percentage: Percentage;
  }>;
  /** Domains; `direct` for none, and for what is no web address `search`, `social` or `unknown`. By hits, most first, then by name; 10 at most. */
  topReferrers: Array<{
    referrer: string;
    /** Hits; without bots unless `includeBots`. */
    count: number;
    percentage: Percentage;
  }>;
  /** Rules that decided. By hits, most first, then by name; 10 at most. */
  topRules: Array<{
    ruleId: number;
    name: string;
    /** Hits; without bots unless `includeBots`. */
    count: number;
    percentage: Percentage;
  }>;
  /** Every day that the period touches, those without hits too. */
  dailyTrends: Array<{
    /** Of the time zone. */
    date: string;
    /** Hits, bots' included unless `includeBots=false`. */
    count: number;
  }>;
};

export type Dataplane = {
  /** Of the process; a restarted one has another. */
  id: string;
  /** Name of its machine. */
  host: string;
  /** Process id on that machine. */
  pid: number;
  /** The ruleset it serves, as `epoch.seq`; null while it serves none. */
  version: string | null;
  /** Hosts it serves; absent where its release does not tell. */
  hosts?: number;
  /** `cold`: serves nothing yet. `live`: serves what it was told last. `resync`: has missed something and is catching up. `stale`: serves the last good ruleset, unconfirmed. */
  state: "cold" | "live" | "resync" | "stale";
  /** Time since what it serves was last confirmed, when it reported; null while `cold`. */
  ageMs: number | null;
  /** Changes it has yet to serve; null while it serves none, or those of another epoch or history. */
  behind: number | null;
  /** What went wrong since it last was told something good. */
  lastError?: string;
  startedAt: string;
  reportedAt: string;
};

export type DeleteAccountRequest = {
  password?: string;
};

export type DeleteAccountResponse = {
  message: string;
  eraseAt: string;
};

/** `null`: none, as the empty string. */
export type Description = string | null;

export type DestinationUrlStats = {
  data: DestinationUrlStatsData;
  meta: UnmatchedPathStatsMeta;
};

export type DestinationUrlStatsData = {
  /** By hits, most first, then by key. Answers without a `Location` are left out. */
  destinationUrls: Array<{
    /** The `Location` of the answers. */
    destinationUrl: string;
    /** Hits; without bots unless `includeBots`. */
    hits: number;
    /** Distinct visitors among them. */
    uniqueVisitors: number;
    /** Share of the hits that the list covers, also of those beyond its end. */
    percentage: number;
  }>;
  summary: {
    totalHits: TotalHits;
    /** Those that were sent somewhere: hits of all rows, also of those beyond the end of the list. */
    sentHits: number;
    /** Destinations, also those beyond the end of the list. */
    totalDestinationUrls: number;
    /** The first one. */
    topDestinationUrl: string | null;
    /** Share of hits that were sent somewhere. */
    coverage: number;
  };
};

export type DeviceCategoryStats = {
  data: DeviceCategoryStatsData;
  meta: StatsMeta;
};

export type DeviceCategoryStatsData = {
  /** By hits, most first, then by key. */
  deviceCategories: Array<{
    /** `mobile`, `tablet`, `desktop` and rarer ones; `unknown` where the user agent does not tell. */
    device: string;
    /** Hits; without bots unless `includeBots`. */
    hits: number;
    /** Distinct visitors among them. */
    uniqueVisitors: number;
    /** Share of the hits that the list covers, also of those beyond its end. */
    percentage: number;
  }>;
  summary: {
    /** Rows of the list. */
    totalDeviceCategories: number;
    /** The most frequent kind that is known. */
    topDevice: string | null;
    /** Share of mobile phones; tablets are not among them. */
    mobilePercentage: number;
    /** Share of tablets. */
    tabletPercentage: number;
    /** Share of desktop computers. */
    desktopPercentage: number;
  };
};

export type DeviceStats = {
  data: DeviceStatsData;
  meta: StatsMeta;
};

export type DeviceStatsData = {
  /** By hits, most first, then by name. */
  devices: Array<{
    type: string;
    /** Hits; without bots unless `includeBots`. */
    hits: number;
    /** Share of all these hits. */
    percentage: number;
  }>;
  /** By hits, most first, then by name. 1000 at most. */
  operatingSystems: OperatingSystem[];
  /** By hits, most first, then by name. 1000 at most. */
  browsers: OperatingSystem[];
  summary: {
    /** Share of mobile phones; tablets are not among them. */
    mobilePercentage: number;
    /** Share of desktop computers. */
    desktopPercentage: number;
    /** The most frequent type of device that is known. */
    topDevice: string | null;
    /** The most frequent operating system, name and version, that is known. */
    topOS: string | null;
    /** The most frequent browser, name and version, that is known. */
    topBrowser: string | null;
  };
};

export type DnsRecord = {
  type: "A" | "AAAA" | "CNAME" | "CAA";
  name: string;
  value: string;
};

/** The required record and what DNS holds, as one object. */
export type DnsRecords = {
  type: "TXT";
  /** Full name of the required record. */
  name: string;
  /** The same as `found`. */
  addresses: string[];
  /** `true` for a domain as it is registered, `false` for a subdomain. */
  isRootDomain: boolean;
  isVerified: boolean;
};

export type DuplicateRuleResponse = {
  message: string;
  rule: Rule;
};

/** Until then, included; a date alone means the whole day (UTC). `null`: no end. */
export type EndDate = string | null;

export type EndOtherSessionsResponse = {
  message: string;
  ended: number;
};

/** Visitors get `afterEnd` from then on. `null`: no end. */
export type EndsAt = string | null;

export type EntryStats = {
  data: EntryStatsData;
  meta: UnmatchedPathStatsMeta;
};

export type EntryStatsData = {
  /** By hits, most first, then by id. */
  entries: Array<{
    entryId: number;
    /** null: the entry was deleted. */
    source: string | null;
    /** As its owner wrote it; null for 410, and for a deleted entry. */
    destination: string | null;
    /** Recorded hits of the period that it decided; without bots unless `includeBots`. */
    hits: number;
    /** Share of the hits that any entry decided. */
    percentage: number;
    /** Over all time and whatever the sampling rate; null where none was reported yet. */
    lastHitAt: string | null;
  }>;
  /** Entries that no request has used, over all time and whatever the sampling rate, by id. */
  neverHit: Array<{
    entryId: number;
    /** null: the entry was deleted. */
    source: string | null;
    /** As its owner wrote it; null for 410, and for a deleted entry. */
    destination: string | null;
  }>;
  summary: {
    /** Entries of the table now. */
    totalEntries: number;
    /** Entries with hits in the period, deleted ones included. */
    entriesHit: number;
    /** Also those beyond the end of the list. */
    entriesNeverHit: number;
    /** Hits of the period that any entry decided. */
    totalHits: number;
  };
};

/** The body of every error. */
export type Error = {
  error: {
    /** What is wrong and what would be accepted. */
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
    code: "INVALID_REQUEST" | "INVALID_PLAN_ID" | "SUBSCRIPTION_NOT_REACTIVATABLE" | "MISSING_TOKEN" | "INVALID_TOKEN" | "EXPIRED_TOKEN" | "INVALID_CREDENTIALS" | "INSUFFICIENT_SCOPE" | "FORBIDDEN" | "REQUESTED_WITH_REQUIRED" | "ACCOUNT_SUSPENDED" | "ACCOUNT_CLOSING" | "SIGNUP_CLOSED" | "PLAN_LIMIT_REACHED" | "PLAN_NOT_FOUND" | "SUBSCRIPTION_NOT_FOUND" | "NOT_FOUND" | "METHOD_NOT_ALLOWED" | "IDEMPOTENCY_CONFLICT" | "PRECONDITION_FAILED" | "BODY_TOO_LARGE" | "BULK_REJECTED" | "VALIDATION_ERROR" | "REDIRECT_LOOP" | "DOMAIN_TAKEN" | "DOMAIN_EXISTS" | "EXTERNAL_ID_EXISTS" | "RATE_LIMIT_EXCEEDED" | "INTERNAL_ERROR" | "SERVICE_UNAVAILABLE";
    /** Dotted path of the offending member. */
    field?: string;
  };
};

export type ErrorStats = {
  data: ErrorStatsData;
  meta: StatsMeta;
};

export type ErrorStatsData = {
  /** By hits, most first, then by code. */
  errors: Array<{
    /** 4xx or 5xx. `hits?statusCode=` lists the hits that got it. */
    statusCode: number;
    /** Hits; without bots unless `includeBots`. */
    hits: number;
    /** Distinct visitors among them. */
    uniqueVisitors: number;
    /** Share of all errors. */
    percentage: number;
  }>;
  /** By hits, most first, then by code. */
  successes: Array<{
    /** Below 400. */
    statusCode: number;
    /** Hits; without bots unless `includeBots`. */
    hits: number;
    /** Distinct visitors among them. */
    uniqueVisitors: number;
    /** Share of all successes. */
    percentage: number;
  }>;
  summary: {
    /** All hits, errors or not; bots' included unless `includeBots=false`. */
    totalHits: number;
    /** Those answered with 4xx or 5xx. */
    errorHits: number;
    /** All others. */
    successHits: number;
    /** Share of `errorHits` in `totalHits`. */
    errorRate: number;
    /** Share of `successHits` in `totalHits`. */
    successRate: number;
    /** The most frequent one. */
    topStatusCode: number | null;
  };
};

export type EventType = "subscription.confirmed" | "subscription.canceled" | "subscription.revoked" | "payment.failed" | "payment.disputed" | "payment.dispute_closed" | "domain.verified" | "domain.proof_missing" | "domain.unverified" | "redirect.taken_down" | "certificate.issued" | "certificate.failed" | "certificate.expiring" | "redirect.created" | "redirect.updated" | "redirect.deleted" | "rule.created" | "rule.updated" | "rule.deleted" | "usage.approaching_limit" | "usage.limit_reached" | "plan.excess_redirects" | "import.finished";

export type ExplainedRule = {
  ruleId: number;
  ruleName: string;
  /** `not_reached`: an earlier rule had decided. `inactive`, `draft`: rules that are not evaluated. */
  outcome: "matched" | "not_matched" | "not_started" | "ended" | "not_reached" | "inactive" | "draft";
  /** The conditions that were looked at, in order. */
  conditions: Array<{
    /** Place among the conditions of the rule. */
    index: number;
    attribute: Attribute;
    operator: Operator;
    param?: string;
    timezone?: string;
    matched: boolean;
  }>;
  /** Index of the condition that decided whether the rule matches; null when none did. */
  decidedBy: number | null;
};

/** Id in your own system; unique among your redirects. */
export type ExternalId = string | null;

export type GeoStats = {
  data: GeoStatsData;
  meta: GeoStatsMeta;
};

export type GeoStatsData = {
  /** By hits, most first, then by code; unknown ones left out, 1000 at most. */
  locations: Array<{
    /** Country: ISO 3166-1 alpha-2. Region: country and region (`DE-Bavaria`). City: country, region and city (`DE-Bavaria-Munich`), the region empty where it is not known (`DE--Munich`). */
    code: string;
    /** In English. */
    name: string;
    /** Hits from there; without bots unless `includeBots`. */
    hits: number;
    /** Distinct visitors from there. */
    uniqueVisitors: number;
    /** Share of the hits whose location is known. */
    percentage: number;
    /** In degrees. Of most countries, and of cities where the database that places visitors has them; not of regions. */
    coordinates?: {
      latitude: number;
      longitude: number;
    };
  }>;
  summary: {
    /** Locations, also those beyond the end of the list. */
    totalLocations: number;
    /** Name of the first one. */
    topLocation: string | null;
    /** Share of hits whose location is known. */
    coverage: number;
  };
};

export type GeoStatsMeta = {
  redirectId: string;
  period: Period;
  sampling: Sampling;
  delivery: HitDelivery;
  recording: Recording;
  bots: Bots;
  /** Whose days and hours these are. */
  timezone: string;
  series: Series;
  groupBy: "country" | "region" | "city";
};

export type GetBillingSummaryResponse = {
  success: boolean;
  /** For people; also what is over the limits of the plan. */
  message: string;
  data: {
    currentPlan: Plan;
    subscription: {
      id: string;
      status: "active" | "trialing" | "canceled" | "revoked" | "past_due" | "incomplete" | "incomplete_expired";
      currentPeriodEnd: string;
      cancelAtPeriodEnd: boolean;
      isTrialing: boolean;
      trialEnd: string | null;
    } | null;
    /** The newest five. */
    recentTransactions: Transaction[];
    usageStats: UsageStats;
  };
};

export type GetCheckoutResponse = {
  success: boolean;
  /** For people; also what is over the limits of the plan. */
  message: string;
  data: Checkout;
};

export type GetHealthResponse = {
  status: string;
};

export type GetReadinessResponse503 = {
  ready: boolean;
  parts: Record<string, boolean>;
  /** Why a part is not ready, and what to do. */
  reasons?: Record<string, string>;
};

export type GetStagedRedirectPathsResponse = {
  data: PathEntrySettings[];
  page: ListRedirectPathsResponsePage;
  options: PathOptions;
  summary: ReplaceRedirectPathsResponseSummary;
  createdAt: string;
};

export type GetSubscriptionResponse = {
  success: boolean;
  /** For people; also what is over the limits of the plan. */
  message: string;
  data: {
    /** `null` without a subscription that gives access. */
    subscription: Subscription | null;
  };
};

export type Hit = {
  /** Unique for ever. */
  id: string;
  /** When it was answered. */
  timestamp: string;
  /** Lower-case, without port. */
  host: string;
  /** As requested. */
  path: string;
  /** As requested, without its question mark; empty where there was none. Masked values are `***`: see `queryRecording` of redirects. */
  query: string;
  /** The `Location` of the answer; its query is recorded as `query` is. */
  destinationUrl: string | null;
  statusCode: number;
  /** The rule that decided. */
  ruleId: number | null;
  /** The entry of the table of paths that decided. */
  entryId: number | null;
  /** The variant of an A/B test. */
  variant: string | null;
  /** ISO 3166-1 alpha-2. */
  country: string | null;
  /** In English. */
  region: string | null;
  /** In English. */
  city: string | null;
  /** `mobile`, `tablet`, `desktop` and rarer ones. */
  deviceType: string | null;
  /** Its manufacturer. */
  deviceBrand: string | null;
  /** Its model. */
  deviceModel: string | null;
  /** Its name. */
  browser: string | null;
  /** Its version. */
  browserVersion: string | null;
  /** Name of the operating system. */
  os: string | null;
  /** Its version. */
  osVersion: string | null;
  /** Preferred one of `Accept-Language`. */
  language: string | null;
  /** As sent; its query is recorded as `query` is, and user info is masked. */
  referrer: string | null;
  /** Registrable domain of the referrer. */
  referrerDomain: string | null;
  /** `search`, `social`, `direct`, `email`, `paid`, `website` or `unknown`. */
  referrerType: string;
  isBot: boolean;
  /** Why it counts as one: `user-agent`, `head`, `prefetch` or `preview`. */
  botReason: string | null;
  /** Truncated to /24 (IPv4) or /48 (IPv6). */
  ipAddress: string | null;
  /** As sent. */
  userAgent: string | null;
  /** Stands for the visitor in your hits of one calendar month (UTC). The same visitor has another id in the next month, and at other users. */
  visitorId: string;
  /** Parameters of the query that name a campaign. */
  utm: {
    /** `utm_source`, decoded; so the others. */
    source: string | null;
    /** `utm_medium`. */
    medium: string | null;
    /** `utm_campaign`. */
    campaign: string | null;
    /** `utm_term`. */
    term: string | null;
    /** `utm_content`. */
    content: string | null;
  };
  /** Version of the rules that answered. */
  rulesetVersion: string;
};

/** How the hits of this redirect fared on their way, over all time and not just the period. What a data plane recorded since its last flush when it was killed is not in `lost`: it is known for that data plane as a whole only, but for the last 20 ms. */
export type HitDelivery = {
  /** Hits that data planes chose to record. */
  recorded: number;
  /** Of those, stored. */
  delivered: number;
  /** Stored more than once: the surplus. */
  duplicated: number;
  /** Recorded and not stored: given up when a buffer was full, or still on the way behind later ones. */
  lost: number;
};

export type Hits = {
  /** Newest first, those of the same millisecond too where the same worker answered them. */
  data: Hit[];
  pagination: Pagination;
  meta: StatsMeta;
};

export type HourlyStats = {
  data: HourlyStatsData;
  meta: StatsMeta;
};

export type HourlyStatsData = {
  /** All 24 hours, all days of the period together. By hits, most first, then by hour. */
  hours: Array<{
    /** Hour of the day: 8 is from 08:00 to 08:59. */
    hour: number;
    /** Hits; without bots unless `includeBots`. */
    hits: number;
    /** Distinct visitors among them. */
    uniqueVisitors: number;
    /** Share of all these hits. */
    percentage: number;
  }>;
  summary: {
    /** Sum over all hours. */
    totalHits: number;
    /** Hits of the hour that had the most. */
    peakHits: number;
    /** That hour, the earliest of equals. */
    peakHour: number | null;
    /** `totalHits` over 24 hours. */
    avgHits: number;
  };
};

/** Strict-Transport-Security over HTTPS. `maxAge` is required; the switches are off by default. */
export type Hsts = {
  maxAge: number;
  includeSubDomains?: boolean;
  preload?: boolean;
} | null;

/** `both`: HTTP and HTTPS are served. `upgrade`: HTTP leads to HTTPS. `off`: no HTTPS. */
export type HttpsMode = "both" | "upgrade" | "off";

export type Import = {
  id: string;
  kind: "redirects" | "paths";
  format: "csv" | "ndjson" | "nginx" | "htaccess" | "netlify" | "cloudflare" | "vercel" | "caddy" | "shlink" | "yourls" | "bitly" | "wordpress";
  mode: "best_effort" | "all_or_nothing";
  dryRun: boolean;
  redirectId: string | null;
  state: "queued" | "running" | "finished" | "failed" | "canceled";
  /** Deleted redirects count as updated. With `dryRun`, what would have happened. */
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
  /** Why the import failed as a whole. */
  error: {
    code: string;
    message: string;
    field?: string;
  } | null;
  createdAt: string;
  startedAt: string | null;
  finishedAt: string | null;
};

export type ImportedRow = {
  /** Row of the file, from 1; the head of a table does not count. */
  row: number;
  status: "created" | "updated" | "deleted" | "unchanged" | "failed" | "skipped";
  /** Text of the row in the file. */
  source: string;
  /** Why it failed or was skipped. */
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
  steps: Array<{
    step: number;
    description: string;
  }>;
};

export type LanguageStats = {
  data: LanguageStatsData;
  meta: UnmatchedPathStatsMeta;
};

export type LanguageStatsData = {
  /** By hits, most first, then by key. Hits without a language are left out. */
  languages: Array<{
    /** Language tag (BCP 47), as sent: `de`, `en-US`. */
    language: string;
    /** In English; the tag itself where it has no name. */
    name: string;
    /** Hits; without bots unless `includeBots`. */
    hits: number;
    /** Distinct visitors among them. */
    uniqueVisitors: number;
    /** Share of the hits that the list covers, also of those beyond its end. */
    percentage: number;
  }>;
  summary: {
    /** Languages, also those beyond the end of the list. */
    totalLanguages: number;
    /** The first one. */
    topLanguage: string | null;
    /** Share of hits whose language is known. */
    coverage: number;
  };
};

/** To the minute; `null`: not used yet. */
export type LastUsedAt = string | null;

export type ListAccessTokensResponse = {
  tokens: AccessToken[];
};

export type ListAttributeValuesResponse = {
  attribute: Attribute;
  /** Those of recorded hits first, the most frequent before others. */
  values: AttributeValue[];
};

export type ListCertificatesResponse = {
  data: CertificateDetail[];
  page: {
    limit: number;
    /** Start of the next page; `null` on the last one. */
    nextCursor: string | null;
  };
};

export type ListDataplanesResponse = {
  /** Those that have reported lately. */
  dataplanes: Dataplane[];
  /** The newest ruleset there is, as `epoch.seq`. */
  head: string;
  /** How hits have fared, for the 64 producers heard of last; null while the statistics cannot be read. */
  producers: Producer[] | null;
};

export type ListImportRowsResponse = {
  data: ImportedRow[];
  page: ListRedirectPathsResponsePage;
};

export type ListImportsResponse = {
  data: Import[];
  page: ListRedirectPathsResponsePage;
};

export type ListOperatorLogResponse = {
  data: OperatorLogEntry[];
  page: Page;
};

export type ListPlansResponse = {
  plans: Plan[];
  message: string;
};

export type ListRedirectPathsResponse = {
  data: PathEntry[];
  page: ListRedirectPathsResponsePage;
  options: PathOptions;
};

export type ListRedirectPathsResponsePage = {
  limit: number;
  nextCursor: string | null;
};

export type ListRedirectsResponse = {
  data: Array<{
    id?: string;
    fromDomain?: string;
    /** Destination URL, with protocol. */
    toDomain?: string;
    redirectType?: RedirectType;
    /** Append the request path to the destination. */
    pathForwarding?: boolean;
    /** Carry the query string to the destination. */
    queryForwarding?: boolean;
    samplingRate?: SamplingRate;
    cacheSeconds?: CacheSeconds;
    queryRecording?: QueryRecording;
    statusCode?: StatusCode;
    /** `false`: visitors get 404. */
    enabled?: boolean;
    tags?: string[];
    note?: string;
    externalId?: ExternalId;
    startsAt?: string | null;
    endsAt?: string | null;
    afterEnd?: AfterEnd;
    responseHeaders?: ResponseHeaders;
    appendQuery?: AppendQuery;
    httpsMode?: HttpsMode;
    hsts?: Hsts;
    isVerified?: boolean;
    status?: Status;
    verification?: VerificationRecord;
    userID?: string;
    createdAt?: string;
    updatedAt?: string;
    verifiedAt?: string | null;
    /** Certificate of the domain. */
    certificate?: Certificate | null;
    /** Entries of the path table. */
    pathCount?: number;
    /** Grows with each change of the redirect. */
    version?: number;
    analyticsUsage?: AnalyticsUsage;
  }>;
  page: Page;
  total?: number;
  facets?: {
    status: Record<string, number>;
    /** The 100 most frequent tags. */
    tags: Record<string, number>;
  };
};

export type ListRuleAttributesResponse = {
  /** By category. */
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

export type ListRulesResponse = {
  rules: Rule[];
};

export type ListSessionsResponse = {
  sessions: ListedSession[];
};

export type ListTakedownsResponse = {
  data: Takedown[];
  page: Page;
};

export type ListTransactionsResponse = {
  success: boolean;
  /** For people; also what is over the limits of the plan. */
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

export type ListUsersResponse = {
  data: ListedUser[];
  page: Page;
};

export type ListWebhookDeliveriesResponse = {
  data: WebhookDelivery[];
  pagination: ListTransactionsResponsePagination;
};

export type ListWebhookEndpointsResponse = {
  endpoints: WebhookEndpoint[];
};

export type ListedSession = {
  id: string;
  /** `cookie`: of `POST /auth/session`; `token`: a log-in that answered with a token. */
  kind: "cookie" | "token";
  /** The browser of a cookie. */
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
  suspendedAt: string | null;
  suspensionReason: string | null;
  /** When the account is erased, because its owner wants that. */
  eraseAt: string | null;
};

export type MailAnswer = {
  message: string;
  /** `log`: the installation has no SMTP server, and its operator finds the link in the log. */
  delivery: "email" | "log";
};

export type Message = {
  message: string;
};

export type NewPathEntry = {
  /** `/exact/path`, `/prefix/*`, or segments like `:id`. */
  source: string;
  /** Required query parameters: a text (equals), `true` (present) or `false` (absent). */
  query?: Record<string, boolean | string> | null;
  /** An absolute URL, or a path on the destination of the redirect. `:id`, `*`, `{query.name}` and, for wildcard hosts, `{host.1}` are filled in. Null with `statusCode` 410. */
  destination?: string | null;
  /** 301 by default. */
  statusCode?: 301 | 302 | 307 | 308 | 410;
  /** `inherit` (default) takes the setting of the redirect. */
  queryForwarding?: "inherit" | true | false;
  /** true by default. */
  enabled?: boolean;
  note?: string;
};

export type NewRuleCondition = {
  attribute: Attribute;
  operator: Operator;
  /** A string or a number; a list of 1 to 1,000 for `in` and `not_in`; 2 values for `between`; a range (`10.0.0.0/8`, `10.0.0.1-10.0.0.9` or 2 addresses) for `ip_range`; ignored for `exists` and `not_exists`. */
  value?: unknown;
  /** Name of the query parameter; exactly with `query_param`. Case-sensitive. */
  param?: string;
  /** IANA name of the time zone whose clock `hour_of_day` or `day_of_week` is read from; UTC without. Not with other attributes. Daylight saving time is taken into account. */
  timezone?: string;
};

export type OpenSessionRequest = {
  email: string;
  password: string;
};

export type OpenSessionWithCodeRequest = {
  code: string;
};

export type OpenSessionWithTokenResponse = {
  expiresAt: string;
  user: User;
};

export type OperatingSystem = {
  /** `unknown` where the user agent does not tell. */
  name: string;
  /** Empty where it is not known. */
  version: string;
  /** Hits; without bots unless `includeBots`. */
  hits: number;
  /** Share of all these hits. */
  percentage: number;
};

/** Which of them an attribute takes: `GET /rules/attributes`. */
export type Operator = "equals" | "not_equals" | "in" | "not_in" | "contains" | "not_contains" | "starts_with" | "ends_with" | "regex" | "greater_than" | "less_than" | "greater_equal" | "less_equal" | "between" | "ip_range" | "exists" | "not_exists";

export type OperatorLogEntry = {
  id: string;
  at: string;
  operatorId: string;
  operatorEmail: string | null;
  tokenId: string | null;
  action: "user.suspend" | "user.resume" | "takedown.create" | "takedown.lift" | "domain.release" | "epoch.begin";
  /** Id of the user, the host, or the new ruleset. */
  subject: string;
  detail: Record<string, unknown>;
};

export type Page = {
  limit: number;
  /** `null` on the last page. */
  nextCursor: string | null;
};

export type Pagination = {
  page: number;
  limit: number;
  /** Hits on all pages. */
  total: number;
  /** Pages; none without hits. */
  totalPages: number;
};

export type PathDiagnostic = {
  kind: "duplicate" | "unreachable" | "loop" | "chain";
  source: string;
  other?: string;
  message: string;
};

export type PathDifference = {
  kind: "added" | "changed" | "removed";
  /** null for an entry that is added. */
  live: PathEntrySettings | null;
  /** null for an entry that is removed. */
  staged: PathEntrySettings | null;
};

export type PathEntry = {
  id: number;
  source: string;
  query: Record<string, boolean | string> | null;
  destination: string | null;
  statusCode: 301 | 302 | 307 | 308 | 410;
  queryForwarding: "inherit" | true | false;
  enabled: boolean;
  note: string;
  /** Visits that the entry decided, whatever the sampling rate. */
  hitCount: number;
  lastHitAt: string | null;
  createdAt: string;
  updatedAt: string;
};

export type PathEntrySettings = {
  source: string;
  query: Record<string, boolean | string> | null;
  destination: string | null;
  statusCode: 301 | 302 | 307 | 308 | 410;
  queryForwarding: "inherit" | true | false;
  enabled: boolean;
  note: string;
};

export type PathOptions = {
  ignoreCase: boolean;
  ignoreTrailingSlash: boolean;
  /** Result for paths without an entry: the destination of the redirect, 404 or 410. */
  unmatched: "destination" | "not_found" | "gone";
};

export type PathStats = {
  data: PathStatsData;
  meta: UnmatchedPathStatsMeta;
};

export type PathStatsData = {
  /** By hits, most first, then by key. */
  paths: Array<{
    /** As requested, without the query. */
    path: string;
    /** Hits; without bots unless `includeBots`. */
    hits: number;
    /** Distinct visitors among them. */
    uniqueVisitors: number;
    /** Share of the hits that the list covers, also of those beyond its end. */
    percentage: number;
  }>;
  summary: {
    /** Paths, also those beyond the end of the list. */
    totalPaths: number;
    /** The first one. */
    topPath: string | null;
  };
};

export type PeakTrafficStats = {
  data: PeakTrafficStatsData;
  meta: UnmatchedPathStatsMeta;
};

export type PeakTrafficStatsData = {
  /** Hours of the period that have hits. By hits, most first, then by time. */
  peaks: Array<{
    /** Start of an hour; the period may begin within it. */
    timestamp: string;
    /** Hits; without bots unless `includeBots`. */
    hits: number;
    /** Distinct visitors among them. */
    uniqueVisitors: number;
    /** Share of the hits of the period. */
    percentage: number;
  }>;
  /** All days, and all weeks, of the period together. */
  distribution: {
    /** All 24 hours of the day, from 0 on. */
    byHour: Array<{
      /** 8 is from 08:00 to 08:59. */
      hour: number;
      /** Hits; without bots unless `includeBots`. */
      hits: number;
      /** Share of the hits of the period. */
      percentage: number;
    }>;
    /** All seven days of the week, from Sunday on. */
    byWeekday: Array<{
      /** 0 is Sunday. */
      dayOfWeek: number;
      /** Hits; without bots unless `includeBots`. */
      hits: number;
      /** Share of the hits of the period. */
      percentage: number;
    }>;
  };
  summary: {
    totalHits: TotalHits;
    /** Hits of the hour that had the most. */
    peakHits: number;
    /** That hour, the earliest of equals. */
    peakTimestamp: string | null;
    /** `totalHits` over the hours that the period touches. */
    avgHits: number;
    /** All days together; the earliest of equals. */
    busiestHourOfDay: number | null;
    /** 0 is Sunday; the first of equals. */
    busiestDayOfWeek: number | null;
  };
};

/** Share of all hits that the list covers, also those beyond its end. */
export type Percentage = number;

export type PercentageAction = {
  type: "percentage_redirect";
  /** Destination URL, with protocol. */
  url: string;
  /** Default: the switch of the redirect. */
  pathForwarding?: boolean;
  /** Default: the switch of the redirect. */
  queryForwarding?: boolean;
  percentage: number;
  /** Status of the answer. Default, which is not written into the action: 302. */
  statusCode?: 301 | 302 | 307 | 308;
  /** How a visitor's choice is remembered: in a cookie for 30 days; by a keyed hash of address and user agent; not at all. Default, which is not written into the action: `none`. */
  sticky?: "cookie" | "visitor" | "none";
};

export type Period = {
  /** First millisecond. */
  start: string;
  /** Last millisecond. */
  end: string;
};

export type Plan = {
  id: string;
  name: string;
  description: string;
  pricing: {
    /** In the smallest unit of the currency. */
    amount: number;
    /** ISO 4217, in lower case. */
    currency: string;
    interval: "month" | "year";
    /** Days before the first charge. */
    trialDays: number;
  };
  /** -1: no limit. */
  limits: {
    /** Redirects of one user. */
    maxRedirects: number;
    perRedirect: {
      /** Recorded each month; 0: none are, and redirecting goes on. */
      maxAnalyticsEvents: number;
      /** Rules of one redirect. */
      maxRulesPerRedirect: number;
      /** Paths in the table of one redirect; only in PLANS_FILE. */
      maxPathsPerRedirect?: number;
      /** Days that recorded events are kept. */
      analyticsRetentionDays: number;
    };
  };
  /** Days of access after a charge has failed. */
  gracePeriodDays: number;
  /** What a page about plans may say of it. Nothing is enforced by them. */
  features: Record<string, boolean>;
  /** Whether it can be subscribed to. */
  isActive: boolean;
  /** The higher offers more. */
  tier: number;
};

/** The lower number is evaluated first. Distinct within a redirect: with a number that is taken, the rule goes before the one that has it. */
export type Priority = number;

export type Producer = {
  /** Of one run of one data-plane process, as hits have it. */
  id: string;
  /** When it closed the last batch that has arrived. */
  seenAt: string;
  /** Hits chosen by sampling. */
  recorded: number;
  /** Of those, in the store, each counted once, expired ones included. */
  stored: number;
  /** Hits in the store more than once: the surplus. */
  duplicated: number;
  /** Recorded and not stored: dropped, lost when the process was killed, or not arrived while later ones have. */
  lost: number;
};

export type QueryParamStats = {
  data: QueryParamStatsData;
  meta: UnmatchedPathStatsMeta;
};

export type QueryParamStatsData = {
  /** By hits, most first, then by key. */
  queryParams: Array<{
    /** Name of the parameter, as sent. Its values are not told. */
    param: string;
    /** Hits; without bots unless `includeBots`. */
    hits: number;
    /** Distinct visitors among them. */
    uniqueVisitors: number;
    /** Share of `hits` of all rows, also of those beyond the end of the list: a hit is in as many rows as it has parameters. */
    percentage: number;
  }>;
  summary: {
    /** Parameters, also those beyond the end of the list. */
    totalQueryParams: number;
    /** The first one. */
    topQueryParam: string | null;
    /** Share of hits with a query parameter. */
    coverage: number;
  };
};

/** What hits record of the query of requests, destinations and referrers. `full`: everything, with the values of parameters named like secrets (`token`, `password`, `api_key`, …) masked. `names`: all values are masked; no campaign is recorded. `none`: no query. Applies to hits recorded from then on. Visitors are redirected as before. */
export type QueryRecording = "full" | "names" | "none";

export type ReactivateSubscriptionResponse = {
  success: boolean;
  /** For people; also what is over the limits of the plan. */
  message: string;
  data: {
    subscription: Subscription;
  };
};

/** Whether visits of this redirect are recorded now. Redirecting goes on either way. */
export type Recording = {
  active: boolean;
  /** `monthly_limit`: the events of the month are used up. `sampling_zero`: the sampling rate is 0. null: visits are recorded. */
  reason: "monthly_limit" | "sampling_zero" | null;
};

export type Redirect = {
  id: string;
  fromDomain: string;
  /** Destination URL, with protocol. */
  toDomain: string;
  redirectType: RedirectType;
  /** Append the request path to the destination. */
  pathForwarding: boolean;
  /** Carry the query string to the destination. */
  queryForwarding: boolean;
  samplingRate: SamplingRate;
  cacheSeconds: CacheSeconds;
  queryRecording: QueryRecording;
  statusCode: StatusCode;
  /** `false`: visitors get 404. */
  enabled: boolean;
  tags: string[];
  note: string;
  externalId: ExternalId;
  startsAt: string | null;
  endsAt: string | null;
  afterEnd: AfterEnd;
  responseHeaders: ResponseHeaders;
  appendQuery: AppendQuery;
  httpsMode: HttpsMode;
  hsts: Hsts;
  isVerified: boolean;
  status: Status;
  verification: VerificationRecord;
  userID: string;
  createdAt: string;
  updatedAt: string;
  verifiedAt: string | null;
  /** Certificate of the domain. */
  certificate: Certificate | null;
  /** Entries of the path table. */
  pathCount: number;
  /** Grows with each change of the redirect. */
  version: number;
  analyticsUsage: AnalyticsUsage;
};

export type RedirectAction = {
  type: "redirect";
  /** Destination URL, with protocol. */
  url: string;
  /** Default: the switch of the redirect. */
  pathForwarding?: boolean;
  /** Default: the switch of the redirect. */
  queryForwarding?: boolean;
  /** Status of the answer. Default, which is not written into the action: that of the redirect. */
  statusCode?: 301 | 302 | 307 | 308;
};

/** `permanent` answers 301 or 308, `temporary` 302 or 307: see `statusCode`. */
export type RedirectType = "permanent" | "temporary";

export type ReferrerStats = {
  data: ReferrerStatsData;
  meta: UnmatchedPathStatsMeta;
};

export type ReferrerStatsData = {
  /** By hits, most first, then by url, domain and type. Each address has one row. */
  referrers: Array<{
    /** The address that referred. In its place `direct` where there was none, and for what is no web address `search` or `social` (their apps) or `unknown`. */
    url: string;
    /** Registrable domain of the address; empty where there is none. */
    domain: string;
    /** What kind of place it is, by the address alone. What the link was made for is said by its tags: see `stats/campaigns`. */
    type: "search" | "social" | "direct" | "email" | "paid" | "website" | "unknown";
    /** Hits from there; without bots unless `includeBots`. */
    hits: number;
    /** Distinct visitors from there. */
    uniqueVisitors: number;
    /** Share of all hits, also those beyond the end of the list. */
    percentage: number;
  }>;
  summary: {
    /** Referrers, also those beyond the end of the list. */
    totalReferrers: number;
    /** Share of hits without a referrer. */
    directTraffic: number;
    /** Share of the type `search`. */
    searchTraffic: number;
    /** Share of the type `social`. */
    socialTraffic: number;
    topReferrer: {
      domain: string;
      /** From all its addresses. */
      hits: number;
    } | null;
  };
};

export type Referrers = {
  bots: Bots;
  series: Series;
  /** Rows at most, those with the most hits. */
  limit: number;
};

export type ReorderRulesRequest = {
  /** All rules of the redirect, each once; the first gets the highest priority. */
  ruleIds: number[];
};

export type ReorderRulesResponse = {
  message: string;
  rules: Rule[];
};

export type ReplaceRedirectPathsResponseSummary = {
  total: number;
};

export type RequestPasswordResetRequest = {
  email: string;
};

export type Required = {
  recordType: "TXT";
  /** Full name of the record. */
  name: string;
  /** Exact value of the record, without quotes. */
  value: string;
  /** What to do with this record. */
  action: string;
};

export type ResendWebhookDeliveryResponse = {
  delivery: WebhookDelivery;
  message: string;
};

export type ResetPasswordRequest = {
  /** The parameter `token` of the link in the mail. */
  token: string;
  /** 8 to 200 characters, taken as they are: spaces around them count. */
  newPassword: string;
};

/** Headers of the answer: Cache-Control, Strict-Transport-Security, X-Robots-Tag, Referrer-Policy. `Cache-Control` replaces ours, except where the answer depends on visitor or time: with active rules or `endsAt`. `Strict-Transport-Security` is sent over HTTPS only. */
export type ResponseHeaders = Record<string, string>;

export type RestoreRedirectPathsResponse = {
  summary: ReplaceRedirectPathsResponseSummary;
  diagnostics: PathDiagnostic[];
};

export type ReturnVisitorStats = {
  data: ReturnVisitorStatsData;
  meta: ReturnVisitorStatsMeta;
};

export type ReturnVisitorStatsData = {
  /** The types that there are. By hits, most first, then by type. */
  visitors: Array<{
    /** `returning`: with more than one recorded hit in the period. */
    visitorType: "single" | "returning";
    /** Hits; without bots unless `includeBots`. */
    hits: number;
    /** Distinct visitors among them. */
    uniqueVisitors: number;
    /** Share of all these hits. */
    percentage: number;
  }>;
  /** Visitors by their number of visits, in order; ranges without visitors too. */
  distribution: Array<{
    /** Hits of a visitor in the period, at least. */
    minVisits: number;
    /** At most. */
    maxVisits: number | null;
    /** Visitors with so many hits. */
    uniqueVisitors: number;
    /** Share of `uniqueVisitors`. */
    percentage: number;
  }>;
  summary: {
    totalHits: TotalHits;
    /** Visitors of both types. */
    uniqueVisitors: number;
    /** Visitors with more than one hit. */
    returningVisitors: number;
    /** Share of `returningVisitors` in `uniqueVisitors`. */
    returningPercentage: number;
    /** `totalHits` over `uniqueVisitors`. */
    avgHitsPerVisitor: number;
  };
};

export type ReturnVisitorStatsMeta = {
  redirectId: string;
  period: Period;
  sampling: Sampling;
  delivery: HitDelivery;
  recording: Recording;
  bots: Bots;
  /** Whose days and hours these are. */
  timezone: string;
  series: Series;
  /** Share of visitors that were looked at. 1, and all is exact, up to some 65536; above it 1/16: the proportion of those who came again is that of the sample (standard error 0.8 % at most), and all of them are counted as in `stats/basic`. */
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
  startDate: string | null;
  endDate: string | null;
  /** Matches in real traffic, whatever the sampling rate. */
  hitCount: number;
  /** Id of the user who made it. */
  createdBy: string;
  createdAt: string;
  updatedAt: string;
};

/** By the type of the rule: `force` takes `redirect`, `percentage` takes `percentage_redirect`, `ab_experiment` takes `ab_test`. It is given back as it was sent. */
export type RuleAction = RedirectAction | PercentageAction | AbTestAction;

export type RuleAnalytics = {
  /** In order of priority. */
  analytics: RuleAnalyticsItem[];
  /** Sum of `hitCount`. */
  totalHits: number;
  totalRules: number;
  activeRules: number;
};

export type RuleAnalyticsItem = {
  id: number;
  name: string;
  type: "force" | "percentage" | "ab_experiment";
  status: "active" | "inactive" | "draft";
  /** Matches in real traffic, whatever the sampling rate. */
  hitCount: number;
  /** Of `totalHits`, two decimals; 0 without any. */
  percentage: number;
  /** Those of `hitCount` that were visits of people: no bots, HEAD requests, prefetches or link previews. Exact, whatever the sampling rate. Matches counted before this member existed are in `hitCount` only. */
  humanHits: number;
  createdAt: string;
  /** The present variants of an A/B test. */
  variants?: Array<{
    name: string;
    /** Every match that led to this variant, bots included. */
    hits: number;
    /** Of the hits of all variants listed, two decimals. */
    percentage: number;
    /** Those of `hits` that were visits of people, as `humanHits` of the rule. Judge an experiment by these. */
    humanHits: number;
    /** Of the human hits of all variants listed, two decimals; 0 without any. */
    humanPercentage: number;
  }>;
};

export type RuleAttribute = {
  key: Attribute;
  name: string;
  description: string;
  /** How values are compared: `version` is segment by segment as numbers. */
  type: "string" | "version" | "number" | "string or number" | "ip";
  operators: Operator[];
  category: "geography" | "device" | "browser" | "system" | "traffic" | "time" | "language" | "url" | "technical";
  /** Usual values; all there are where they are few. */
  predefinedValues?: Array<{
    /** As a condition takes it. */
    value: string;
    /** For people. */
    label: string;
  }>;
  /** Values to choose from: those of recorded hits of the redirect, the most frequent first, then the usual ones. */
  availableValues?: AttributeValue[];
  /** A condition has to name the query parameter as `param`. */
  requiresParam?: boolean;
  /** A condition may name a time zone as `timezone`; UTC without. */
  acceptsTimezone?: boolean;
};

export type RuleCondition = {
  attribute: Attribute;
  operator: Operator;
  value?: Array<string | number> | string | number;
  /** Name of the query parameter; exactly with `query_param`. Case-sensitive. */
  param?: string;
  /** IANA name of the time zone whose clock `hour_of_day` or `day_of_week` is read from; UTC without. Not with other attributes. Daylight saving time is taken into account. */
  timezone?: string;
};

/** Yours to use; strings, numbers and booleans by name. */
export type RuleMetadata = Record<string, string | number | boolean>;

export type RuleOperator = {
  key: Operator;
  name: string;
  description: string;
  /** `single`: one value. `array`: 1 to 1,000. `range`: exactly 2. `none`: no value. */
  valueType: "single" | "array" | "range" | "none";
  symbol: string;
};

export type RuleTestResult = {
  /** Where the visitor would be sent, forwarding included. */
  url: string;
  /** Of the answer; 508 where `url` is what was asked for. */
  statusCode: 301 | 302 | 307 | 308 | 508;
  ruleId: number;
  ruleName: string;
  actionType: "redirect" | "percentage_redirect" | "ab_test";
  /** Of a percentage redirect, as configured. */
  percentage?: number;
  /** Name of the variant of an A/B test. */
  variant?: string;
  /** False for a visitor outside the percentage: `url` is the destination of the redirect itself. */
  triggered: boolean;
  userAttributes: UserAttributes;
  message: string;
};

export type Sampling = {
  /** Sampling rate of the redirect now. */
  rate: number;
  /** Hits of the period that were recorded, bots' included. */
  recordedHits: number;
  /** Estimate of all requests: each hit weighed with the sampling rate at its time. */
  estimatedTotalHits: number;
};

/** Share of traffic that analytics record: 1 all, 0 none. */
export type SamplingRate = number;

export type Scope = "redirects:read" | "redirects:write" | "analytics:read" | "billing:read" | "billing:write" | "tokens:write";

/** What the points of each list stand for that is a series. Series have no gaps. */
export type Series = Record<string, StatsMetaSeries>;

export type Session = {
  /** An access token with all scopes. */
  token: string;
  /** 24 hours from now. */
  expiresAt: string;
  user: User;
};

export type SetRuleStatusRequest = {
  /** Only active rules are evaluated. */
  status: "active" | "inactive" | "draft";
};

export type SetRuleStatusResponse = {
  rule: Rule;
};

export type SeveralStats = {
  /** What each included statistic has as its `data`, by name. */
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
    /** Whose days and hours these are. */
    timezone: string;
    /** By name, as `data`. */
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
        /** Share of visitors that were looked at. 1, and all is exact, up to some 65536; above it 1/16: the proportion of those who came again is that of the sample (standard error 0.8 % at most), and all of them are counted as in `stats/basic`. */
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
  /** What the period is compared with. Hits that the plan no longer keeps are not counted. */
  previousPeriod: Period;
};

export type SignUpRequest = {
  email: string;
  /** 8 to 200 characters, taken as they are: spaces around them count. */
  password: string;
};

export type StageRedirectPathsRequest = {
  options?: {
    ignoreCase?: boolean;
    ignoreTrailingSlash?: boolean;
    /** Result for paths without an entry: the destination of the redirect, 404 or 410. */
    unmatched?: "destination" | "not_found" | "gone";
  };
  entries: NewPathEntry[];
};

/** From then on, included; a date alone means its first moment (UTC). `null`: no beginning. */
export type StartDate = string | null;

export type StartNewEpochResponse = {
  message: string;
  /** The newest ruleset before, as `epoch.seq`. */
  previous: string;
  /** The newest ruleset now, as `epoch.seq`. */
  head: string;
};

/** Visitors get 404 before. `null`: no start. */
export type StartsAt = string | null;

export type StatsMeta = {
  redirectId: string;
  period: Period;
  sampling: Sampling;
  delivery: HitDelivery;
  recording: Recording;
  bots: Bots;
  /** Whose days and hours these are. */
  timezone: string;
  series: Series;
};

export type StatsMetaSeries = {
  unit: "hour" | "day" | "week" | "month" | "hour-of-day" | "day-of-week" | "visits-per-visitor" | "period";
  timezone: string;
};

/** `pending` until the domain is verified; `disabled` while `enabled` is false; `scheduled` before `startsAt`; `ended` after `endsAt`. */
export type Status = "pending" | "active" | "disabled" | "scheduled" | "ended";

/** HTTP status. `redirectType` follows: 301 and 308 are permanent, 302 and 307 temporary. A change of `redirectType` alone sets 301 or 302. */
export type StatusCode = 301 | 302 | 307 | 308;

export type StatusCodeStats = {
  data: StatusCodeStatsData;
  meta: StatsMeta;
};

export type StatusCodeStatsData = {
  /** By hits, most first, then by code. */
  statusCodes: Array<{
    /** Of HTTP. */
    statusCode: number;
    /** Hits; without bots unless `includeBots`. */
    hits: number;
    /** Distinct visitors among them. */
    uniqueVisitors: number;
    /** Share of all these hits. */
    percentage: number;
  }>;
  summary: {
    /** Different status codes. */
    totalStatusCodes: number;
    /** The most frequent one. */
    topStatusCode: number | null;
    /** Share of 2xx and 3xx among these hits. */
    successRate: number;
  };
};

export type Subscription = {
  id: string;
  /** `canceled`: access until the period ends; `revoked`: ended at once; `past_due`: in grace. */
  status: "active" | "trialing" | "canceled" | "revoked" | "past_due" | "incomplete" | "incomplete_expired";
  plan: Plan;
  currentPeriodStart: string;
  currentPeriodEnd: string;
  cancelAtPeriodEnd: boolean;
  canceledAt: string | null;
  trialStart: string | null;
  trialEnd: string | null;
  /** Whether the limits of the plan apply now. */
  isActive: boolean;
  isTrialing: boolean;
  /** Days until the current period ends, the one that has begun included; 0 without access. */
  daysUntilRenewal: number;
  /** For people. */
  message: string;
};

export type SuspendUserRequest = {
  /** Kept in the log, and told to the owner. */
  reason: string;
};

export type TakeStripeEventResponse = {
  received: boolean;
};

export type Takedown = {
  id: string;
  host: string | null;
  destinationHost: string | null;
  reason: string;
  createdBy: string;
  createdAt: string;
  liftedBy: string | null;
  /** `null` while it is active. */
  liftedAt: string | null;
};

export type TestRulesRequest = {
  userAttributes: UserAttributes;
  /** Makes the dice repeatable: the same id always gets the same of every percentage and A/B test. */
  visitorId?: string;
  /** Adds, rule by rule, what decided. */
  explain?: boolean;
};

export type TestRulesResponse = {
  /** Null when no active rule matches. */
  result: RuleTestResult | null;
  userAttributes: UserAttributes;
  message: string;
  /** All rules in order of priority; only with `explain`. */
  explanation?: ExplainedRule[];
};

export type TestStagedRedirectPathsRequest = {
  urls: string[];
};

export type TestStagedRedirectPathsResponse = {
  results: TestedPath[];
};

export type TestedPath = {
  url: string;
  entryId: number | null;
  source: string | null;
  statusCode: number;
  location: string | null;
  reason: "exact" | "pattern" | "rule" | "destination" | "not_found" | "gone";
};

export type TimeStats = {
  data: TimeStatsData;
  meta: TimeStatsMeta;
};

export type TimeStatsData = {
  /** Every bucket that the period touches, empty ones too. */
  timeSeries: Array<{
    /** Start of the bucket; the first may begin before the period does. */
    timestamp: string;
    /** `botHits` + `humanHits`. */
    hits: number;
    uniqueVisitors: UniqueVisitors;
    /** Hits of known bots. */
    botHits: number;
    /** All other hits. */
    humanHits: number;
  }>;
  summary: {
    /** Sum over all buckets. */
    totalHits: number;
    /** Hits of the bucket that had the most. */
    peakHits: number;
    /** That bucket, the earliest of equals. */
    peakTimestamp: string | null;
    /** `totalHits` over the number of buckets. */
    avgHits: number;
  };
};

export type TimeStatsMeta = {
  redirectId: string;
  period: Period;
  sampling: Sampling;
  delivery: HitDelivery;
  recording: Recording;
  bots: Bots;
  /** Whose days and hours these are. */
  timezone: string;
  series: Series;
  interval: "hour" | "day" | "week" | "month";
};

/** Hits of the period; without bots unless `includeBots`. */
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
  /** In the smallest unit of the currency. */
  amount: number;
  /** ISO 4217, in lower case. */
  currency: string;
  /** In the smallest unit of the currency. */
  taxAmount: number;
  /** In the smallest unit of the currency. */
  refundedAmount: number;
  paidAt: string | null;
  refundedAt: string | null;
  failedAt: string | null;
  receiptUrl: string | null;
  invoiceUrl: string | null;
  plan: {
    id: string;
    name: string;
    pricing: {
      /** In the smallest unit of the currency. */
      amount: number;
      currency: string;
      interval: string;
    };
  };
  createdAt: string;
};

/** Distinct visitors; without bots unless `includeBots`. */
export type UniqueVisitors = number;

export type UnmatchedPathStats = {
  data: UnmatchedPathStatsData;
  meta: UnmatchedPathStatsMeta;
};

export type UnmatchedPathStatsData = {
  /** By hits, most first, then by key. */
  paths: Array<{
    /** As requested, without the query. It can be the `source` of a new entry. */
    path: string;
    /** Hits; without bots unless `includeBots`. */
    hits: number;
    /** Distinct visitors among them. */
    uniqueVisitors: number;
    /** Share of the hits that the list covers, also of those beyond its end. */
    percentage: number;
  }>;
  summary: {
    /** Paths, also those beyond the end of the list. */
    totalPaths: number;
    /** Hits of all these paths. */
    totalHits: number;
    /** The first one. */
    topPath: string | null;
  };
};

export type UnmatchedPathStatsMeta = {
  redirectId: string;
  period: Period;
  sampling: Sampling;
  delivery: HitDelivery;
  recording: Recording;
  bots: Bots;
  /** Whose days and hours these are. */
  timezone: string;
  series: Series;
  /** Rows at most, those with the most hits. */
  limit: number;
};

export type UpdateRedirectPathRequest = {
  /** `/exact/path`, `/prefix/*`, or segments like `:id`. */
  source?: string;
  /** Required query parameters: a text (equals), `true` (present) or `false` (absent). */
  query?: Record<string, boolean | string> | null;
  /** An absolute URL, or a path on the destination of the redirect. `:id`, `*`, `{query.name}` and, for wildcard hosts, `{host.1}` are filled in. Null with `statusCode` 410. */
  destination?: string | null;
  /** 301 by default. */
  statusCode?: 301 | 302 | 307 | 308 | 410;
  /** `inherit` (default) takes the setting of the redirect. */
  queryForwarding?: "inherit" | true | false;
  /** true by default. */
  enabled?: boolean;
  note?: string;
};

/** JSON Merge Patch (RFC 7396). Objects are merged; `null` sets the default. */
export type UpdateRedirectRequest = {
  /** If sent, the id of the path. */
  id?: string;
  /** Domain or subdomain without protocol and path. */
  fromDomain?: string;
  /** Destination URL, with protocol. */
  toDomain?: string;
  /** `permanent` answers 301 or 308, `temporary` 302 or 307: see `statusCode`. */
  redirectType?: "permanent" | "temporary" | null;
  /** Append the request path to the destination. */
  pathForwarding?: boolean | null;
  /** Carry the query string to the destination. */
  queryForwarding?: boolean | null;
  /** Share of traffic that analytics record: 1 all, 0 none. */
  samplingRate?: number | null;
  /** How long browsers and other caches may keep a permanent answer, in seconds (default 300). 0 forbids it. Temporary answers, and those of a redirect with active rules, are never kept. */
  cacheSeconds?: number | null;
  /** What hits record of the query of requests, destinations and referrers. `full`: everything, with the values of parameters named like secrets (`token`, `password`, `api_key`, …) masked. `names`: all values are masked; no campaign is recorded. `none`: no query. Applies to hits recorded from then on. Visitors are redirected as before. */
  queryRecording?: "full" | "names" | "none" | null;
  /** HTTP status. `redirectType` follows: 301 and 308 are permanent, 302 and 307 temporary. A change of `redirectType` alone sets 301 or 302. */
  statusCode?: 301 | 302 | 307 | 308 | null;
  /** `false`: visitors get 404. */
  enabled?: boolean | null;
  tags?: string[] | null;
  note?: string | null;
  externalId?: ExternalId | null;
  startsAt?: StartsAt | null;
  endsAt?: EndsAt | null;
  afterEnd?: {
    statusCode?: 410 | null;
    url?: string | null;
  } | null | null;
  responseHeaders?: Record<string, string | null> | null;
  appendQuery?: Record<string, string | null> | null;
  /** `both`: HTTP and HTTPS are served. `upgrade`: HTTP leads to HTTPS. `off`: no HTTPS. */
  httpsMode?: "both" | "upgrade" | "off" | null;
  hsts?: {
    maxAge?: number | null;
    includeSubDomains?: boolean | null;
    preload?: boolean | null;
  } | null | null;
  /** Ignored. */
  isVerified?: unknown;
  /** Ignored. */
  status?: unknown;
  /** Ignored. */
  verification?: unknown;
  /** Ignored. */
  userID?: unknown;
  /** Ignored. */
  createdAt?: unknown;
  /** Ignored. */
  updatedAt?: unknown;
  /** Ignored. */
  verifiedAt?: unknown;
  /** Ignored. */
  analyticsUsage?: unknown;
  /** Ignored. */
  certificate?: unknown;
  /** Ignored. */
  pathCount?: unknown;
  /** Ignored. */
  version?: unknown;
};

/** JSON Merge Patch (RFC 7396). `null` sets the default. */
export type UpdateRuleRequest = {
  name?: string | null;
  description?: Description | null;
  type?: "force" | "percentage" | "ab_experiment" | null;
  /** `AND`: all conditions must match. `OR`: at least one. Without any, a rule matches everybody. */
  conditionLogic?: "AND" | "OR" | null;
  /** The lower number is evaluated first. Distinct within a redirect: with a number that is taken, the rule goes before the one that has it. */
  priority?: number | null;
  /** Only active rules are evaluated. */
  status?: "active" | "inactive" | "draft" | null;
  conditions?: NewRuleCondition[] | null;
  startDate?: StartDate | null;
  endDate?: EndDate | null;
  action?: Record<string, unknown> | null;
  metadata?: Record<string, unknown> | null;
  /** Ignored. */
  id?: unknown;
  /** Ignored. */
  redirectId?: unknown;
  /** Ignored. */
  hitCount?: unknown;
  /** Ignored. */
  createdBy?: unknown;
  /** Ignored. */
  createdAt?: unknown;
  /** Ignored. */
  updatedAt?: unknown;
};

export type UpdateWebhookEndpointRequest = {
  /** Messages are posted to it. https, at a public address, on port 443 or one from 1024 on. */
  url?: string;
  /** What it is to hear of. */
  events?: EventType[];
  /** Whether messages wait. They are sent when the endpoint is resumed. */
  paused?: boolean;
};

export type UploadCertificateRequest = {
  /** PEM: the certificate of the host, then its issuers in order. */
  certificate: string;
  /** PEM. It is stored encrypted and never shown. */
  privateKey: string;
};

export type UsageStats = {
  /** Those that are active. `maxRedirects` limits the pending ones too. */
  redirectsUsed: number;
  /** Those whose domain is not verified yet. */
  redirectsPending: number;
  /** Limit of the plan; -1: no limit. */
  maxRedirects: number;
  /** Whether the plan allows one more. */
  canCreateRedirect: boolean;
  /** Recorded in this billing period. */
  totalAnalyticsEvents: number;
  lastUsageUpdate: string;
};

export type User = {
  id: string;
  /** `null` for users known only by a JWT that vouches for no address. */
  email: string | null;
  /** Whether the user opened the link in a mail to the address, or the issuer of a JWT vouches for it. */
  isEmailVerified: boolean;
  createdAt: string;
};

export type UserAgentStats = {
  data: UserAgentStatsData;
  meta: UnmatchedPathStatsMeta;
};

export type UserAgentStatsData = {
  /** By hits, most first, then by key. */
  userAgents: Array<{
    /** As sent; empty where none was. */
    userAgent: string;
    /** Hits; without bots unless `includeBots`. */
    hits: number;
    /** Distinct visitors among them. */
    uniqueVisitors: number;
    /** Share of the hits that the list covers, also of those beyond its end. */
    percentage: number;
  }>;
  summary: {
    /** User agents, also those beyond the end of the list. */
    totalUserAgents: number;
    /** The first one. */
    topUserAgent: string | null;
  };
};

/** The visitor. What is given is taken as it is where nothing else is said; a text given empty is not known of the visitor. */
export type UserAttributes = {
  /** ISO 3166-1 alpha-2 code, upper-case, of the IP address. Without it: as `ip_address` says. */
  country?: string;
  /** English name of the state or region; known with a city database. Without it: as `ip_address` says. */
  region?: string;
  /** English name of the city; known with a city database. Without it: as `ip_address` says. */
  city?: string;
  /** Kind of device, such as mobile. Without it: as `user_agent` says. */
  device_type?: string;
  /** Manufacturer of the device. Without it: as `user_agent` says. */
  device_brand?: string;
  /** Model of the device. Without it: as `user_agent` says. */
  device_model?: string;
  /** Name of the browser. Without it: as `user_agent` says. */
  browser_name?: string;
  /** Compared segment by segment as numbers: 9.2 is less than 10. Without it: as `user_agent` says. */
  browser_version?: string;
  /** Name of the operating system. Without it: as `user_agent` says. */
  os_name?: string;
  /** Compared segment by segment as numbers: 9.2 is less than 10. Without it: as `user_agent` says. */
  os_version?: string;
  /** URL of the page that the visitor comes from. */
  referrer?: string;
  /** Preferred language tag, such as de or de-AT; of a whole `Accept-Language`, the one it prefers. */
  language?: string;
  /** As it is in the request. Without it: `/`. */
  url_path?: string;
  /** Whole `User-Agent`. */
  user_agent?: string;
  /** Host or domain of the referrer, taken as of a referrer there: case, `www.` and a dot at the end do not matter, and the domains above it are matched too. What no referrer can have is not known of the visitor. Without it: as `referrer` says. */
  referrer_domain?: string;
  /** By the clock of each condition: its `timezone`, or UTC. Without it: as that clock says now. */
  hour_of_day?: number;
  /** 0 is Sunday. By the clock of each condition: its `timezone`, or UTC. Without it: as that clock says now. */
  day_of_week?: number;
  /** Decoded values by name; an array for a parameter that comes several times. */
  query_params?: Record<string, string[] | string>;
  /** IPv4 or IPv6. */
  ip_address?: string;
  /** Makes the dice repeatable: the same id always gets the same of every percentage and A/B test. */
  visitorId?: string;
};

export type Variant = {
  name: string;
  percentage: number;
  /** Destination URL, with protocol. */
  url: string;
  /** Default: the switch of the redirect. */
  pathForwarding?: boolean;
  /** Default: the switch of the redirect. */
  queryForwarding?: boolean;
  /** Status of the answer. Default, which is not written into the action: that of the action. */
  statusCode?: 301 | 302 | 307 | 308;
};

export type VerificationRecord = {
  recordType: "TXT";
  /** Full name of the record. */
  name: string;
  /** Exact value of the record, without quotes. */
  value: string;
};

export type VerificationReport = {
  domain: string;
  isVerified: boolean;
  status: VerifyDomainResponseStatus;
  required: Required;
  /** Values of the TXT records found, verification records first; control characters escaped. */
  found: string[];
  dnsRecords: DnsRecords;
  instructions: Instructions;
  checkedAt: string;
};

export type VerifyDomainRequest = {
  /** Domain or subdomain without protocol and path. */
  domain: string;
};

export type VerifyDomainResponse = {
  domain: string;
  isVerified: boolean;
  status: VerifyDomainResponseStatus;
  required: Required;
  /** Values of the TXT records found, verification records first; control characters escaped. */
  found: string[];
  dnsRecords: DnsRecords;
  instructions: Instructions;
  checkedAt: string;
  /** State of the certificate; `null`: there is none, and none is being obtained. */
  certificateStatus: "waiting_for_dns" | "ordering" | "issued" | "renewing" | "failed" | null;
};

export type VerifyDomainResponseStatus = {
  success: boolean;
  title: string;
  /** One sentence: what is the case. */
  summary: string;
  /** Why, and what to do about it. */
  detail: string;
};

export type VerifyDomainsRequest = {
  domains: string[];
};

export type VerifyDomainsResponse = {
  /** The answer of `POST /verify-domain` for each domain, in their order; with `error` where it is refused. */
  results: Array<VerificationReport | {
    domain: string;
    error: VerifyDomainsResponseError;
  }>;
};

export type VerifyDomainsResponseError = {
  code: string;
  message: string;
  field?: string;
};

export type VerifyEmailRequest = {
  /** The parameter `token` of the link in the mail. */
  token: string;
};

export type WebhookDelivery = {
  id: string;
  endpointId: string;
  /** Sent as `webhook-id`, the same in every attempt. */
  eventId: string;
  eventType: "subscription.confirmed" | "subscription.canceled" | "subscription.revoked" | "payment.failed" | "payment.disputed" | "payment.dispute_closed" | "domain.verified" | "domain.proof_missing" | "domain.unverified" | "redirect.taken_down" | "certificate.issued" | "certificate.failed" | "certificate.expiring" | "redirect.created" | "redirect.updated" | "redirect.deleted" | "rule.created" | "rule.updated" | "rule.deleted" | "usage.approaching_limit" | "usage.limit_reached" | "plan.excess_redirects" | "import.finished" | "webhook.test";
  /** `delivered`: answered with 2xx. `failed`: given up, after three days of attempts or an answer of 410. */
  status: "pending" | "delivered" | "failed";
  /** Status code of the latest answer, if the latest attempt had one. */
  responseCode: number | null;
  /** Why the latest attempt had no answer. */
  error: "name_not_resolved" | "address_refused" | "connection_failed" | "timed_out" | "secret_unreadable" | null;
  /** The latest ones, oldest first. */
  attempts: Array<{
    at: string;
    /** Status code of the answer; `null`: there was none. */
    responseCode: number | null;
    /** Why there was no answer. */
    error: "name_not_resolved" | "address_refused" | "connection_failed" | "timed_out" | "secret_unreadable" | null;
    durationMs: number;
  }>;
  /** When it is sent next; `null`: it is not. */
  nextAttemptAt: string | null;
  createdAt: string;
};

export type WebhookEndpoint = {
  id: string;
  url: string;
  events: EventType[];
  createdAt: string;
  /** Whether messages wait. */
  paused: boolean;
  /** Since when it is sent nothing, because it answered 410. A message that is sent again by hand and taken takes that back. */
  disabledAt: string | null;
};

export type ZoneProof = {
  /** Registrable domain of the domain. */
  zone: string;
  /** Full name of the TXT record. */
  name: string;
  /** Exact value of the record, without quotes. */
  zoneValue: string;
};

/** All operations: what they take, and what they answer. */
export interface Operations {
  /** Where the documentation is */
  'GET /': {
    answer: Index;
  };
  /** Alive? */
  'GET /healthz': {
    answer: GetHealthResponse;
  };
  /** Able to serve, part by part? */
  'GET /readyz': {
    answer: GetReadinessResponse503;
  };
  /** Sign up */
  'POST /auth/signup': {
    body: SignUpRequest;
    answer: Session | MailAnswer;
  };
  /** Confirm an e-mail address */
  'POST /auth/email/verify': {
    body: VerifyEmailRequest;
    answer: Session;
  };
  /** Log in */
  'POST /auth/login': {
    body: OpenSessionRequest;
    answer: Session;
  };
  /** Who am I */
  'GET /auth/user': {
    answer: Account;
  };
  /** Delete your account */
  'DELETE /auth/user': {
    body?: DeleteAccountRequest;
    answer: DeleteAccountResponse;
  };
  /** Log in with a browser */
  'POST /auth/session': {
    body: OpenSessionRequest;
    answer: OpenSessionWithTokenResponse;
  };
  /** Log out */
  'DELETE /auth/session': {
    answer: Message;
  };
  /** List your sessions */
  'GET /auth/sessions': {
    answer: ListSessionsResponse;
  };
  /** End all other sessions */
  'DELETE /auth/sessions': {
    answer: EndOtherSessionsResponse;
  };
  /** End a session */
  'DELETE /auth/sessions/{id}': {
    params: {
      id: string | number;
    };
    answer: Message;
  };
  /** Log in with the code of the start message */
  'POST /auth/session/code': {
    body: OpenSessionWithCodeRequest;
    answer: OpenSessionWithTokenResponse;
  };
  /** Log in a browser with an access token */
  'POST /auth/session/token': {
    answer: OpenSessionWithTokenResponse;
  };
  /** Change your password */
  'POST /auth/password/change': {
    body: ChangePasswordRequest;
    answer: Message;
  };
  /** Ask for a mail to choose a new password */
  'POST /auth/password/forgot': {
    body: RequestPasswordResetRequest;
    answer: MailAnswer;
  };
  /** Choose a new password */
  'POST /auth/password/reset': {
    body: ResetPasswordRequest;
    answer: Message;
  };
  /** Take the deletion of your account back */
  'POST /auth/user/restore': {
    answer: Message;
  };
  /** Create an access token */
  'POST /auth/tokens': {
    body: CreateAccessTokenRequest;
    answer: CreatedAccessToken;
  };
  /** List your access tokens */
  'GET /auth/tokens': {
    answer: ListAccessTokensResponse;
  };
  /** Delete an access token */
  'DELETE /auth/tokens/{id}': {
    params: {
      id: string | number;
    };
    answer: Message;
  };
  /** Your redirects, page by page */
  'GET /redirects': {
    query?: {
      limit?: number | undefined;
      /** `page.nextCursor` of the page before. */
      cursor?: string | undefined;
      /** Part of `fromDomain`, `toDomain`, `note` or `externalId`, in any case. */
      search?: string | undefined;
      status?: "pending" | "active" | "disabled" | "scheduled" | "ended" | undefined;
      verified?: boolean | undefined;
      tag?: string | undefined;
      sort?: "createdAt" | "-createdAt" | "updatedAt" | "-updatedAt" | "fromDomain" | "-fromDomain" | undefined;
      /** Members to show, separated by commas. Without it, all. A list without `analyticsUsage` is faster. */
      fields?: string | undefined;
      /** `true` adds `total` and `facets`. It takes time in proportion to the redirects. */
      count?: boolean | undefined;
    } | undefined;
    answer: ListRedirectsResponse;
  };
  /** Create a redirect */
  'POST /redirects': {
    body: AddRedirectRequest;
    answer: Redirect;
  };
  /** One redirect */
  'GET /redirects/{id}': {
    params: {
      id: string | number;
    };
    answer: Redirect;
  };
  /** Change a redirect */
  'PATCH /redirects/{id}': {
    params: {
      id: string | number;
    };
    body: UpdateRedirectRequest;
    answer: Redirect;
  };
  /** Delete a redirect and its rules */
  'DELETE /redirects/{id}': {
    params: {
      id: string | number;
    };
    answer: Message;
  };
  /** Restore a deleted redirect */
  'POST /redirects/{id}/restore': {
    params: {
      id: string | number;
    };
    answer: Redirect;
  };
  /** Create a redirect */
  'POST /add-redirect': {
    body: AddRedirectRequest;
    answer: Redirect;
  };
  /** Your redirects, newest first */
  'GET /get-redirects/me': {
    answer: Redirect[];
  };
  /** Change a redirect */
  'PUT /update/{id}': {
    params: {
      id: string | number;
    };
    body: ChangeRedirectRequest;
    answer: Redirect;
  };
  /** Delete a redirect and its rules */
  'DELETE /delete-redirect/{id}': {
    params: {
      id: string | number;
    };
    answer: Message;
  };
  /** Look up the proof of ownership now */
  'POST /verify-domain': {
    body: VerifyDomainRequest;
    answer: VerifyDomainResponse;
  };
  /** Look up many proofs of ownership now */
  'POST /verify-domains': {
    body: VerifyDomainsRequest;
    answer: VerifyDomainsResponse;
  };
  /** The TXT record that proves a whole zone */
  'GET /domains/{domain}/proof': {
    params: {
      domain: string | number;
    };
    answer: ZoneProof;
  };
  /** Create, change and delete many redirects */
  'POST /redirects/bulk': {
    query?: {
      /** `all_or_nothing` (default): one transaction; a failing row changes nothing. `best_effort`: rows that fail do not keep the others from being applied. */
      mode?: "best_effort" | "all_or_nothing" | undefined;
      /** `true`: nothing is changed; the answer says what would be. */
      dryRun?: boolean | undefined;
    } | undefined;
    body: ChangeManyRedirectsRequest | RawBody;
    answer: ChangeManyRedirectsResponse;
  };
  /** All your redirects as a file */
  'GET /exports/redirects': {
    query?: {
      /** Default: `csv`. */
      format?: "csv" | "ndjson" | "json" | undefined;
    } | undefined;
    answer: string | Array<{
      id: string;
      fromDomain: string;
      /** Destination URL, with protocol. */
      toDomain: string;
      redirectType: RedirectType;
      /** Append the request path to the destination. */
      pathForwarding: boolean;
      /** Carry the query string to the destination. */
      queryForwarding: boolean;
      samplingRate: SamplingRate;
      cacheSeconds: CacheSeconds;
      queryRecording: QueryRecording;
      statusCode: StatusCode;
      /** `false`: visitors get 404. */
      enabled: boolean;
      tags: string[];
      note: string;
      externalId: ExternalId;
      startsAt: string | null;
      endsAt: string | null;
      afterEnd: AfterEnd;
      responseHeaders: ResponseHeaders;
      appendQuery: AppendQuery;
      httpsMode: HttpsMode;
      hsts: Hsts;
      isVerified: boolean;
      status: Status;
      verification: VerificationRecord;
      userID: string;
      createdAt: string;
      updatedAt: string;
      verifiedAt: string | null;
      /** Certificate of the domain. */
      certificate: Certificate | null;
      /** Entries of the path table. */
      pathCount: number;
      /** Grows with each change of the redirect. */
      version: number;
    }>;
  };
  /** The rules of a redirect, in the order of evaluation */
  'GET /rules/redirect/{redirectId}': {
    params: {
      redirectId: string | number;
    };
    answer: ListRulesResponse;
  };
  /** Create a rule */
  'POST /rules/redirect/{redirectId}': {
    params: {
      redirectId: string | number;
    };
    body: CreateRedirectRuleRequest;
    answer: DuplicateRuleResponse;
  };
  /** Create a rule */
  'POST /redirects/{id}/rules': {
    params: {
      id: string | number;
    };
    body: CreateRedirectRuleRequest;
    answer: DuplicateRuleResponse;
  };
  /** Put the rules of a redirect into another order */
  'PUT /rules/redirect/{redirectId}/reorder': {
    params: {
      redirectId: string | number;
    };
    body: ReorderRulesRequest;
    answer: ReorderRulesResponse;
  };
  /** One rule */
  'GET /rules/{ruleId}': {
    params: {
      ruleId: string | number;
    };
    answer: SetRuleStatusResponse;
  };
  /** Change a rule */
  'PUT /rules/{ruleId}': {
    params: {
      ruleId: string | number;
    };
    body: ChangeRuleRequest;
    answer: SetRuleStatusResponse;
  };
  /** Change a rule */
  'PATCH /rules/{ruleId}': {
    params: {
      ruleId: string | number;
    };
    body: UpdateRuleRequest;
    answer: SetRuleStatusResponse;
  };
  /** Delete a rule */
  'DELETE /rules/{ruleId}': {
    params: {
      ruleId: string | number;
    };
    answer: Message;
  };
  /** Activate or deactivate a rule */
  'PUT /rules/{ruleId}/status': {
    params: {
      ruleId: string | number;
    };
    body: SetRuleStatusRequest;
    answer: SetRuleStatusResponse;
  };
  /** Copy a rule */
  'POST /rules/{ruleId}/duplicate': {
    params: {
      ruleId: string | number;
    };
    answer: DuplicateRuleResponse;
  };
  /** What the rules would do with a visitor */
  'POST /rules/redirect/{redirectId}/test': {
    params: {
      redirectId: string | number;
    };
    body: TestRulesRequest;
    answer: TestRulesResponse;
  };
  /** What rules can test of a visitor, and how */
  'GET /rules/attributes': {
    query?: {
      /** Puts what visitors of this redirect had first in `availableValues`. */
      redirectId?: string | undefined;
    } | undefined;
    answer: ListRuleAttributesResponse;
  };
  /** Values of an attribute to choose from */
  'GET /rules/redirect/{redirectId}/attributes/{attribute}/values': {
    params: {
      redirectId: string | number;
      /** One of the keys of `GET /rules/attributes`. */
      attribute: string | number;
    };
    query?: {
      /** For `query_param`, which has no values without it: the parameter, case-sensitive. Its values are those of the newest 2000 recorded hits that have a query, of today and the 90 days before. `stats/query-params` lists the names. */
      param?: string | undefined;
    } | undefined;
    answer: ListAttributeValuesResponse;
  };
  /** How often each rule has matched */
  'GET /rules/redirect/{redirectId}/analytics': {
    params: {
      redirectId: string | number;
    };
    answer: RuleAnalytics;
  };
  /** The table of paths of a redirect */
  'GET /redirects/{id}/paths': {
    params: {
      id: string | number;
    };
    query?: {
      limit?: number | undefined;
      cursor?: string | undefined;
      /** Part of source, destination or note, in any case. */
      search?: string | undefined;
    } | undefined;
    answer: ListRedirectPathsResponse;
  };
  /** Add a path */
  'POST /redirects/{id}/paths': {
    params: {
      id: string | number;
    };
    body: NewPathEntry;
    answer: PathEntry;
  };
  /** Replace the table of paths */
  'PUT /redirects/{id}/paths': {
    params: {
      id: string | number;
    };
    body: StageRedirectPathsRequest;
    answer: RestoreRedirectPathsResponse;
  };
  /** Change a path */
  'PATCH /redirects/{id}/paths/{entryId}': {
    params: {
      id: string | number;
      entryId: string | number;
    };
    body: UpdateRedirectPathRequest;
    answer: PathEntry;
  };
  /** Delete a path */
  'DELETE /redirects/{id}/paths/{entryId}': {
    params: {
      id: string | number;
      entryId: string | number;
    };
    answer: Message;
  };
  /** Where URLs lead */
  'POST /redirects/{id}/paths/test': {
    params: {
      id: string | number;
    };
    body: TestStagedRedirectPathsRequest;
    answer: TestStagedRedirectPathsResponse;
  };
  /** Upload a table beside the live one */
  'PUT /redirects/{id}/paths/staged': {
    params: {
      id: string | number;
    };
    body: StageRedirectPathsRequest;
    answer: RestoreRedirectPathsResponse;
  };
  /** The staged table of paths */
  'GET /redirects/{id}/paths/staged': {
    params: {
      id: string | number;
    };
    query?: {
      limit?: number | undefined;
      cursor?: string | undefined;
    } | undefined;
    answer: GetStagedRedirectPathsResponse;
  };
  /** Discard the staged table of paths */
  'DELETE /redirects/{id}/paths/staged': {
    params: {
      id: string | number;
    };
    answer: Message;
  };
  /** What publishing the staged table would change */
  'GET /redirects/{id}/paths/staged/diff': {
    params: {
      id: string | number;
    };
    query?: {
      limit?: number | undefined;
      cursor?: string | undefined;
    } | undefined;
    answer: CompareStagedRedirectPathsResponse;
  };
  /** Where URLs would lead with the staged table */
  'POST /redirects/{id}/paths/staged/test': {
    params: {
      id: string | number;
    };
    body: TestStagedRedirectPathsRequest;
    answer: TestStagedRedirectPathsResponse;
  };
  /** Make the staged table of paths the live one */
  'POST /redirects/{id}/paths/staged/publish': {
    params: {
      id: string | number;
    };
    answer: RestoreRedirectPathsResponse;
  };
  /** Restore the table of paths before the last replacement */
  'POST /redirects/{id}/paths/restore': {
    params: {
      id: string | number;
    };
    answer: RestoreRedirectPathsResponse;
  };
  /** The table of paths of a redirect as a file */
  'GET /exports/redirects/{id}/paths': {
    params: {
      id: string | number;
    };
    query?: {
      /** Default: `csv`. */
      format?: "csv" | "json" | "nginx" | "netlify" | "caddy" | undefined;
    } | undefined;
    answer: string | unknown[];
  };
  /** Import a file */
  'POST /imports': {
    query?: {
      /** `redirects` (default): whole hosts. `paths`: entries of the table of paths of `redirectId`. */
      kind?: "redirects" | "paths" | undefined;
      /** Required with `kind=paths`. */
      redirectId?: string | undefined;
      /** Default: `csv` or `ndjson`, by Content-Type. */
      format?: "csv" | "ndjson" | "nginx" | "htaccess" | "netlify" | "cloudflare" | "vercel" | "caddy" | "shlink" | "yourls" | "bitly" | "wordpress" | undefined;
      /** `best_effort` (default): rows that fail do not keep the others from being applied. `all_or_nothing`: a failing row changes nothing; up to 50000 rows. */
      mode?: "best_effort" | "all_or_nothing" | undefined;
      /** `true`: nothing is changed; the rows say what would be. */
      dryRun?: boolean | undefined;
    } | undefined;
    body: RawBody | unknown;
    answer: Import;
  };
  /** Your imports, newest first */
  'GET /imports': {
    query?: {
      limit?: number | undefined;
      cursor?: string | undefined;
    } | undefined;
    answer: ListImportsResponse;
  };
  /** An import and its progress */
  'GET /imports/{id}': {
    params: {
      id: string | number;
    };
    answer: Import;
  };
  /** What became of the rows of an import */
  'GET /imports/{id}/rows': {
    params: {
      id: string | number;
    };
    query?: {
      /** Only rows of this status. */
      status?: "created" | "updated" | "deleted" | "unchanged" | "failed" | "skipped" | undefined;
      /** `json` (default): a page. `csv`: all rows as a file. */
      format?: "json" | "csv" | undefined;
      limit?: number | undefined;
      cursor?: string | undefined;
    } | undefined;
    answer: ListImportRowsResponse | string;
  };
  /** Cancel an import */
  'POST /imports/{id}/cancel': {
    params: {
      id: string | number;
    };
    answer: Import;
  };
  /** Counts of a period */
  'GET /analytics/redirect/{redirectId}/stats/basic': {
    params: {
      /** The redirect that the statistics are about. */
      redirectId: string | number;
    };
    query?: {
      /** A date (YYYY-MM-DD) or an ISO 8601 timestamp, of `timezone` unless it says its offset; inclusive. Default: midnight 29 days before the day of `end`. */
      start?: string | undefined;
      /** A date (YYYY-MM-DD) or an ISO 8601 timestamp, of `timezone` unless it says its offset; inclusive. A date alone is the whole day. Default: now. May be in the future. */
      end?: string | undefined;
      /** Whether hits of bots count. Default: hits of bots are in the totals, and not in lists and among unique visitors. `true`: they are everywhere, `false`: nowhere. */
      includeBots?: boolean | undefined;
      /** Name of a time zone of the IANA database (`Europe/Berlin`). Dates, days and hours are those of this zone, with its daylight saving time. Timestamps in answers are UTC. */
      timezone?: string | undefined;
    } | undefined;
    answer: BasicStats;
  };
  /** What a dashboard shows at first sight */
  'GET /analytics/redirect/{redirectId}/dashboard': {
    params: {
      /** The redirect that the statistics are about. */
      redirectId: string | number;
    };
    query?: {
      /** A date (YYYY-MM-DD) or an ISO 8601 timestamp, of `timezone` unless it says its offset; inclusive. Default: midnight 29 days before the day of `end`. */
      start?: string | undefined;
      /** A date (YYYY-MM-DD) or an ISO 8601 timestamp, of `timezone` unless it says its offset; inclusive. A date alone is the whole day. Default: now. May be in the future. */
      end?: string | undefined;
      /** Whether hits of bots count. Default: hits of bots are in the totals, and not in lists and among unique visitors. `true`: they are everywhere, `false`: nowhere. */
      includeBots?: boolean | undefined;
      /** Name of a time zone of the IANA database (`Europe/Berlin`). Dates, days and hours are those of this zone, with its daylight saving time. Timestamps in answers are UTC. */
      timezone?: string | undefined;
    } | undefined;
    answer: Dashboard;
  };
  /** Hits over time */
  'GET /analytics/redirect/{redirectId}/stats/time': {
    params: {
      /** The redirect that the statistics are about. */
      redirectId: string | number;
    };
    query?: {
      /** A date (YYYY-MM-DD) or an ISO 8601 timestamp, of `timezone` unless it says its offset; inclusive. Default: midnight 29 days before the day of `end`. */
      start?: string | undefined;
      /** A date (YYYY-MM-DD) or an ISO 8601 timestamp, of `timezone` unless it says its offset; inclusive. A date alone is the whole day. Default: now. May be in the future. */
      end?: string | undefined;
      /** Whether hits of bots count. Default: hits of bots are in the totals, and not in lists and among unique visitors. `true`: they are everywhere, `false`: nowhere. */
      includeBots?: boolean | undefined;
      /** Name of a time zone of the IANA database (`Europe/Berlin`). Dates, days and hours are those of this zone, with its daylight saving time. Timestamps in answers are UTC. */
      timezone?: string | undefined;
      /** Length of a bucket. Weeks begin on Monday. */
      interval?: "hour" | "day" | "week" | "month" | undefined;
    } | undefined;
    answer: TimeStats;
  };
  /** Where visitors are */
  'GET /analytics/redirect/{redirectId}/stats/geo': {
    params: {
      /** The redirect that the statistics are about. */
      redirectId: string | number;
    };
    query?: {
      /** A date (YYYY-MM-DD) or an ISO 8601 timestamp, of `timezone` unless it says its offset; inclusive. Default: midnight 29 days before the day of `end`. */
      start?: string | undefined;
      /** A date (YYYY-MM-DD) or an ISO 8601 timestamp, of `timezone` unless it says its offset; inclusive. A date alone is the whole day. Default: now. May be in the future. */
      end?: string | undefined;
      /** Whether hits of bots count. Default: false, hits of bots are left out. */
      includeBots?: boolean | undefined;
      /** Name of a time zone of the IANA database (`Europe/Berlin`). Dates, days and hours are those of this zone, with its daylight saving time. Timestamps in answers are UTC. */
      timezone?: string | undefined;
      /** What a location is. */
      groupBy?: "country" | "region" | "city" | undefined;
    } | undefined;
    answer: GeoStats;
  };
  /** What visitors use */
  'GET /analytics/redirect/{redirectId}/stats/devices': {
    params: {
      /** The redirect that the statistics are about. */
      redirectId: string | number;
    };
    query?: {
      /** A date (YYYY-MM-DD) or an ISO 8601 timestamp, of `timezone` unless it says its offset; inclusive. Default: midnight 29 days before the day of `end`. */
      start?: string | undefined;
      /** A date (YYYY-MM-DD) or an ISO 8601 timestamp, of `timezone` unless it says its offset; inclusive. A date alone is the whole day. Default: now. May be in the future. */
      end?: string | undefined;
      /** Whether hits of bots count. Default: false, hits of bots are left out. */
      includeBots?: boolean | undefined;
      /** Name of a time zone of the IANA database (`Europe/Berlin`). Dates, days and hours are those of this zone, with its daylight saving time. Timestamps in answers are UTC. */
      timezone?: string | undefined;
    } | undefined;
    answer: DeviceStats;
  };
  /** Where visitors come from */
  'GET /analytics/redirect/{redirectId}/stats/referrers': {
    params: {
      /** The redirect that the statistics are about. */
      redirectId: string | number;
    };
    query?: {
      /** A date (YYYY-MM-DD) or an ISO 8601 timestamp, of `timezone` unless it says its offset; inclusive. Default: midnight 29 days before the day of `end`. */
      start?: string | undefined;
      /** A date (YYYY-MM-DD) or an ISO 8601 timestamp, of `timezone` unless it says its offset; inclusive. A date alone is the whole day. Default: now. May be in the future. */
      end?: string | undefined;
      /** Whether hits of bots count. Default: false, hits of bots are left out. */
      includeBots?: boolean | undefined;
      /** Name of a time zone of the IANA database (`Europe/Berlin`). Dates, days and hours are those of this zone, with its daylight saving time. Timestamps in answers are UTC. */
      timezone?: string | undefined;
      /** Rows at most, those with the most hits. */
      limit?: number | undefined;
    } | undefined;
    answer: ReferrerStats;
  };
  /** Hits by the hour of the day */
  'GET /analytics/redirect/{redirectId}/stats/hourly': {
    params: {
      /** The redirect that the statistics are about. */
      redirectId: string | number;
    };
    query?: {
      /** A date (YYYY-MM-DD) or an ISO 8601 timestamp, of `timezone` unless it says its offset; inclusive. Default: midnight 29 days before the day of `end`. */
      start?: string | undefined;
      /** A date (YYYY-MM-DD) or an ISO 8601 timestamp, of `timezone` unless it says its offset; inclusive. A date alone is the whole day. Default: now. May be in the future. */
      end?: string | undefined;
      /** Whether hits of bots count. Default: false, hits of bots are left out. */
      includeBots?: boolean | undefined;
      /** Name of a time zone of the IANA database (`Europe/Berlin`). Dates, days and hours are those of this zone, with its daylight saving time. Timestamps in answers are UTC. */
      timezone?: string | undefined;
    } | undefined;
    answer: HourlyStats;
  };
  /** A period against the one before */
  'GET /analytics/redirect/{redirectId}/stats/comparison': {
    params: {
      /** The redirect that the statistics are about. */
      redirectId: string | number;
    };
    query?: {
      /** A date (YYYY-MM-DD) or an ISO 8601 timestamp, of `timezone` unless it says its offset; inclusive. Default: midnight 29 days before the day of `end`. */
      start?: string | undefined;
      /** A date (YYYY-MM-DD) or an ISO 8601 timestamp, of `timezone` unless it says its offset; inclusive. A date alone is the whole day. Default: now. May be in the future. */
      end?: string | undefined;
      /** Whether hits of bots count. Default: hits of bots are in the totals, and not in lists and among unique visitors. `true`: they are everywhere, `false`: nowhere. */
      includeBots?: boolean | undefined;
      /** Name of a time zone of the IANA database (`Europe/Berlin`). Dates, days and hours are those of this zone, with its daylight saving time. Timestamps in answers are UTC. */
      timezone?: string | undefined;
    } | undefined;
    answer: ComparisonStats;
  };
  /** The busiest hours */
  'GET /analytics/redirect/{redirectId}/stats/peak-traffic': {
    params: {
      /** The redirect that the statistics are about. */
      redirectId: string | number;
    };
    query?: {
      /** A date (YYYY-MM-DD) or an ISO 8601 timestamp, of `timezone` unless it says its offset; inclusive. Default: midnight 29 days before the day of `end`. */
      start?: string | undefined;
      /** A date (YYYY-MM-DD) or an ISO 8601 timestamp, of `timezone` unless it says its offset; inclusive. A date alone is the whole day. Default: now. May be in the future. */
      end?: string | undefined;
      /** Whether hits of bots count. Default: false, hits of bots are left out. */
      includeBots?: boolean | undefined;
      /** Name of a time zone of the IANA database (`Europe/Berlin`). Dates, days and hours are those of this zone, with its daylight saving time. Timestamps in answers are UTC. */
      timezone?: string | undefined;
      /** Rows at most, those with the most hits. */
      limit?: number | undefined;
    } | undefined;
    answer: PeakTrafficStats;
  };
  /** Visitors who came once, and who came again */
  'GET /analytics/redirect/{redirectId}/stats/return-visitors': {
    params: {
      /** The redirect that the statistics are about. */
      redirectId: string | number;
    };
    query?: {
      /** A date (YYYY-MM-DD) or an ISO 8601 timestamp, of `timezone` unless it says its offset; inclusive. Default: midnight 29 days before the day of `end`. */
      start?: string | undefined;
      /** A date (YYYY-MM-DD) or an ISO 8601 timestamp, of `timezone` unless it says its offset; inclusive. A date alone is the whole day. Default: now. May be in the future. */
      end?: string | undefined;
      /** Whether hits of bots count. Default: false, hits of bots are left out. */
      includeBots?: boolean | undefined;
      /** Name of a time zone of the IANA database (`Europe/Berlin`). Dates, days and hours are those of this zone, with its daylight saving time. Timestamps in answers are UTC. */
      timezone?: string | undefined;
    } | undefined;
    answer: ReturnVisitorStats;
  };
  /** What visitors were answered */
  'GET /analytics/redirect/{redirectId}/stats/status-codes': {
    params: {
      /** The redirect that the statistics are about. */
      redirectId: string | number;
    };
    query?: {
      /** A date (YYYY-MM-DD) or an ISO 8601 timestamp, of `timezone` unless it says its offset; inclusive. Default: midnight 29 days before the day of `end`. */
      start?: string | undefined;
      /** A date (YYYY-MM-DD) or an ISO 8601 timestamp, of `timezone` unless it says its offset; inclusive. A date alone is the whole day. Default: now. May be in the future. */
      end?: string | undefined;
      /** Whether hits of bots count. Default: false, hits of bots are left out. */
      includeBots?: boolean | undefined;
      /** Name of a time zone of the IANA database (`Europe/Berlin`). Dates, days and hours are those of this zone, with its daylight saving time. Timestamps in answers are UTC. */
      timezone?: string | undefined;
    } | undefined;
    answer: StatusCodeStats;
  };
  /** What could not be redirected */
  'GET /analytics/redirect/{redirectId}/stats/errors': {
    params: {
      /** The redirect that the statistics are about. */
      redirectId: string | number;
    };
    query?: {
      /** A date (YYYY-MM-DD) or an ISO 8601 timestamp, of `timezone` unless it says its offset; inclusive. Default: midnight 29 days before the day of `end`. */
      start?: string | undefined;
      /** A date (YYYY-MM-DD) or an ISO 8601 timestamp, of `timezone` unless it says its offset; inclusive. A date alone is the whole day. Default: now. May be in the future. */
      end?: string | undefined;
      /** Whether hits of bots count. Default: true. */
      includeBots?: boolean | undefined;
      /** Name of a time zone of the IANA database (`Europe/Berlin`). Dates, days and hours are those of this zone, with its daylight saving time. Timestamps in answers are UTC. */
      timezone?: string | undefined;
    } | undefined;
    answer: ErrorStats;
  };
  /** Bots, and what they were known by */
  'GET /analytics/redirect/{redirectId}/stats/bots': {
    params: {
      /** The redirect that the statistics are about. */
      redirectId: string | number;
    };
    query?: {
      /** A date (YYYY-MM-DD) or an ISO 8601 timestamp, of `timezone` unless it says its offset; inclusive. Default: midnight 29 days before the day of `end`. */
      start?: string | undefined;
      /** A date (YYYY-MM-DD) or an ISO 8601 timestamp, of `timezone` unless it says its offset; inclusive. A date alone is the whole day. Default: now. May be in the future. */
      end?: string | undefined;
      /** Whether hits of bots count. Without effect: the answer is about bots. */
      includeBots?: boolean | undefined;
      /** Name of a time zone of the IANA database (`Europe/Berlin`). Dates, days and hours are those of this zone, with its daylight saving time. Timestamps in answers are UTC. */
      timezone?: string | undefined;
    } | undefined;
    answer: BotStats;
  };
  /** Which languages visitors prefer */
  'GET /analytics/redirect/{redirectId}/stats/languages': {
    params: {
      /** The redirect that the statistics are about. */
      redirectId: string | number;
    };
    query?: {
      /** A date (YYYY-MM-DD) or an ISO 8601 timestamp, of `timezone` unless it says its offset; inclusive. Default: midnight 29 days before the day of `end`. */
      start?: string | undefined;
      /** A date (YYYY-MM-DD) or an ISO 8601 timestamp, of `timezone` unless it says its offset; inclusive. A date alone is the whole day. Default: now. May be in the future. */
      end?: string | undefined;
      /** Whether hits of bots count. Default: false, hits of bots are left out. */
      includeBots?: boolean | undefined;
      /** Name of a time zone of the IANA database (`Europe/Berlin`). Dates, days and hours are those of this zone, with its daylight saving time. Timestamps in answers are UTC. */
      timezone?: string | undefined;
      /** Rows at most, those with the most hits. */
      limit?: number | undefined;
    } | undefined;
    answer: LanguageStats;
  };
  /** Which paths visitors asked for */
  'GET /analytics/redirect/{redirectId}/stats/paths': {
    params: {
      /** The redirect that the statistics are about. */
      redirectId: string | number;
    };
    query?: {
      /** A date (YYYY-MM-DD) or an ISO 8601 timestamp, of `timezone` unless it says its offset; inclusive. Default: midnight 29 days before the day of `end`. */
      start?: string | undefined;
      /** A date (YYYY-MM-DD) or an ISO 8601 timestamp, of `timezone` unless it says its offset; inclusive. A date alone is the whole day. Default: now. May be in the future. */
      end?: string | undefined;
      /** Whether hits of bots count. Default: false, hits of bots are left out. */
      includeBots?: boolean | undefined;
      /** Name of a time zone of the IANA database (`Europe/Berlin`). Dates, days and hours are those of this zone, with its daylight saving time. Timestamps in answers are UTC. */
      timezone?: string | undefined;
      /** Rows at most, those with the most hits. */
      limit?: number | undefined;
    } | undefined;
    answer: PathStats;
  };
  /** Which user agents visitors sent */
  'GET /analytics/redirect/{redirectId}/stats/user-agents': {
    params: {
      /** The redirect that the statistics are about. */
      redirectId: string | number;
    };
    query?: {
      /** A date (YYYY-MM-DD) or an ISO 8601 timestamp, of `timezone` unless it says its offset; inclusive. Default: midnight 29 days before the day of `end`. */
      start?: string | undefined;
      /** A date (YYYY-MM-DD) or an ISO 8601 timestamp, of `timezone` unless it says its offset; inclusive. A date alone is the whole day. Default: now. May be in the future. */
      end?: string | undefined;
      /** Whether hits of bots count. Default: false, hits of bots are left out. */
      includeBots?: boolean | undefined;
      /** Name of a time zone of the IANA database (`Europe/Berlin`). Dates, days and hours are those of this zone, with its daylight saving time. Timestamps in answers are UTC. */
      timezone?: string | undefined;
      /** Rows at most, those with the most hits. */
      limit?: number | undefined;
    } | undefined;
    answer: UserAgentStats;
  };
  /** Which browsers visitors use, whatever their version */
  'GET /analytics/redirect/{redirectId}/stats/browser-families': {
    params: {
      /** The redirect that the statistics are about. */
      redirectId: string | number;
    };
    query?: {
      /** A date (YYYY-MM-DD) or an ISO 8601 timestamp, of `timezone` unless it says its offset; inclusive. Default: midnight 29 days before the day of `end`. */
      start?: string | undefined;
      /** A date (YYYY-MM-DD) or an ISO 8601 timestamp, of `timezone` unless it says its offset; inclusive. A date alone is the whole day. Default: now. May be in the future. */
      end?: string | undefined;
      /** Whether hits of bots count. Default: false, hits of bots are left out. */
      includeBots?: boolean | undefined;
      /** Name of a time zone of the IANA database (`Europe/Berlin`). Dates, days and hours are those of this zone, with its daylight saving time. Timestamps in answers are UTC. */
      timezone?: string | undefined;
      /** Rows at most, those with the most hits. */
      limit?: number | undefined;
    } | undefined;
    answer: BrowserFamilyStats;
  };
  /** Which kinds of devices visitors use */
  'GET /analytics/redirect/{redirectId}/stats/device-categories': {
    params: {
      /** The redirect that the statistics are about. */
      redirectId: string | number;
    };
    query?: {
      /** A date (YYYY-MM-DD) or an ISO 8601 timestamp, of `timezone` unless it says its offset; inclusive. Default: midnight 29 days before the day of `end`. */
      start?: string | undefined;
      /** A date (YYYY-MM-DD) or an ISO 8601 timestamp, of `timezone` unless it says its offset; inclusive. A date alone is the whole day. Default: now. May be in the future. */
      end?: string | undefined;
      /** Whether hits of bots count. Default: false, hits of bots are left out. */
      includeBots?: boolean | undefined;
      /** Name of a time zone of the IANA database (`Europe/Berlin`). Dates, days and hours are those of this zone, with its daylight saving time. Timestamps in answers are UTC. */
      timezone?: string | undefined;
    } | undefined;
    answer: DeviceCategoryStats;
  };
  /** Where visitors were sent */
  'GET /analytics/redirect/{redirectId}/stats/destination-urls': {
    params: {
      /** The redirect that the statistics are about. */
      redirectId: string | number;
    };
    query?: {
      /** A date (YYYY-MM-DD) or an ISO 8601 timestamp, of `timezone` unless it says its offset; inclusive. Default: midnight 29 days before the day of `end`. */
      start?: string | undefined;
      /** A date (YYYY-MM-DD) or an ISO 8601 timestamp, of `timezone` unless it says its offset; inclusive. A date alone is the whole day. Default: now. May be in the future. */
      end?: string | undefined;
      /** Whether hits of bots count. Default: false, hits of bots are left out. */
      includeBots?: boolean | undefined;
      /** Name of a time zone of the IANA database (`Europe/Berlin`). Dates, days and hours are those of this zone, with its daylight saving time. Timestamps in answers are UTC. */
      timezone?: string | undefined;
      /** Rows at most, those with the most hits. */
      limit?: number | undefined;
    } | undefined;
    answer: DestinationUrlStats;
  };
  /** Which campaigns brought visitors */
  'GET /analytics/redirect/{redirectId}/stats/campaigns': {
    params: {
      /** The redirect that the statistics are about. */
      redirectId: string | number;
    };
    query?: {
      /** A date (YYYY-MM-DD) or an ISO 8601 timestamp, of `timezone` unless it says its offset; inclusive. Default: midnight 29 days before the day of `end`. */
      start?: string | undefined;
      /** A date (YYYY-MM-DD) or an ISO 8601 timestamp, of `timezone` unless it says its offset; inclusive. A date alone is the whole day. Default: now. May be in the future. */
      end?: string | undefined;
      /** Whether hits of bots count. Default: false, hits of bots are left out. */
      includeBots?: boolean | undefined;
      /** Name of a time zone of the IANA database (`Europe/Berlin`). Dates, days and hours are those of this zone, with its daylight saving time. Timestamps in answers are UTC. */
      timezone?: string | undefined;
      /** Rows at most, those with the most hits. */
      limit?: number | undefined;
    } | undefined;
    answer: CampaignStats;
  };
  /** Which query parameters visitors bring */
  'GET /analytics/redirect/{redirectId}/stats/query-params': {
    params: {
      /** The redirect that the statistics are about. */
      redirectId: string | number;
    };
    query?: {
      /** A date (YYYY-MM-DD) or an ISO 8601 timestamp, of `timezone` unless it says its offset; inclusive. Default: midnight 29 days before the day of `end`. */
      start?: string | undefined;
      /** A date (YYYY-MM-DD) or an ISO 8601 timestamp, of `timezone` unless it says its offset; inclusive. A date alone is the whole day. Default: now. May be in the future. */
      end?: string | undefined;
      /** Whether hits of bots count. Default: false, hits of bots are left out. */
      includeBots?: boolean | undefined;
      /** Name of a time zone of the IANA database (`Europe/Berlin`). Dates, days and hours are those of this zone, with its daylight saving time. Timestamps in answers are UTC. */
      timezone?: string | undefined;
      /** Rows at most, those with the most hits. */
      limit?: number | undefined;
    } | undefined;
    answer: QueryParamStats;
  };
  /** Which entries of the table of paths visitors used, and which never */
  'GET /analytics/redirect/{redirectId}/stats/entries': {
    params: {
      /** The redirect that the statistics are about. */
      redirectId: string | number;
    };
    query?: {
      /** A date (YYYY-MM-DD) or an ISO 8601 timestamp, of `timezone` unless it says its offset; inclusive. Default: midnight 29 days before the day of `end`. */
      start?: string | undefined;
      /** A date (YYYY-MM-DD) or an ISO 8601 timestamp, of `timezone` unless it says its offset; inclusive. A date alone is the whole day. Default: now. May be in the future. */
      end?: string | undefined;
      /** Whether hits of bots count. Default: false, hits of bots are left out. */
      includeBots?: boolean | undefined;
      /** Name of a time zone of the IANA database (`Europe/Berlin`). Dates, days and hours are those of this zone, with its daylight saving time. Timestamps in answers are UTC. */
      timezone?: string | undefined;
      /** Rows at most, those with the most hits. */
      limit?: number | undefined;
    } | undefined;
    answer: EntryStats;
  };
  /** Which paths visitors asked for that no entry of the table of paths, and no rule, decided */
  'GET /analytics/redirect/{redirectId}/stats/unmatched-paths': {
    params: {
      /** The redirect that the statistics are about. */
      redirectId: string | number;
    };
    query?: {
      /** A date (YYYY-MM-DD) or an ISO 8601 timestamp, of `timezone` unless it says its offset; inclusive. Default: midnight 29 days before the day of `end`. */
      start?: string | undefined;
      /** A date (YYYY-MM-DD) or an ISO 8601 timestamp, of `timezone` unless it says its offset; inclusive. A date alone is the whole day. Default: now. May be in the future. */
      end?: string | undefined;
      /** Whether hits of bots count. Default: false, hits of bots are left out. */
      includeBots?: boolean | undefined;
      /** Name of a time zone of the IANA database (`Europe/Berlin`). Dates, days and hours are those of this zone, with its daylight saving time. Timestamps in answers are UTC. */
      timezone?: string | undefined;
      /** Rows at most, those with the most hits. */
      limit?: number | undefined;
    } | undefined;
    answer: UnmatchedPathStats;
  };
  /** The hits themselves, newest first, page by page */
  'GET /analytics/redirect/{redirectId}/hits': {
    params: {
      /** The redirect that the statistics are about. */
      redirectId: string | number;
    };
    query?: {
      /** A date (YYYY-MM-DD) or an ISO 8601 timestamp, of `timezone` unless it says its offset; inclusive. Default: midnight 29 days before the day of `end`. */
      start?: string | undefined;
      /** A date (YYYY-MM-DD) or an ISO 8601 timestamp, of `timezone` unless it says its offset; inclusive. A date alone is the whole day. Default: now. May be in the future. */
      end?: string | undefined;
      /** Whether the hits of bots are listed. `isBot` overrides it. */
      includeBots?: boolean | undefined;
      /** Name of a time zone of the IANA database (`Europe/Berlin`). Dates, days and hours are those of this zone, with its daylight saving time. Timestamps in answers are UTC. */
      timezone?: string | undefined;
      /** Counted from 1. Pages end with the first 100000 hits; `hits/export` has all of them. */
      page?: number | undefined;
      /** Hits on a page. */
      limit?: number | undefined;
      /** Hits from there: ISO 3166-1 alpha-2. */
      country?: string | undefined;
      /** Hits of bots, or all others. */
      isBot?: boolean | undefined;
      /** Hits answered with this status. */
      statusCode?: number | undefined;
      /** Hits that this rule decided. */
      ruleId?: number | undefined;
    } | undefined;
    answer: Hits;
  };
  /** The hits themselves as a file, newest first */
  'GET /analytics/redirect/{redirectId}/hits/export': {
    params: {
      /** The redirect that the statistics are about. */
      redirectId: string | number;
    };
    query?: {
      /** A date (YYYY-MM-DD) or an ISO 8601 timestamp, of `timezone` unless it says its offset; inclusive. Default: midnight 29 days before the day of `end`. */
      start?: string | undefined;
      /** A date (YYYY-MM-DD) or an ISO 8601 timestamp, of `timezone` unless it says its offset; inclusive. A date alone is the whole day. Default: now. May be in the future. */
      end?: string | undefined;
      /** Whether the hits of bots are listed. `isBot` overrides it. */
      includeBots?: boolean | undefined;
      /** Name of a time zone of the IANA database (`Europe/Berlin`). Dates, days and hours are those of this zone, with its daylight saving time. Timestamps in answers are UTC. */
      timezone?: string | undefined;
      /** `ndjson`: on each line a hit as `hits` gives it. `csv`: the same in columns. */
      format?: "csv" | "ndjson" | undefined;
      /** Hits from there: ISO 3166-1 alpha-2. */
      country?: string | undefined;
      /** Hits of bots, or all others. */
      isBot?: boolean | undefined;
      /** Hits answered with this status. */
      statusCode?: number | undefined;
      /** Hits that this rule decided. */
      ruleId?: number | undefined;
    } | undefined;
    answer: string;
  };
  /** Several statistics at once */
  'GET /analytics/redirect/{redirectId}/stats': {
    params: {
      /** The redirect that the statistics are about. */
      redirectId: string | number;
    };
    query: {
      /** A date (YYYY-MM-DD) or an ISO 8601 timestamp, of `timezone` unless it says its offset; inclusive. Default: midnight 29 days before the day of `end`. */
      start?: string | undefined;
      /** A date (YYYY-MM-DD) or an ISO 8601 timestamp, of `timezone` unless it says its offset; inclusive. A date alone is the whole day. Default: now. May be in the future. */
      end?: string | undefined;
      /** Whether hits of bots count. Default: false, hits of bots are left out. */
      includeBots?: boolean | undefined;
      /** Name of a time zone of the IANA database (`Europe/Berlin`). Dates, days and hours are those of this zone, with its daylight saving time. Timestamps in answers are UTC. */
      timezone?: string | undefined;
      /** Names of statistics, separated by commas: basic, dashboard, time, geo, devices, referrers, hourly, comparison, peak-traffic, return-visitors, status-codes, errors, bots, languages, paths, user-agents, browser-families, device-categories, destination-urls, campaigns, query-params, entries, unmatched-paths. */
      include: string;
      /** Length of a bucket. Weeks begin on Monday. */
      interval?: "hour" | "day" | "week" | "month" | undefined;
      /** What a location is. */
      groupBy?: "country" | "region" | "city" | undefined;
      /** Rows at most, those with the most hits. */
      limit?: number | undefined;
    };
    answer: SeveralStats;
  };
  /** The plans */
  'GET /user/plans': {
    answer: ListPlansResponse;
  };
  /** Begin to pay for a plan */
  'POST /payment/checkout': {
    body: CreateCheckoutRequest;
    answer: CreateCheckoutResponse;
  };
  /** How a checkout stands */
  'GET /payment/checkout/{id}': {
    params: {
      id: string | number;
    };
    answer: GetCheckoutResponse;
  };
  /** Your subscription */
  'GET /payment/subscription': {
    answer: GetSubscriptionResponse;
  };
  /** Cancel your subscription */
  'POST /payment/subscription/cancel': {
    body?: CancelSubscriptionRequest;
    answer: ReactivateSubscriptionResponse;
  };
  /** Withdraw a cancellation */
  'POST /payment/subscription/reactivate': {
    answer: ReactivateSubscriptionResponse;
  };
  /** Open the billing portal */
  'POST /payment/portal': {
    body?: CreatePortalSessionRequest;
    answer: CreatePortalSessionResponse;
  };
  /** Your transactions, newest first */
  'GET /payment/history': {
    query?: {
      page?: number | undefined;
      limit?: number | undefined;
    } | undefined;
    answer: ListTransactionsResponse;
  };
  /** Plan, payments and usage */
  'GET /payment/billing': {
    answer: GetBillingSummaryResponse;
  };
  /** Events of Stripe */
  'POST /webhooks/stripe': {
    answer: TakeStripeEventResponse;
  };
  /** Create a webhook endpoint */
  'POST /webhook-endpoints': {
    body: CreateWebhookEndpointRequest;
    answer: CreatedWebhookEndpoint;
  };
  /** Your webhook endpoints, newest first */
  'GET /webhook-endpoints': {
    answer: ListWebhookEndpointsResponse;
  };
  /** Change a webhook endpoint */
  'PATCH /webhook-endpoints/{id}': {
    params: {
      id: string | number;
    };
    body: UpdateWebhookEndpointRequest;
    answer: WebhookEndpoint;
  };
  /** Delete a webhook endpoint */
  'DELETE /webhook-endpoints/{id}': {
    params: {
      id: string | number;
    };
    answer: Message;
  };
  /** Replace the secret of a webhook endpoint */
  'POST /webhook-endpoints/{id}/rotate-secret': {
    params: {
      id: string | number;
    };
    answer: CreatedWebhookEndpoint;
  };
  /** Send a test message */
  'POST /webhook-endpoints/{id}/test': {
    params: {
      id: string | number;
    };
    answer: ResendWebhookDeliveryResponse;
  };
  /** What was sent to an endpoint, newest first */
  'GET /webhook-endpoints/{id}/deliveries': {
    params: {
      id: string | number;
    };
    query?: {
      page?: number | undefined;
      limit?: number | undefined;
    } | undefined;
    answer: ListWebhookDeliveriesResponse;
  };
  /** Send a message again */
  'POST /webhook-deliveries/{id}/resend': {
    params: {
      id: string | number;
    };
    answer: ResendWebhookDeliveryResponse;
  };
  /** Your certificates, by host */
  'GET /certificates': {
    query?: {
      limit?: number | undefined;
      /** `nextCursor` of the page before. */
      cursor?: string | undefined;
    } | undefined;
    answer: ListCertificatesResponse;
  };
  /** The certificate of a host */
  'GET /certificates/{host}': {
    params: {
      host: string | number;
    };
    answer: CertificateDetail;
  };
  /** Upload a certificate */
  'PUT /certificates/{host}': {
    params: {
      host: string | number;
    };
    body: UploadCertificateRequest;
    answer: CertificateDetail;
  };
  /** Delete a certificate and its key */
  'DELETE /certificates/{host}': {
    params: {
      host: string | number;
    };
    answer: Message;
  };
  /** Try again to obtain or renew a certificate */
  'POST /certificates/{host}/retry': {
    params: {
      host: string | number;
    };
    answer: CertificateDetail;
  };
  /** List users, newest first */
  'GET /admin/users': {
    query?: {
      limit?: number | undefined;
      /** `nextCursor` of the page before. Default: the first page. */
      cursor?: string | undefined;
      /** Part of an e-mail address, or an id. */
      search?: string | undefined;
      status?: "active" | "suspended" | undefined;
    } | undefined;
    answer: ListUsersResponse;
  };
  /** Suspend a user */
  'POST /admin/users/{id}/suspend': {
    params: {
      id: string | number;
    };
    body?: SuspendUserRequest;
    answer: ListedUser;
  };
  /** Take a suspension back */
  'POST /admin/users/{id}/resume': {
    params: {
      id: string | number;
    };
    answer: ListedUser;
  };
  /** Take down a host or a destination */
  'POST /admin/takedowns': {
    body: CreateTakedownRequest;
    answer: CreatedTakedown;
  };
  /** List takedowns, newest first, lifted ones included */
  'GET /admin/takedowns': {
    query?: {
      limit?: number | undefined;
      /** `nextCursor` of the page before. Default: the first page. */
      cursor?: string | undefined;
    } | undefined;
    answer: ListTakedownsResponse;
  };
  /** Lift a takedown */
  'DELETE /admin/takedowns/{id}': {
    params: {
      id: string | number;
    };
    answer: Message;
  };
  /** Take a domain from its owner */
  'POST /admin/domains/{domain}/release': {
    params: {
      domain: string | number;
    };
    answer: Message;
  };
  /** List what operators did, newest first */
  'GET /admin/log': {
    query?: {
      limit?: number | undefined;
      /** `nextCursor` of the page before. Default: the first page. */
      cursor?: string | undefined;
    } | undefined;
    answer: ListOperatorLogResponse;
  };
  /** See what each data plane serves, and how its hits have fared */
  'GET /admin/dataplanes': {
    answer: ListDataplanesResponse;
  };
  /** Have every data plane serve exactly what the database holds */
  'POST /admin/new-epoch': {
    answer: StartNewEpochResponse;
  };
}
