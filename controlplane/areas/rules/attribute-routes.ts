import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyBaseLogger } from 'fastify';
import {
  ATTRIBUTES,
  type Attribute,
  isAttribute,
  isTextAttribute,
} from '../../../shared/rules/attributes.js';
import { AppError } from '../../errors/app-error.js';
import { useTag } from '../../http/openapi-tags.js';
import type { AttributeValuesReader, AttributeValue as SeenValue } from '../analytics/public.js';
import type { RedirectService } from '../redirects/public.js';
import { attributeList, attributeValues, type SeenValues } from './attribute-list.js';
import {
  AttributeListQuerySchema,
  AttributeListSchema,
  AttributeValuesParamsSchema,
  type AttributeValuesQuery,
  AttributeValuesQuerySchema,
  AttributeValuesSchema,
} from './attribute-schema.js';

const config = { scope: 'redirects:read' } as const;
/** Maximum values per attribute in the list of all attributes. */
const MAX_AVAILABLE_VALUES = 100;
/** Maximum values in the list of one attribute. */
const MAX_SEEN_VALUES = 1_000;

/** Routes of attributes that rules can test, and of values to choose from. */
export function createAttributeRoutes(
  redirects: Pick<RedirectService, 'requireOwned'>,
  values: AttributeValuesReader,
): FastifyPluginAsyncTypebox {
  async function readSeen(attribute: Attribute, redirectId: string, { param }: AttributeValuesQuery) {
    if (isTextAttribute(attribute)) return values.valuesOf(redirectId, attribute, MAX_SEEN_VALUES);
    if (attribute !== 'query_param' || param === undefined) return [];
    return values.valuesOfParam(redirectId, param, MAX_SEEN_VALUES);
  }

  return async (app) => {
    useTag(app, 'rules');
    app.get(
      '/rules/attributes',
      {
        config,
        schema: {
          operationId: 'listRuleAttributes',
          summary: 'Attributes and operators for conditions',
          querystring: AttributeListQuerySchema,
          response: { 200: AttributeListSchema },
        },
      },
      async ({ user, query: { redirectId }, log }) => {
        if (redirectId === undefined) return attributeList(new Map());
        await redirects.requireOwned(redirectId, user.id);
        const reading = values.allValuesOf(redirectId, MAX_AVAILABLE_VALUES);
        return attributeList(await orNothing<SeenValues>(reading, new Map(), log));
      },
    );

    app.get(
      '/rules/redirect/:redirectId/attributes/:attribute/values',
      {
        config,
        schema: {
          operationId: 'listAttributeValues',
          summary: 'Values of an attribute to choose from',
          params: AttributeValuesParamsSchema,
          querystring: AttributeValuesQuerySchema,
          response: { 200: AttributeValuesSchema },
        },
      },
      async ({ user, params: { redirectId, attribute: name }, query, log }) => {
        await redirects.requireOwned(redirectId, user.id);
        const attribute = requireAttribute(name);
        const reading = readSeen(attribute, redirectId, query);
        const seen = await orNothing<readonly SeenValue[]>(reading, [], log);
        return { attribute, values: attributeValues(attribute, seen) };
      },
    );
  };
}

/** Unavailable analytics must not prevent users from writing rules. */
async function orNothing<T>(reading: Promise<T>, nothing: T, log: FastifyBaseLogger): Promise<T> {
  return reading.catch((error: unknown) => {
    log.warn({ err: error }, 'values of hits are not known at the moment; left out');
    return nothing;
  });
}

/** @throws {AppError} NOT_FOUND */
function requireAttribute(name: string): Attribute {
  if (isAttribute(name)) return name;
  const known = Object.keys(ATTRIBUTES).join(', ');
  throw new AppError('NOT_FOUND', { message: `There is no such attribute; attributes are: ${known}.` });
}
