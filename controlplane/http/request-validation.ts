import { Ajv, type ErrorObject } from 'ajv';
import addFormats from 'ajv-formats';
import type { FastifyInstance, FastifySchema } from 'fastify';
import { inTurns } from '../../shared/async/in-turns.js';
import { AppError } from '../errors/app-error.js';
import { compileOnce, lazyValidation } from './lazy-schemas.js';
import { createLongLists } from './long-lists.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** A request without a body counts as one with an empty object. */
    optionalBody?: boolean;
  }
}

/**
 * Validates every request part against its route's schema and turns the first violation into the API's error:
 * 422 with the field for the content of a body, 400 for everything else.
 */
export function useRequestValidation(app: FastifyInstance): void {
  const ajv = createAjv();
  const validatorOf = compileOnce((schema) => ajv.compile(schema));
  const longLists = createLongLists(validatorOf);
  app.setValidatorCompiler(lazyValidation((schema, data) => validatorOf(longLists.restOf(schema, data))));

  app.addHook('preValidation', async (request) => {
    requireStorable({ ...Object(request.params), ...Object(request.query) });
    requireKnownParameters(Object(request.query), request.routeOptions.schema);
    request.query = readQuery(Object(request.query), request.routeOptions.schema?.querystring);
    if (request.body === undefined && request.routeOptions.config.optionalBody === true) request.body = {};
    const needsBody = request.routeOptions.schema?.body !== undefined;
    if (request.is404 || (!needsBody && request.body === undefined)) return;
    if (typeof request.body !== 'object' || request.body === null || Array.isArray(request.body)) {
      throw new AppError('INVALID_REQUEST', { message: 'The request body must be a JSON object.' });
    }
    const schema = request.routeOptions.schema?.body;
    if (typeof schema !== 'object' || schema === null || !longLists.concern(schema, request.body)) return;
    const violation = await inTurns(longLists.validateInSteps(schema, request.body));
    if (violation !== undefined) throw violationError([violation], 'body');
  });
}

function createAjv(): Ajv {
  const ajv = new Ajv({
    allErrors: false,
    strict: false,
    // JSON can write numbers that would be read as infinite, and stored as null.
    strictNumbers: true,
    verbose: true,
    useDefaults: true,
    discriminator: true,
    // Bodies are not coerced: "1" is not a number. `readQuery` converts query values before.
    coerceTypes: false,
  });
  addFormats.default(ajv, ['email', 'uri', 'date-time']);
  return ajv;
}

/** Returns a function that checks a body against the schema. It throws the error that a request with that body gets. */
export function createBodyCheck(schema: object): (body: unknown) => void {
  const validatorOf = compileOnce((bodySchema) => createAjv().compile(bodySchema));
  return (body) => {
    const validate = validatorOf(schema);
    if (!validate(body)) throw violationError(validate.errors ?? [], 'body');
  };
}

/**
 * Returns a function that validates and converts a query, as a route with this schema does. For routes whose bodies are
 * too large to read first.
 */
export function createQueryReader<Query>(schema: object): (query: unknown) => Query {
  const validatorOf = compileOnce((querySchema) => createAjv().compile(querySchema));
  return (query) => {
    const validate = validatorOf(schema);
    requireStorable(Object(query));
    requireKnownParameters(Object(query), { querystring: schema });
    const read = readQuery(Object(query), schema);
    if (!validate(read)) throw violationError(validate.errors ?? [], 'querystring');
    return read as Query;
  };
}

/**
 * Refuses query parameters that the route's schema does not have, because a misspelt one would silently change the
 * meaning of the request. Routes outside the OpenAPI document, such as hosted pages, accept any parameters, because
 * links may add some.
 */
function requireKnownParameters(
  query: Readonly<Record<string, unknown>>,
  schema: FastifySchema | undefined,
): void {
  if (schema === undefined || schema.hide === true) return;
  const { properties = {} } = Object(schema.querystring) as {
    properties?: Readonly<Record<string, unknown>>;
  };
  const field = Object.keys(query).find((name) => !Object.hasOwn(properties, name));
  if (field === undefined) return;
  const known = Object.keys(properties).join(', ');
  throw new AppError('INVALID_REQUEST', {
    field,
    message:
      known === ''
        ? `${field} is not known here: this endpoint takes no query parameters.`
        : `${field} is not known here; known query parameters are: ${known}.`,
  });
}

/** Trims whitespace, as in bodies. Converts texts to numbers and booleans if the schema has them. */
function readQuery(query: Readonly<Record<string, unknown>>, schema: unknown): Record<string, unknown> {
  const { properties = {} } = Object(schema) as { properties?: Readonly<Record<string, { type?: unknown }>> };
  return Object.fromEntries(
    Object.entries(query).map(([name, value]) => [
      name,
      typeof value === 'string' ? readText(value.trim(), properties[name]?.type) : value,
    ]),
  );
}

