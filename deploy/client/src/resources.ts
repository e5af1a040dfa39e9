import { WaymarkError } from './errors.js';
import type * as Schemas from './operations.js';
import type { Operations } from './operations.js';
import type { List } from './pages.js';
import type { CallOptions } from './request-types.js';
import type { Requests } from './requests.js';

type Query<Key extends keyof Operations> = Operations[Key] extends { query?: infer Q }
  ? NonNullable<Q>
  : never;
type Body<Key extends keyof Operations> = Operations[Key] extends { body: infer B } ? B : never;
/** Options of changes that may break examples of a redirect: `force` allows it. */
type ChangeOptions = CallOptions & { readonly query?: { readonly force?: boolean | undefined } };
type AnswerOf<Key extends keyof Operations> = Operations[Key]['answer'];

/** One change of many: members of a redirect, and what to do with them. */
export type BulkOperation = { readonly op?: 'create' | 'update' | 'delete' } & Partial<Schemas.Redirect>;

/** Statistics by the last part of their path: `time` for `/stats/time`. */
export type StatsName = keyof {
  [Key in keyof Operations as Key extends `GET /analytics/redirect/{redirectId}/stats/${infer Name}`
    ? Name
    : never]: true;
};
type StatsKey<Name extends StatsName> =
  `GET /analytics/redirect/{redirectId}/stats/${Name}` extends infer Key extends keyof Operations
    ? Key
    : never;

/** Methods for what most programs do. All other operations: `request`. */
export type Resources = ReturnType<typeof createResources>;

