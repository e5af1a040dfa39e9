/**
 * URLs of the views, below `/console`. The file of `/account/tokens` is `pages/account/tokens.tsx`. File names omit
 * `:id`: the file of `/redirects/:id/paths` is `pages/redirects/paths.tsx`.
 */
export const routes = {
  start: '/start',
  logIn: '/log-in',
  signUp: '/sign-up',
  forgotPassword: '/forgot-password',
  redirects: '/redirects',
  deleted: '/redirects/deleted',
  redirect: (id: string) => redirect(id),
  redirectPart: (id: string, part: RedirectPart) => redirect(id, part),
  rule: (id: string, ruleId: number) => redirect(id, `rules/${ruleId}`),
  newRule: (id: string) => redirect(id, 'rules/new'),
  results: (id: string, ruleId: number) => redirect(id, `rules/${ruleId}/results`),
  draftSettings: (id: string) => redirect(id, 'draft/settings'),
  draftRule: (id: string, place: number | 'new') => redirect(id, `draft/rules/${place}`),
  draftPaths: (id: string) => redirect(id, 'draft/paths'),
  replay: (id: string, replayId: string) => redirect(id, `replay/${encodeURIComponent(replayId)}`),
  stagedPaths: (id: string) => redirect(id, 'paths/staged'),
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

const redirect = (id: string, below?: string) =>
  `/redirects/${encodeURIComponent(id)}${below === undefined ? '' : `/${below}`}`;
