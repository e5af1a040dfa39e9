import type { CursorPage } from './records';

/** Shapes of the API's answers about accounts, billing, webhooks and the installation. */

export interface User {
  readonly id: string;
  readonly email: string | null;
  readonly isEmailVerified: boolean;
  readonly createdAt: string;
}

export interface Plan {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly pricing: {
    readonly amount: number;
    readonly currency: string;
    readonly interval: 'month' | 'year';
    readonly trialDays: number;
  };
  readonly limits: {
    readonly maxRedirects: number;
    readonly perRedirect: {
      readonly maxAnalyticsEvents: number;
      readonly maxRulesPerRedirect: number;
      readonly analyticsRetentionDays: number;
    };
  };
  readonly isActive: boolean;
  readonly tier: number;
}

export interface UsageStats {
  readonly redirectsUsed: number;
  readonly redirectsPending: number;
  readonly maxRedirects: number;
  readonly canCreateRedirect: boolean;
  readonly totalAnalyticsEvents: number;
}

export interface Account {
  readonly user: User;
  readonly plan: Plan;
  readonly usage: UsageStats & { readonly redirects: number };
  readonly eraseAt: string | null;
  readonly hasPassword: boolean;
  readonly isOperator: boolean;
  readonly isOnTrial: boolean;
  readonly trialEndsAt: string | null;
  readonly isInGracePeriod: boolean;
}

export interface Session {
  readonly id: string;
  readonly kind: 'cookie' | 'token';
  readonly userAgent: string | null;
  readonly isCurrent: boolean;
  readonly createdAt: string;
  readonly lastUsedAt: string | null;
  readonly expiresAt: string;
}

export interface AccessToken {
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly expiresAt: string | null;
  readonly lastUsedAt: string | null;
  readonly createdAt: string;
}

export interface Transaction {
  readonly id: string;
  readonly type: string;
  readonly status: string;
  readonly amount: number;
  readonly currency: string;
  readonly receiptUrl: string | null;
  readonly invoiceUrl: string | null;
  readonly createdAt: string;
}

export interface Billing {
  readonly data: {
    readonly currentPlan: Plan;
    readonly subscription: {
      readonly id: string;
      readonly status: string;
      readonly currentPeriodEnd: string;
      readonly cancelAtPeriodEnd: boolean;
      readonly isTrialing: boolean;
      readonly trialEnd: string | null;
    } | null;
    readonly recentTransactions: readonly Transaction[];
    readonly usageStats: UsageStats;
  };
  readonly message: string;
}

export interface WebhookEndpoint {
  readonly id: string;
  readonly url: string;
  readonly events: readonly string[];
  readonly createdAt: string;
  readonly paused: boolean;
  readonly disabledAt: string | null;
}

export interface WebhookDelivery {
  readonly id: string;
  readonly eventId: string;
  readonly eventType: string;
  readonly status: 'pending' | 'delivered' | 'failed';
  readonly responseCode: number | null;
  readonly error: string | null;
  readonly attempts: readonly { readonly at: string; readonly durationMs: number }[];
  readonly nextAttemptAt: string | null;
  readonly createdAt: string;
}

export interface NumberedPage<T> {
  readonly data: readonly T[];
  readonly pagination: { readonly page: number; readonly total: number; readonly totalPages: number };
}

export interface Dataplane {
  readonly id: string;
  readonly host: string;
  readonly pid: number;
  readonly version: string | null;
  readonly hosts?: number;
  readonly state: 'cold' | 'live' | 'resync' | 'stale';
  readonly behind: number | null;
  readonly lastError?: string;
  readonly startedAt: string;
  readonly reportedAt: string;
}

export interface Producer {
  readonly id: string;
  readonly seenAt: string;
  readonly recorded: number;
  readonly stored: number;
  readonly duplicated: number;
  readonly lost: number;
}

export interface DataplaneOverview {
  readonly dataplanes: readonly Dataplane[];
  readonly head: string;
  readonly producers: readonly Producer[] | null;
}

export interface ListedUser {
  readonly id: string;
  readonly email: string | null;
  readonly isEmailVerified: boolean;
  readonly createdAt: string;
  readonly redirects: number;
  readonly suspendedAt: string | null;
  readonly suspensionReason: string | null;
  readonly eraseAt: string | null;
}

export interface Takedown {
  readonly id: string;
  readonly host: string | null;
  readonly destinationHost: string | null;
  readonly reason: string;
  readonly createdAt: string;
  readonly liftedAt: string | null;
}

export type UserPage = CursorPage<ListedUser>;
export type TakedownPage = CursorPage<Takedown>;
