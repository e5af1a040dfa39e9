/** Exports of this area for other areas and the composition root. */
export { recordAccount } from './account-audit.js';
export type { AccountStanding, StandingOf, UsageStats } from './account-standing.js';
export { UsageStatsSchema } from './account-standing.js';
export { type Accounts, createAccounts } from './accounts.js';
export { DEFAULT_EMAIL } from './bootstrap.js';
export type { LeaverSubscriptions } from './leaver-subscriptions.js';
export { createStandingPasses, type StandingPasses } from './standing-passes.js';
export { userRepository } from './user-repository.js';
