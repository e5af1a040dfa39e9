import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyReply } from 'fastify';
import { AppError, errorBody } from '../../errors/app-error.js';
import { LARGE_BODY_TIMEOUT_MS } from '../../http/body-timeouts.js';
import {
  entityTag,
  IfMatchSchema,
  IfNoneMatchSchema,
  ifMatch,
  NotModifiedSchema,
  tagged,
} from '../../http/entity-tags.js';
import { useTag } from '../../http/openapi-tags.js';
import { IdParamSchema, MessageSchema } from '../../http/schema-parts.js';
import { TABLE_LIMIT_BYTES, URLS_LIMIT_BYTES } from '../paths/public.js';
import { type RedirectAnswers, RedirectSchema } from '../redirects/public.js';
import type { DefinitionApplier } from './apply-definition.js';
import { DraftOutdatedError } from './draft.js';
import {
  DraftOutdatedSchema,
  type DraftRecord,
  DraftSchema,
  PublishDraftSchema,
  PutDraftSchema,
  TestDraftSchema,
  TestedDraftSchema,
  VersionParamSchema,
} from './draft-schema.js';
import { type DraftService, type DraftView, tagVersion } from './draft-service.js';
import type { TestDraft } from './draft-test.js';

export interface DraftRoutesDeps {
  readonly drafts: DraftService;
  readonly testDraft: TestDraft;
  readonly applier: Pick<DefinitionApplier, 'rollBack'>;
  readonly answers: Pick<RedirectAnswers, 'one'>;
}

const DRAFT = '/redirects/:id/draft';
const reading = { scope: 'redirects:read' } as const;
const writing = { scope: 'redirects:write' } as const;
const changing = { ...writing, checksExamples: true } as const;

