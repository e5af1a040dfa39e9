import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { type CurrentUser, type IsOperator, requireOperator } from '../../http/current-user.js';
import { type KeepAnswer, keepAnswer } from '../../http/idempotency.js';
import { useTag } from '../../http/openapi-tags.js';
import { decodeCursor, toPage, toReadPage } from '../../http/page-cursor.js';
import { IdParamSchema, MessageSchema } from '../../http/schema-parts.js';
import type { Database } from '../../storage/postgres/database.js';
import { periodOf } from '../history/public.js';
import { operatorLog } from './operator-log.js';
import {
  CreatedTakedownSchema,
  DomainParamSchema,
  LogPageSchema,
  LogQuerySchema,
  logRecord,
  PageQuerySchema,
  SuspendSchema,
  TakedownInputSchema,
  TakedownPageSchema,
  takedownRecord,
  UserPageSchema,
  UserQuerySchema,
  UserRecordSchema,
  userRecord,
} from './operator-schema.js';
import { takedownRepository } from './takedown-repository.js';
import type { CreatedTakedown, TakedownService } from './takedown-service.js';
import { userAdminRepository } from './user-admin-repository.js';
import type { UserAdminService } from './user-admin-service.js';

export interface OperatorRoutesDeps {
  readonly database: Database;
  readonly isOperator: IsOperator;
  readonly users: UserAdminService;
  readonly takedowns: TakedownService;
  /** Takes a domain from its owner. Resolves to the domain in the form that redirects use. */
  readonly releaseDomain: (
    operator: CurrentUser,
    domain: string,
    keep?: KeepAnswer<string>,
  ) => Promise<string>;
}

const config = { scope: 'all' } as const;

function createdBody({ takedown, redirects }: CreatedTakedown) {
  return { ...takedownRecord(takedown), redirects };
}

function releasedBody(domain: string) {
  return { message: `${domain} is released. Whoever proves it first owns it.` };
}

/** `/admin/users`, `/admin/takedowns`, `/admin/domains` and `/admin/log`. */
export function createOperatorRoutes(deps: OperatorRoutesDeps): FastifyPluginAsyncTypebox {
  const { database, isOperator, users, takedowns, releaseDomain } = deps;

  return async (app) => {
    useTag(app, 'operations');
    app.addHook('preValidation', ({ user }) => requireOperator(isOperator, user, 'do this'));

    app.get(
      '/admin/users',
      {
        config,
        schema: {
          operationId: 'listUsers',
          summary: 'List users, newest first',
          description:
            'A page with a filter can have fewer users than `limit`, or none, while there is a next one.',
          querystring: UserQuerySchema,
          response: { 200: UserPageSchema },
        },
      },
      async ({ query: { cursor, limit, search, status } }) => {
        const filter = {
          ...(search !== undefined && { search }),
          ...(status !== undefined && { isSuspended: status === 'suspended' }),
        };
        const rows = await userAdminRepository.page(database, decodeCursor(cursor), limit, filter);
        return toReadPage(rows, limit, userRecord);
      },
    );

    app.post(
      '/admin/users/:id/suspend',
      {
        config: { ...config, optionalBody: true },
        schema: {
          operationId: 'suspendUser',
          summary: 'Suspend a user',
          description:
            'The user gets 403 `ACCOUNT_SUSPENDED`, and visitors of their redirects get 410. Nothing is deleted. If the user has more than 100,000 redirects, some may follow after the answer.',
          params: IdParamSchema,
          body: SuspendSchema,
          response: { 200: UserRecordSchema },
        },
      },
      async ({ user, params, body }) => userRecord(await users.suspend(user, params.id, body.reason)),
    );

    app.post(
      '/admin/users/:id/resume',
      {
        config,
        schema: {
          operationId: 'resumeUser',
          summary: 'Lift a suspension',
          params: IdParamSchema,
          response: { 200: UserRecordSchema },
        },
      },
      async ({ user, params }) => userRecord(await users.resume(user, params.id)),
    );

    app.post(
      '/admin/takedowns',
      {
        config,
        schema: {
          operationId: 'createTakedown',
          summary: 'Take down a host or a destination',
          description:
            'Visitors get 410 from `host`, whichever redirect answers for it now or later, or from every redirect, rule or later redirect that leads to `destinationHost`. A wildcard host (`*.example.com`) leaves more exact hosts alone. Owners get the webhook `redirect.taken_down` and a mail.',
          body: TakedownInputSchema,
          response: { 201: CreatedTakedownSchema },
        },
      },
      async (request, reply) => {
        const keep = keepAnswer(request, reply, 201, createdBody);
        return reply.code(201).send(createdBody(await takedowns.create(request.user, request.body, keep)));
      },
    );

    app.get(
      '/admin/takedowns',
      {
        config,
        schema: {
          operationId: 'listTakedowns',
          summary: 'List takedowns, newest first, lifted ones included',
          querystring: PageQuerySchema,
          response: { 200: TakedownPageSchema },
        },
      },
      async ({ query: { cursor, limit } }) =>
        toPage(await takedownRepository.page(database, decodeCursor(cursor), limit), limit, takedownRecord),
    );

    app.delete(
      '/admin/takedowns/:id',
      {
        config,
        schema: {
          operationId: 'liftTakedown',
          summary: 'Lift a takedown',
          params: IdParamSchema,
          response: { 200: MessageSchema },
        },
      },
      async ({ user, params }) => {
        const { host, destinationHost } = await takedowns.lift(user, params.id);
        return { message: `The takedown of ${host ?? destinationHost} is lifted.` };
      },
    );

    app.post(
      '/admin/domains/:domain/release',
      {
        config,
        schema: {
          operationId: 'releaseDomain',
          summary: 'Release a domain from its owner',
          description:
            'The redirect becomes pending and needs a new proof. Another user can verify the domain first. The owner gets the webhook `domain.unverified`.',
          params: DomainParamSchema,
          response: { 200: MessageSchema },
        },
      },
      async (request, reply) => {
        const keep = keepAnswer(request, reply, 200, releasedBody);
        return releasedBody(await releaseDomain(request.user, request.params.domain, keep));
      },
    );

    app.get(
      '/admin/log',
      {
        config,
        schema: {
          operationId: 'listOperatorLog',
          summary: 'List what operators did, newest first',
          querystring: LogQuerySchema,
          response: { 200: LogPageSchema },
        },
      },
      async ({ query: { cursor, limit, ...query } }) => {
        const filter = { ...query, ...periodOf(query) };
        return toReadPage(
          await operatorLog.page(database, decodeCursor(cursor), limit, filter),
          limit,
          logRecord,
        );
      },
    );
  };
}