export function createResources({ request, answer, stream, list }: Requests) {
  const redirects = {
    /** Lists redirects. With `fields`, the other members are absent. */
    list: (query: Query<'GET /redirects'> = {}) =>
      list('/redirects', { query }) as unknown as List<Schemas.Redirect>,
    /** Reads one page, with `total` and `facets` if `count` is set. */
    page: (query: Query<'GET /redirects'> = {}) => request('GET', '/redirects', { query }),
    create: (body: Schemas.AddRedirectRequest, options?: CallOptions) =>
      request('POST', '/redirects', { ...options, body }),
    get: (id: string, options?: CallOptions) =>
      request('GET', '/redirects/{id}', { ...options, params: { id } }),
    update: (id: string, body: Body<'PATCH /redirects/{id}'>, options?: ChangeOptions) =>
      request('PATCH', '/redirects/{id}', { ...options, params: { id }, body }),
    /** Reads a redirect, changes it, and does so again if somebody else has changed it meanwhile. */
    async edit(
      id: string,
      change: (current: Schemas.Redirect) => Body<'PATCH /redirects/{id}'>,
    ): Promise<Schemas.Redirect> {
      for (let attempt = 1; ; attempt++) {
        const { data, etag } = await answer('GET', '/redirects/{id}', { params: { id } });
        try {
          return await redirects.update(id, change(data as Schemas.Redirect), { ifMatch: etag });
        } catch (error) {
          const isOutdated = error instanceof WaymarkError && error.code === 'PRECONDITION_FAILED';
          if (!isOutdated || attempt === EDIT_ATTEMPTS) throw error;
        }
      }
    },
    /** Deletes a redirect. It can be restored for 30 days. */
    delete: (id: string, options?: CallOptions) =>
      request('DELETE', '/redirects/{id}', { ...options, params: { id } }),
    restore: (id: string) => request('POST', '/redirects/{id}/restore', { params: { id } }),
    verify: (domain: string) => request('POST', '/verify-domain', { body: { domain } }),
    /** Verifies up to 1,000 domains. */
    verifyMany: (domains: string[]) => request('POST', '/verify-domains', { body: { domains } }),
    /** Makes up to 10,000 changes: all or nothing by default. */
    bulk: (operations: readonly BulkOperation[], query: Query<'POST /redirects/bulk'> = {}) =>
      request('POST', '/redirects/bulk', { query, body: { operations: [...operations] }, timeoutMs: 0 }),
    /** Exports all redirects. Read the `body` of the answer as a stream. */
    export: (query: Query<'GET /exports/redirects'> = {}) => stream('GET', '/exports/redirects', { query }),
  };

  const rules = {
    list: async (redirectId: string): Promise<Schemas.Rule[]> =>
      (await request('GET', '/rules/redirect/{redirectId}', { params: { redirectId } })).rules,
    create: (redirectId: string, body: Schemas.CreateRedirectRuleRequest, options?: ChangeOptions) =>
      request('POST', '/redirects/{id}/rules', { ...options, params: { id: redirectId }, body }),
    get: (ruleId: number) => request('GET', '/rules/{ruleId}', { params: { ruleId } }),
    update: (ruleId: number, body: Body<'PATCH /rules/{ruleId}'>, options?: ChangeOptions) =>
      request('PATCH', '/rules/{ruleId}', { ...options, params: { ruleId }, body }),
    delete: (ruleId: number, options?: ChangeOptions) =>
      request('DELETE', '/rules/{ruleId}', { ...options, params: { ruleId } }),
    setStatus: (ruleId: number, status: Schemas.Rule['status'], options?: ChangeOptions) =>
      request('PUT', '/rules/{ruleId}/status', { ...options, params: { ruleId }, body: { status } }),
    duplicate: (ruleId: number) => request('POST', '/rules/{ruleId}/duplicate', { params: { ruleId } }),
    /** Sets the order of all rules of a redirect. */
    reorder: (redirectId: string, body: Body<'PUT /rules/redirect/{redirectId}/reorder'>) =>
      request('PUT', '/rules/redirect/{redirectId}/reorder', { params: { redirectId }, body }),
    /** Says which rule decides for a visitor. Counts nothing. */
    test: (redirectId: string, body: Schemas.TestRulesRequest) =>
      request('POST', '/rules/redirect/{redirectId}/test', { params: { redirectId }, body }),
  };

  const paths = {
    list: (redirectId: string, query: Query<'GET /redirects/{id}/paths'> = {}) =>
      list('/redirects/{id}/paths', { params: { id: redirectId }, query }),
    create: (redirectId: string, body: Schemas.NewPathEntry) =>
      request('POST', '/redirects/{id}/paths', { params: { id: redirectId }, body }),
    update: (redirectId: string, entryId: string, body: Body<'PATCH /redirects/{id}/paths/{entryId}'>) =>
      request('PATCH', '/redirects/{id}/paths/{entryId}', { params: { id: redirectId, entryId }, body }),
    delete: (redirectId: string, entryId: string) =>
      request('DELETE', '/redirects/{id}/paths/{entryId}', { params: { id: redirectId, entryId } }),
    /** Replaces the whole table in one step. */
    replace: (redirectId: string, body: Body<'PUT /redirects/{id}/paths'>) =>
      request('PUT', '/redirects/{id}/paths', { params: { id: redirectId }, body, timeoutMs: 0 }),
    /** Says where URLs lead. Counts nothing. */
    test: (redirectId: string, urls: string[]) =>
      request('POST', '/redirects/{id}/paths/test', { params: { id: redirectId }, body: { urls } }),
  };

  const analytics = {
    dashboard: (redirectId: string, query: Query<'GET /analytics/redirect/{redirectId}/dashboard'> = {}) =>
      request('GET', '/analytics/redirect/{redirectId}/dashboard', { params: { redirectId }, query }),
    /** Reads one kind of statistics: `stats(id, 'time', { interval: 'hour' })`. */
    stats: <Name extends StatsName>(redirectId: string, name: Name, query?: Query<StatsKey<Name>>) =>
      (request as unknown as (...call: unknown[]) => Promise<AnswerOf<StatsKey<Name>>>)(
        'GET',
        `/analytics/redirect/{redirectId}/stats/${name}`,
        { params: { redirectId }, query },
      ),
    /** Lists hits, newest first. */
    hits: (redirectId: string, query: Query<'GET /analytics/redirect/{redirectId}/hits'> = {}) =>
      list('/analytics/redirect/{redirectId}/hits', { params: { redirectId }, query }),
    /** Exports hits. Read the `body` of the answer as a stream. */
    exportHits: (redirectId: string, query: Query<'GET /analytics/redirect/{redirectId}/hits/export'> = {}) =>
      stream('GET', '/analytics/redirect/{redirectId}/hits/export', { params: { redirectId }, query }),
  };

  const account = {
    /** Returns the user of the token or session, with plan and usage. */
    get: () => request('GET', '/auth/user'),
    /** Returns a token for 24 hours. */
    login: (email: string, password: string) => request('POST', '/auth/login', { body: { email, password } }),
    /** Opens a session by cookie, for a client with `session`. */
    openSession: (email: string, password: string) =>
      request('POST', '/auth/session', { body: { email, password } }),
    closeSession: () => request('DELETE', '/auth/session'),
  };

  return { redirects, rules, paths, analytics, account };
}

/** Maximum edits of others between a read and its change before `edit` gives up. */
const EDIT_ATTEMPTS = 5;