/** Drafts of redirects, and rollbacks to earlier versions. */
export function createDraftRoutes(deps: DraftRoutesDeps): FastifyPluginAsyncTypebox {
  const { drafts, testDraft, applier, answers } = deps;

  return async (app) => {
    useTag(app, 'drafts');
    app.put(
      DRAFT,
      {
        config: { ...writing, bodyTimeoutMs: LARGE_BODY_TIMEOUT_MS },
        bodyLimit: TABLE_LIMIT_BYTES,
        schema: {
          operationId: 'putDraft',
          summary: 'Write the draft of a redirect',
          description:
            'A draft collects changes of settings, rules and paths. Parts that it does not have stay as they are. Nothing changes for visitors until it is published. A draft that would be refused now is stored as well, and `errors` says why. Writing replaces the draft and cancels its publication at a time. Up to 64 MiB.',
          params: IdParamSchema,
          headers: IfMatchSchema,
          body: PutDraftSchema,
          response: { 200: DraftSchema },
        },
      },
      async (request, reply) => {
        const { user, params, body } = request;
        const { redirect, rules, paths, baseVersion } = body;
        const definition = {
          ...(redirect && { redirect }),
          ...(rules && { rules }),
          ...(paths && { paths }),
        };
        const input = { definition, baseVersion };
        return written(reply, await drafts.put(user, params.id, input, ifMatch(request)));
      },
    );

    app.get(
      DRAFT,
      {
        config: reading,
        schema: {
          operationId: 'getDraft',
          summary: 'The draft of a redirect',
          description: 'Makes all checks of a publication: `errors` says what would be refused now.',
          params: IdParamSchema,
          headers: IfNoneMatchSchema,
          response: { 200: DraftSchema, 304: NotModifiedSchema },
        },
      },
      async (request, reply) => {
        const view = await drafts.get(request.user, request.params.id);
        const record = draftRecord(view);
        return tagged(request, reply, tagVersion(view.draft), record, changingMembers(record));
      },
    );

    app.delete(
      DRAFT,
      {
        config: writing,
        schema: {
          operationId: 'deleteDraft',
          summary: 'Discard the draft of a redirect',
          description: 'Its publication at a time is canceled.',
          params: IdParamSchema,
          headers: IfMatchSchema,
          response: { 200: MessageSchema },
        },
      },
      async (request) => {
        const { user, params } = request;
        const { fromDomain } = await drafts.delete(user, params.id, ifMatch(request));
        return { message: `The draft of ${fromDomain} was discarded.` };
      },
    );

    app.post(
      `${DRAFT}/publish`,
      {
        config: { ...changing, optionalBody: true },
        schema: {
          operationId: 'publishDraft',
          summary: 'Publish the draft of a redirect',
          description:
            'Everything takes effect at once, as one version, and the draft is gone. With `at` the draft is published then (202). If it is refused then, it is kept with `lastError`, and the webhook `draft.failed` is sent. If the redirect has changed since the draft was made, the answer is 412 and says what changed. Send the `ETag` of the redirect as `If-Match` to publish nevertheless.',
          params: IdParamSchema,
          headers: IfMatchSchema,
          body: PublishDraftSchema,
          response: { 200: RedirectSchema, 202: DraftSchema, 412: DraftOutdatedSchema },
        },
      },
      async (request, reply) => {
        const { user, params, body } = request;
        const { at = null } = body;
        try {
          if (at === null) {
            const redirect = await drafts.publish(user, params.id, ifMatch(request));
            return await answers.one(request, reply, redirect);
          }
          const view = await drafts.schedule(user, params.id, at, ifMatch(request));
          return reply.code(202).send(written(reply, view));
        } catch (error) {
          if (error instanceof DraftOutdatedError) return reply.code(412).send(outdated(error));
          throw error;
        }
      },
    );

    app.post(
      `${DRAFT}/test`,
      {
        config: reading,
        bodyLimit: URLS_LIMIT_BYTES,
        schema: {
          operationId: 'testDraft',
          summary: 'Test the draft on a visitor and URLs',
          description:
            'Takes a visitor as `POST /rules/redirect/{redirectId}/test` and URLs as `POST /redirects/{id}/paths/test`, and answers both. Counts nothing. A draft that would be refused cannot be tested.',
          params: IdParamSchema,
          body: TestDraftSchema,
          response: { 200: TestedDraftSchema },
        },
      },
      async ({ user, params, body }) => {
        if (body.userAttributes !== undefined || body.urls !== undefined) {
          return testDraft(user, params.id, body);
        }
        const message = 'userAttributes or urls is required.';
        throw new AppError('VALIDATION_ERROR', { field: 'userAttributes', message });
      },
    );

    app.post(
      '/redirects/:id/versions/:n/rollback',
      {
        config: changing,
        schema: {
          operationId: 'rollBack',
          summary: 'Roll back to a version',
          description:
            'Settings, rules and paths become those of the version, at once, as a new version: no version is lost. Deleted rules and paths get their ids and hits back.',
          params: VersionParamSchema,
          headers: IfMatchSchema,
          response: { 200: RedirectSchema },
        },
      },
      async (request, reply) => {
        const { user, params } = request;
        const redirect = await applier.rollBack(user, params.id, Number(params.n), ifMatch(request));
        return answers.one(request, reply, redirect);
      },
    );
  };
}

/** Returns the answer about a draft that was written, and sets its `ETag`. */
function written(reply: FastifyReply, view: DraftView): DraftRecord {
  const record = draftRecord(view);
  reply.header('ETag', entityTag(tagVersion(view.draft), changingMembers(record)));
  return record;
}

/**
 * Returns the members that can change without a change of the draft. The content, which may be large, is not among
 * them.
 */
function changingMembers({ redirect: _, rules: __, paths: ___, ...changing }: DraftRecord) {
  return changing;
}

function outdated(error: DraftOutdatedError) {
  const { baseVersion, currentVersion, changes } = error;
  return { ...errorBody(error), baseVersion, currentVersion, changes: changes && [...changes] };
}

/** Returns a draft as the API shows it. */
function draftRecord({ draft, redirect, tried, broken, error }: DraftView): DraftRecord {
  const { definition, writtenBy, lastError } = draft;
  return {
    ...(definition as Pick<DraftRecord, 'redirect' | 'rules' | 'paths'>),
    redirectId: draft.redirectId,
    baseVersion: draft.baseVersion,
    currentVersion: redirect.version,
    publishAt: draft.publishAt?.toISOString() ?? null,
    lastError,
    errors: error === undefined ? [] : [error],
    brokenExamples: [...broken],
    diagnostics: [...(tried?.paths?.diagnostics ?? [])],
    createdAt: draft.createdAt.toISOString(),
    updatedAt: draft.updatedAt.toISOString(),
    updatedBy: { userId: writtenBy.id, email: writtenBy.email, tokenId: writtenBy.tokenId ?? null },
  };
}
