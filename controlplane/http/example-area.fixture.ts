import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { AppError } from '../errors/app-error.js';

/** An internal error text, which no answer may contain. */
export const INTERNAL_TEXT = 'connect ECONNREFUSED db.internal:5432 (password=hunter2)';

const tags = ['example'];

const ItemSchema = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 20 }),
    count: Type.Optional(Type.Integer({ minimum: 1, maximum: 10 })),
    parts: Type.Optional(
      Type.Array(Type.Object({ weight: Type.Number() }, { additionalProperties: false }), { maxItems: 2 }),
    ),
    label: Type.Optional(Type.Unsafe<string | boolean>({ type: ['string', 'boolean'] })),
  },
  { additionalProperties: false },
);

const QuerySchema = Type.Object({
  page: Type.Integer({ minimum: 1, default: 1 }),
  interval: Type.Enum(['hour', 'day'], { default: 'day' }),
});

/** Simple endpoints, and two that fail, for tests of common behaviour. */
export const exampleArea: FastifyPluginAsyncTypebox = async (app) => {
  app.post(
    '/example/items',
    { config: { public: true }, schema: { tags, body: ItemSchema, response: { 200: ItemSchema } } },
    async (request) => request.body,
  );
  app.get(
    '/example/items',
    { config: { public: true }, schema: { tags, querystring: QuerySchema, response: { 200: QuerySchema } } },
    async (request) => request.query,
  );
  app.post(
    '/example/touch',
    {
      config: { public: true },
      schema: { tags, response: { 200: Type.Object({ touched: Type.Boolean() }) } },
    },
    async () => ({ touched: true }),
  );
  app.get(
    '/example/bill',
    {
      config: { scope: 'billing:read' },
      schema: { tags, response: { 200: Type.Object({ user: Type.String() }) } },
    },
    async (request) => ({ user: request.user.id }),
  );
  app.get(
    '/example/crash',
    { config: { public: true }, schema: { tags, response: { 200: Type.Object({}) } } },
    async () => {
      throw Object.assign(new Error(INTERNAL_TEXT), { code: 'ECONNREFUSED', statusCode: 502 });
    },
  );
  app.get(
    '/example/down',
    { config: { public: true }, schema: { tags, response: { 200: Type.Object({}) } } },
    async () => {
      throw new AppError('SERVICE_UNAVAILABLE', {
        message: 'It is down; retry later.',
        detail: INTERNAL_TEXT,
        cause: new Error(INTERNAL_TEXT),
      });
    },
  );
};
