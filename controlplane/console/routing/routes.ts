/**
 * Addresses of the views, below `/console`. The page of `/account/tokens` is `pages/account/tokens.tsx`; `:id` is left
 * out: `/redirects/:id/paths` is `pages/redirects/paths.tsx`.
 */
export const routes = {
  start: '/start',
  logIn: '/log-in',
  signUp: '/sign-up',
  forgotPassword: '/forgot-password',
  redirects: '/redirects',
  deleted: '/redirects/deleted',
  redirect: (id: string) => `/redirects/${encodeURIComponent(id)}`,
  redirectPart: (id: string, part: RedirectPart) => `/redirects/${encodeURIComponent(id)}/${part}`,
  rule: (id: string, ruleId: number) => `/redirects/${encodeURIComponent(id)}/rules/${ruleId}`,
  results: (id: string, ruleId: number) => `/redirects/${encodeURIComponent(id)}/rules/${ruleId}/results`,
  draftSettings: (id: string) => `/redirects/${encodeURIComponent(id)}/draft/settings`,
  draftRule: (id: string, place: number | 'new') =>
    `/redirects/${encodeURIComponent(id)}/draft/rules/${place}`,
  draftPaths: (id: string) => `/redirects/${encodeURIComponent(id)}/draft/paths`,
  replay: (id: string, replayId: string) =>
    `/redirects/${encodeURIComponent(id)}/replay/${encodeURIComponent(replayId)}`,
  stagedPaths: (id: string) => `/redirects/${encodeURIComponent(id)}/paths/staged`,
  newRule: (id: string) => `/redirects/${encodeURIComponent(id)}/rules/new`,
  imports: '/imports',
  import: (id: string) => `/imports/${encodeURIComponent(id)}`,
  account: '/account',
  tokens: '/account/tokens',
  webhooks: '/account/webhooks',
  audit: '/account/audit',
  security: '/account/security',
  operator: '/operator',
  certificates: '/operator/certificates',
  users: '/operator/users',
  takedowns: '/operator/takedowns',
  brokenDestinations: '/operator/destinations',
  operatorLog: '/operator/log',
} as const;

export type RedirectPart =
  | 'rules'
  | 'paths'
  | 'statistics'
  | 'draft'
  | 'replay'
  | 'examples'
  | 'history'
  | 'settings';
