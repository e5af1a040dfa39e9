import type { FastifyReply, FastifyRequest } from 'fastify';
import { entityTag, tagged } from '../../http/entity-tags.js';
import { type KeepAnswer, keepAnswer } from '../../http/idempotency.js';
import type { Redirect } from './redirect.js';
import { currentMonth, NO_USAGE, redirectRecord } from './redirect-record.js';
import type { RecordsOf } from './redirect-records.js';
import type { RedirectRecord } from './redirect-schema.js';

/** Answers about one redirect, with its `ETag`. */
export interface RedirectAnswers {
  /** Returns the body; undefined for 304. */
  one(request: FastifyRequest, reply: FastifyReply, redirect: Redirect): Promise<RedirectRecord | undefined>;
  /** Sets 201. A new redirect has no visits. */
  created(request: FastifyRequest, reply: FastifyReply, redirect: Redirect): RedirectRecord | undefined;
  /** Stores the answer of `created` with the redirect. */
  keepCreated(request: FastifyRequest, reply: FastifyReply): KeepAnswer<Redirect> | undefined;
  deleted(redirect: Redirect): { message: string };
}

export function createRedirectAnswers(recordsOf: RecordsOf): RedirectAnswers {
  return {
    async one(request, reply, redirect) {
      const { records } = await recordsOf([redirect], request.user.plan, request.log);
      const [record] = records;
      if (record === undefined) throw new Error('one redirect makes one record');
      return tagged(request, reply, redirect.version, record);
    },
    created(request, reply, redirect) {
      const record = newRecord(request, redirect);
      reply.code(201);
      return tagged(request, reply, redirect.version, record);
    },
    keepCreated: (request, reply) =>
      keepAnswer(
        request,
        reply,
        201,
        (redirect: Redirect) => newRecord(request, redirect),
        (redirect) => entityTag(redirect.version, newRecord(request, redirect)),
      ),
    deleted: ({ fromDomain }) => ({ message: `The redirect of ${fromDomain} was deleted.` }),
  };
}

function newRecord({ user }: FastifyRequest, redirect: Redirect): RedirectRecord {
  return redirectRecord(redirect, user.plan, NO_USAGE, currentMonth());
}
