import { Type } from 'typebox';
import { REDIRECT_STATUS_CODES } from '../../../shared/rules/redirect-status.js';
import {
  type AfterEnd,
  CLICK_ID_PARAM,
  type Hsts,
  MAX_APPENDED_PARAMETERS,
  MAX_APPENDED_TEXT_LENGTH,
  MAX_CLICK_ID_PARAM_LENGTH,
  MAX_RESPONSE_HEADER_LENGTH,
  type NotFound,
  RESPONSE_HEADERS,
} from '../../../shared/ruleset/redirect-options.js';
import { HTTP_URL, MOMENT, NOT_BLANK } from '../../http/documented-formats.js';
import { MAX_DESTINATION_LENGTH } from '../domains/public.js';
import { MAX_DATE_LENGTH } from './date-field.js';
import { HTTPS_MODES } from './redirect.js';

const MAX_TAGS = 20;
const MAX_TAG_LENGTH = 50;
const MAX_NOTE_LENGTH = 2_000;
const MAX_EXTERNAL_ID_LENGTH = 200;
const MAX_HSTS_SECONDS = 2 ** 31 - 1;

const date = (description: string) =>
  Type.Unsafe<string | null>({
    type: ['string', 'null'],
    maxLength: MAX_DATE_LENGTH,
    documented: MOMENT,
    examples: ['2030-01-31T08:00:00Z'],
    accepts: 'a timestamp such as 2026-01-31T08:00:00Z, a date such as 2026-01-31, or null',
    description,
  });

