import type { Readable } from 'node:stream';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyBaseLogger, FastifyReply } from 'fastify';
import { Type } from 'typebox';
import type { Plan } from '../accounts/plans.js';
import { VerificationReportSchema } from '../domains/verification-report.js';
import { AppError } from '../errors/app-error.js';
import { createListAnswers } from './list-answers.js';
import { createLongLists } from './long-lists.js';
import type { Redirect } from './redirect.js';
import { currentMonth, NO_USAGE, redirectRecord } from './redirect-record.js';
import { createRecords, type UsageOf } from './redirect-records.js';
import {
  CreateRedirectSchema,
  IdParamSchema,
  MessageSchema,
  type RedirectRecord,
  RedirectSchema,
  UpdateRedirectSchema,
  VerifyDomainSchema,
} from './redirect-schema.js';
import type { RedirectService } from './redirect-service.js';
import type { VerificationService } from './verification-service.js';

export interface RedirectRoutesDeps {
  readonly service: RedirectService;
  readonly verification: VerificationService;
  readonly usageOf: UsageOf;
}

const tags = ['redirects'];

/** Routes of redirects: create, list, get, update and delete them, and verify their domains. */
export function createRedirectRoutes({
  service,
  verification,
  usageOf,
}: RedirectRoutesDeps): FastifyPluginAsyncTypebox {
  const recordsOf = createRecords(usageOf);
  const listAnswerOf = createListAnswers(recordsOf);
  const streamList = createLongLists({ readPage: service.listPage, recordsOf });

  async function record(redirect: Redirect, plan: Plan, log: FastifyBaseLogger): Promise<RedirectRecord> {
    const {
      records: [only],
    } = await recordsOf([redirect], plan, log);
    if (only === undefined) throw new Error('one redirect makes one record');
    return only;
  }

  return async (app) => {
    app.post(
      '/add-redirect',
      {
        config: { scope: 'redirects:write' },
        schema: {
          tags,
          summary: 'Create a redirect',
          body: CreateRedirectSchema,
          response: { 201: RedirectSchema },
        },
      },
      async (request, reply) => {
        const redirect = await service.create(request.user, request.body);
        return reply.code(201).send(redirectRecord(redirect, request.user.plan, NO_USAGE, currentMonth()));
      },
    );

    app.get(
      '/get-redirects/me',
      {
        config: { scope: 'redirects:read' },
        schema: {
          tags,
          summary: 'Your redirects, newest first',
          response: { 200: Type.Array(RedirectSchema) },
        },
      },
      async (request, reply) => {
        const { user, log } = request;
        const serialize = reply.getSerializationFunction('200') ?? JSON.stringify;
        const options = { plan: user.plan, log, serialize };
        const redirects = await service.list(user.id);
        if (redirects !== undefined) return sendJson(reply, await listAnswerOf(redirects, options));
        return sendJson(reply, await streamList(user.id, { ...options, signal: leaving(reply) }));
      },
    );

    app.get(
      '/redirects/:id',
      {
        config: { scope: 'redirects:read' },
        schema: { tags, summary: 'One redirect', params: IdParamSchema, response: { 200: RedirectSchema } },
      },
      async (request) =>
        record(
          await service.requireOwned(request.params.id, request.user.id),
          request.user.plan,
          request.log,
        ),
    );

    app.put(
      '/update/:id',
      {
        config: { scope: 'redirects:write' },
        schema: {
          tags,
          summary: 'Change a redirect',
          description: 'Only the members sent change. `fromDomain` cannot change.',
          params: IdParamSchema,
          body: UpdateRedirectSchema,
          response: { 200: RedirectSchema },
        },
      },
      async (request) =>
        record(
          await service.update(request.user, request.params.id, request.body),
          request.user.plan,
          request.log,
        ),
    );

    app.delete(
      '/delete-redirect/:id',
      {
        config: { scope: 'redirects:write' },
        schema: {
          tags,
          summary: 'Delete a redirect and its rules',
          params: IdParamSchema,
          response: { 200: MessageSchema },
        },
      },
      async (request) => {
        const { fromDomain } = await service.delete(request.user, request.params.id);
        return { message: `The redirect of ${fromDomain} was deleted.` };
      },
    );

    app.post(
      '/verify-domain',
      {
        config: { scope: 'redirects:write' },
        schema: {
          tags,
          summary: 'Look up the proof of ownership now',
          body: VerifyDomainSchema,
          response: { 200: VerificationReportSchema },
        },
      },
      async (request) => verification.verify(request.user.id, request.body.domain),
    );
  };
}

/** Aborts when the client leaves, or has its answer. */
function leaving(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  reply.raw.once('close', () =>
    controller.abort(new AppError('SERVICE_UNAVAILABLE', { message: 'The client closed the connection.' })),
  );
  return controller.signal;
}

/** Sends what is JSON already. */
function sendJson(reply: FastifyReply, body: Buffer | Readable): FastifyReply {
  return reply.type('application/json; charset=utf-8').send(body);
}