/** Leaves unreadable values as texts, which the schema then refuses. */
function readText(text: string, type: unknown): string | number | boolean {
  switch (type) {
    case 'integer': {
      const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
      return Number.isSafeInteger(number) ? number : text;
    }
    case 'boolean':
      return text === 'true' || (text === 'false' ? false : text);
    default:
      return text;
  }
}

/** PostgreSQL stores every character of a string but U+0000. */
function requireStorable(parameters: Readonly<Record<string, unknown>>): void {
  for (const [field, value] of Object.entries(parameters)) {
    if (!String(value).includes('\0')) continue;
    throw new AppError('INVALID_REQUEST', {
      field,
      message: `${field} must not contain the character U+0000.`,
    });
  }
}

/** The error for the first violation that the validator found in one part of a request. */
export function violationError(violations: readonly ErrorObject[], part: string): AppError {
  const [violation] = violations;
  if (violation === undefined)
    return new AppError('INVALID_REQUEST', { message: 'The request is not valid.' });
  const field = fieldOf(violation);
  const message = `${field || part} ${describe(violation)}.`;
  if (part !== 'body') return new AppError('INVALID_REQUEST', { message, field });
  return new AppError('VALIDATION_ERROR', field === '' ? { message } : { message, field });
}

function fieldOf({ instancePath, keyword, params }: ErrorObject): string {
  const path = instancePath.split('/').slice(1).map(unescapePointer);
  if (keyword === 'required') path.push(String(params.missingProperty));
  if (keyword === 'additionalProperties') path.push(String(params.additionalProperty));
  if (keyword === 'discriminator') path.push(String(params.tag));
  return path.join('.');
}

// RFC 6901, section 4.
function unescapePointer(segment: string): string {
  return segment.replaceAll('~1', '/').replaceAll('~0', '~');
}

function describe({ keyword, params, parentSchema, message }: ErrorObject): string {
  if (keyword === 'required') return 'is required';
  if (keyword === 'additionalProperties') {
    const known = Object.keys(parentSchema?.properties ?? {}).join(', ');
    return known === '' ? 'is not known here' : `is not known here; known members are: ${known}`;
  }
  if (keyword === 'discriminator') return `must be one of: ${tagsOf(parentSchema, params.tag).join(', ')}`;
  if (keyword === 'enum') return `must be one of: ${params.allowedValues.join(', ')}`;
  const accepted = parentSchema === undefined ? undefined : acceptedBy(parentSchema);
  return accepted === undefined ? (message ?? 'is not valid') : `must be ${accepted}`;
}

/** Values of the member `tag`, which distinguishes the alternatives of an object. */
function tagsOf(schema: ErrorObject['parentSchema'], tag: string): string[] {
  const alternatives: readonly { properties: Record<string, { const: string }> }[] = schema?.oneOf ?? [];
  return alternatives.flatMap(({ properties }) => properties[tag]?.const ?? []);
}

/** Describes the values that a schema accepts. A schema may carry its own description as `accepts`. */
function acceptedBy(schema: Record<string, unknown>): string | undefined {
  if (typeof schema.accepts === 'string') return schema.accepts;
  const { minimum, maximum, minLength, maxLength, minItems, maxItems, format } = schema;
  if (Array.isArray(schema.type)) return acceptedByAnyOf(schema, schema.type);
  switch (schema.type) {
    case 'number':
    case 'integer': {
      const kind = schema.type === 'integer' ? 'a whole number' : 'a number';
      if (minimum !== undefined && maximum !== undefined) return `${kind} from ${minimum} to ${maximum}`;
      return minimum === undefined ? kind : `${kind} of at least ${minimum}`;
    }
    case 'boolean':
      return 'true or false';
    case 'string': {
      const kind = format === 'email' ? 'an e-mail address' : 'a string';
      if (maxLength === undefined) return kind;
      return minLength === undefined
        ? `${kind} of at most ${maxLength} characters`
        : `${kind} of ${minLength} to ${maxLength} characters`;
    }
    case 'array':
      if (maxItems === undefined) {
        return minItems === undefined ? 'an array' : `an array of at least ${minItems} items`;
      }
      return `an array of ${minItems ?? 0} to ${maxItems} items`;
    case 'object':
      return 'an object';
    case 'null':
      return 'null';
    default:
      return undefined;
  }
}

/** Describes the values of a schema that has several types. */
function acceptedByAnyOf(schema: Record<string, unknown>, types: readonly unknown[]): string | undefined {
  const accepted = types.map((type) => acceptedBy({ ...schema, type }));
  return accepted.includes(undefined) ? undefined : accepted.join(' or ');
}