/** Members of `RedirectOptions`, and members for the management of redirects, in requests. */
export const optionSettings = {
  statusCode: Type.Enum([...REDIRECT_STATUS_CODES], {
    description:
      'HTTP status. It sets `redirectType`: 301 and 308 are permanent, 302 and 307 temporary. A change of `redirectType` alone sets 301 or 302.',
  }),
  enabled: Type.Boolean({ description: 'Whether visitors are redirected. If false, they get 404.' }),
  tags: Type.Array(Type.String({ minLength: 1, maxLength: MAX_TAG_LENGTH, documented: NOT_BLANK }), {
    maxItems: MAX_TAGS,
    accepts: `a list of at most ${MAX_TAGS} tags of 1 to ${MAX_TAG_LENGTH} characters`,
  }),
  note: Type.String({ maxLength: MAX_NOTE_LENGTH }),
  externalId: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    minLength: 1,
    maxLength: MAX_EXTERNAL_ID_LENGTH,
    documented: NOT_BLANK,
    accepts: `a string of 1 to ${MAX_EXTERNAL_ID_LENGTH} characters, or null`,
    description: 'Id in your own system, unique among your redirects.',
  }),
  startsAt: date('Visitors get 404 before this time. `null` means no start.'),
  endsAt: date('Visitors get `afterEnd` from this time on. `null` means no end.'),
  afterEnd: Type.Unsafe<AfterEnd | null>({
    type: ['object', 'null'],
    properties: {
      statusCode: { type: 'integer', enum: [410] },
      url: {
        type: 'string',
        maxLength: MAX_DESTINATION_LENGTH,
        documented: HTTP_URL,
        accepts: `an absolute http or https URL of at most ${MAX_DESTINATION_LENGTH} characters`,
      },
    },
    additionalProperties: false,
    documented: { minProperties: 1, maxProperties: 1 },
    examples: [{ statusCode: 410 }],
    accepts: '{"statusCode": 410}, {"url": an absolute http or https URL}, or null',
    description:
      'Answer after `endsAt`: 410, or 302 to this URL without path, query, headers or rules of the redirect. `null` means 404.',
  }),
  notFound: Type.Unsafe<NotFound | null>({
    type: ['object', 'null'],
    properties: {
      url: {
        type: 'string',
        maxLength: MAX_DESTINATION_LENGTH,
        documented: HTTP_URL,
        accepts: `an absolute http or https URL of at most ${MAX_DESTINATION_LENGTH} characters`,
      },
    },
    additionalProperties: false,
    documented: { required: ['url'] },
    examples: [{ url: 'https://shop.example.com/not-found' }],
    accepts: '{"url": an absolute http or https URL}, or null',
    description:
      'Requests that no entry of the path table matches get 302 to this URL, if `unmatched` of the table is `not_found`. `null` means 404.',
  }),
  responseHeaders: Type.Unsafe<Record<string, string>>({
    type: 'object',
    additionalProperties: {
      type: 'string',
      maxLength: MAX_RESPONSE_HEADER_LENGTH,
      accepts: `a string of at most ${MAX_RESPONSE_HEADER_LENGTH} printable ASCII characters`,
    },
    documented: { propertyNames: { enum: RESPONSE_HEADERS } },
    accepts: `an object with values for ${RESPONSE_HEADERS.join(', ')}`,
    description:
      'Headers of the answer. `Cache-Control` is ignored with active rules or `endsAt`. `Strict-Transport-Security` is sent over HTTPS only.',
  }),
  appendQuery: Type.Unsafe<Record<string, string>>({
    type: 'object',
    maxProperties: MAX_APPENDED_PARAMETERS,
    propertyNames: {
      type: 'string',
      minLength: 1,
      maxLength: MAX_APPENDED_TEXT_LENGTH,
      accepts: `an object whose keys have 1 to ${MAX_APPENDED_TEXT_LENGTH} characters`,
    },
    additionalProperties: {
      type: 'string',
      maxLength: MAX_APPENDED_TEXT_LENGTH,
      accepts: `a string of at most ${MAX_APPENDED_TEXT_LENGTH} characters`,
    },
    accepts: `an object of at most ${MAX_APPENDED_PARAMETERS} members`,
    description:
      'Query parameters for every destination, including those of rules. A parameter of the request with the same name wins. Names and values are not encoded.',
  }),
  httpsMode: Type.Enum([...HTTPS_MODES], {
    description: '`both`: HTTP and HTTPS. `upgrade`: HTTP redirects to HTTPS. `off`: no HTTPS.',
  }),
  hsts: Type.Unsafe<Partial<Hsts> | null>({
    type: ['object', 'null'],
    properties: {
      maxAge: { type: 'integer', minimum: 0, maximum: MAX_HSTS_SECONDS },
      includeSubDomains: { type: 'boolean' },
      preload: { type: 'boolean' },
    },
    additionalProperties: false,
    documented: { required: ['maxAge'] },
    accepts: 'an object with maxAge, includeSubDomains and preload, or null',
    description:
      '`Strict-Transport-Security` over HTTPS. `maxAge` is required. The switches default to false. `preload: true` is your confirmation that browsers may build the host into their lists, which takes months to undo.',
  }),
  clickIdParam: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    pattern: CLICK_ID_PARAM,
    examples: ['wm_click'],
    accepts: `1 to ${MAX_CLICK_ID_PARAM_LENGTH} letters, digits or _ . ~ -, or null`,
    description:
      'Query parameter that every destination on another host gets, with an id of the visit for conversions of experiments. No cache keeps the answers then. `null`: none.',
  }),
};

/** The same members in responses. */
export const optionMembers = {
  ...optionSettings,
  startsAt: Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'date-time' }),
  endsAt: Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'date-time' }),
  hsts: Type.Unsafe<Hsts | null>(optionSettings.hsts),
};

type Schema = Readonly<Record<string, unknown>>;

/** A member of an object that a JSON Merge Patch changes; null removes it. */
const removable = (schema: Schema): Schema => ({ anyOf: [schema, { type: 'null' }] });

/** The object members in a JSON Merge Patch. */
export const optionPatches = {
  afterEnd: patchOf(optionSettings.afterEnd),
  notFound: patchOf(optionSettings.notFound),
  responseHeaders: patchOf(optionSettings.responseHeaders),
  appendQuery: patchOf(optionSettings.appendQuery),
  hsts: patchOf(optionSettings.hsts),
};

function patchOf(schema: object): Schema {
  const {
    maxProperties: _,
    documented: __,
    examples: ___,
    properties,
    additionalProperties,
    ...others
  } = schema as Readonly<Record<string, Schema>>;
  return {
    ...others,
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, member]) => [name, removable(member as Schema)]),
      ),
    }),
    additionalProperties:
      typeof additionalProperties === 'object' ? removable(additionalProperties) : additionalProperties,
  };
}
