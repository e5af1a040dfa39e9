import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyReply } from 'fastify';
import { Type } from 'typebox';
import { AppError } from '../../errors/app-error.js';
import { IfMatchSchema, ifMatch } from '../../http/entity-tags.js';
import { useTag } from '../../http/openapi-tags.js';
import { IdParamSchema, MessageSchema } from '../../http/schema-parts.js';
import { sendJson } from '../../http/send-json.js';
import type { Database } from '../../storage/postgres/database.js';
import { createTurns } from '../../storage/postgres/turns.js';
import { CertificateSchema } from '../certificates/public.js';
import { VerificationReportSchema } from '../domains/public.js';
import { createListAnswers } from './list-answers.js';
import { createLongLists } from './long-lists.js';
import { createRedirectAnswers } from './redirect-answers.js';
import { createRedirectLists } from './redirect-lists.js';
import { type CertificatesOf, createRecords, type UsageOf } from './redirect-records.js';
import {
  CreateRedirectSchema,
  RedirectSchema,
  UpdateRedirectSchema,
  VerifiedDomainsSchema,
  VerifyDomainSchema,
  VerifyDomainsSchema,
} from './redirect-schema.js';
import type { RedirectService } from './redirect-service.js';
import { createResourceRoutes, DELETION } from './resource-routes.js';
import type { VerificationService } from './verification-service.js';
import { verifyAll } from './verify-all.js';

export interface RedirectRoutesDeps {
  readonly database: Database;
  readonly service: RedirectService;
  readonly verification: VerificationService;
  readonly usageOf: UsageOf;
  readonly certificatesOf?: CertificatesOf | undefined;
}

const VerifiedDomainSchema = Type.Object({
  ...VerificationReportSchema.properties,
  certificateStatus: Type.Union([CertificateSchema.properties.state, Type.Null()], {
    description: 'State of the certificate. `null` means that there is none and none is ordered.',
  }),
});

/** Maximum waiting requests of a user to verify many domains. */
const MAX_WAITING_PER_USER = 1;

/** The given routes of redirects: create, list, update and delete them, and verify their domains. */
export function createRedirectRoutes({
  database,
  service,
  verification,
  usageOf,
  certificatesOf,
}: RedirectRoutesDeps): FastifyPluginAsyncTypebox {
  const recordsOf = createRecords(usageOf, certificatesOf);
  const answers = createRedirectAnswers(recordsOf);
  const listAnswerOf = createListAnswers(recordsOf);
  const streamList = createLongLists({ readPage: service.listPage, recordsOf });
  const resources = createResourceRoutes({
    service,
    answers,
    readList: createRedirectLists({ database, recordsOf }),
  });

  const turns = createTurns(MAX_WAITING_PER_USER);

  return async (app) => {
    useTag(app, 'redirects');
    await app.register(resources);

    app.post(
      '/add-redirect',
      {
        config: { scope: 'redirects:write' },
        schema: {
          summary: 'Create a redirect',
          body: CreateRedirectSchema,
          response: { 201: RedirectSchema },
        },
      },
      async (request, reply) =>
        answers.created(
          request,
          reply,
          await service.create(request.user, request.body, answers.keepCreated(request, reply)),
        ),
    );

    app.get(
      '/get-redirects/me',
      {
        config: { scope: 'redirects:read' },
        schema: {
          operationId: 'listMyRedirects',
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

    app.put(
      '/update/:id',
      {
        config: { scope: 'redirects:write', checksExamples: true },
        schema: {
          operationId: 'changeRedirect',
          summary: 'Change a redirect',
          description: 'Members that are left out stay unchanged. `fromDomain` cannot change.',
          params: IdParamSchema,
          headers: IfMatchSchema,
          body: UpdateRedirectSchema,
          response: { 200: RedirectSchema },
        },
      },
      async (request, reply) => {
        const { user, params, body } = request;
        return answers.one(request, reply, await service.update(user, params.id, body, ifMatch(request)));
      },
    );

    app.delete(
      '/delete-redirect/:id',
      {
        config: { scope: 'redirects:write' },
        schema: {
          operationId: 'removeRedirect',
          summary: 'Delete a redirect and its rules',
          description: DELETION,
          params: IdParamSchema,
          headers: IfMatchSchema,
          response: { 200: MessageSchema },
        },
      },
      async (request) =>
        answers.deleted(await service.delete(request.user, request.params.id, ifMatch(request))),
    );

    app.post(
      '/verify-domain',
      {
        config: { scope: 'redirects:write' },
        schema: {
          summary: 'Verify a domain now',
          body: VerifyDomainSchema,
          response: { 200: VerifiedDomainSchema },
        },
      },
      async (request) => {
        const report = await verification.verify(request.user.id, request.body.domain);
        const certificates = report.isVerified ? await certificatesOf?.([report.domain]) : undefined;
        return { ...report, certificateStatus: certificates?.get(report.domain)?.state ?? null };
      },
    );

    app.post(
      '/verify-domains',
      {
        config: { scope: 'redirects:write' },
        schema: {
          operationId: 'verifyDomains',
          summary: 'Verify many domains now',
          body: VerifyDomainsSchema,
          response: { 200: VerifiedDomainsSchema },
        },
      },
      async (request, reply) => {
        const { user, body } = request;
        const signal = leaving(reply);
        const endTurn = await turns.take(user.id, signal);
        if (endTurn === undefined) throw tooManyLookUps();
        try {
          const sinceMs = performance.now();
          const results = await verifyAll(body.domains, (domain) => {
            signal.throwIfAborted();
            return verification.verify(user.id, domain, sinceMs);
          });
          return { results };
        } finally {
          endTurn();
        }
      },
    );
  };
}

function tooManyLookUps(): AppError {
  return new AppError('RATE_LIMIT_EXCEEDED', {
    message:
      'A request of yours to verify many domains is under way and another one waits; retry when they are done.',
    retryAfterSeconds: 10,
  });
}

/** Returns a signal that aborts when the client leaves or has its answer. */
function leaving(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  reply.raw.once('close', () =>
    controller.abort(new AppError('SERVICE_UNAVAILABLE', { message: 'The client closed the connection.' })),
  );
  return controller.signal;
}
