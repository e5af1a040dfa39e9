import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

/** Schemas of the document must be JSON Schema 2020-12, as OpenAPI 3.1 requires. */
const schema = { $ref: 'https://json-schema.org/draft/2020-12/schema' };
const content = {
  type: 'object',
  minProperties: 1,
  propertyNames: { pattern: '^[a-z]+/[a-z0-9.+-]+$' },
  additionalProperties: {
    type: 'object',
    required: ['schema'],
    properties: {
      schema,
      example: true,
      examples: { type: 'object', additionalProperties: { type: 'object', required: ['value'] } },
    },
    additionalProperties: false,
  },
};
const refTo = (components: string) => ({
  type: 'object',
  required: ['$ref'],
  properties: { $ref: { type: 'string', pattern: `^#/components/${components}/[A-Za-z0-9]+$` } },
  additionalProperties: false,
});
/** Either an object with these members or a reference to a component. */
const orRefTo = (components: string, object: object) => ({
  if: { required: ['$ref'] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: refTo(components),
  else: object,
});
const parameter = {
  type: 'object',
  required: ['name', 'in', 'schema'],
  properties: {
    name: { type: 'string' },
    in: { enum: ['path', 'query', 'header', 'cookie'] },
    description: { type: 'string' },
    required: { type: 'boolean' },
    explode: { type: 'boolean' },
    schema,
    example: true,
  },
  additionalProperties: false,
  if: { properties: { in: { const: 'path' } } },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { required: ['required'], properties: { required: { const: true } } },
};
const response = {
  type: 'object',
  required: ['description'],
  properties: { description: { type: 'string' }, headers: { type: 'object' }, content },
  additionalProperties: false,
};
const security = {
  type: 'array',
  items: { type: 'object', additionalProperties: { type: 'array', items: { type: 'string' } } },
};

const operation = {
  type: 'object',
  required: ['responses'],
  properties: {
    tags: { type: 'array', items: { type: 'string' } },
    summary: { type: 'string' },
    description: { type: 'string' },
    operationId: { type: 'string' },
    deprecated: { type: 'boolean' },
    security,
    parameters: { type: 'array', items: orRefTo('parameters', parameter) },
    requestBody: {
      type: 'object',
      required: ['content'],
      properties: { content, description: { type: 'string' }, required: { type: 'boolean' } },
      additionalProperties: false,
    },
    responses: {
      type: 'object',
      minProperties: 1,
      propertyNames: { pattern: '^([1-5]\\d\\d|[1-5]XX|default)$' },
      additionalProperties: orRefTo('responses', response),
    },
  },
  additionalProperties: false,
};

/** The part of OpenAPI 3.1.0 that documents of route schemas use; everything else is refused. */
const documentSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  required: ['openapi', 'info', 'paths'],
  properties: {
    openapi: { type: 'string', pattern: '^3\\.1\\.\\d+$' },
    info: {
      type: 'object',
      required: ['title', 'version'],
      properties: {
        title: { type: 'string', minLength: 1 },
        version: { type: 'string', minLength: 1 },
        description: { type: 'string' },
        license: {
          type: 'object',
          required: ['name'],
          properties: { name: { type: 'string' }, identifier: { type: 'string' } },
        },
      },
      additionalProperties: false,
    },
    servers: { type: 'array', items: { type: 'object', required: ['url'] } },
    tags: { type: 'array', items: { type: 'object', required: ['name'] } },
    security,
    components: {
      type: 'object',
      properties: {
        schemas: { type: 'object', additionalProperties: schema },
        parameters: { type: 'object', additionalProperties: parameter },
        responses: { type: 'object', additionalProperties: response },
        securitySchemes: {
          type: 'object',
          additionalProperties: {
            type: 'object',
            required: ['type'],
            properties: { type: { enum: ['http'] } },
          },
        },
      },
      additionalProperties: false,
    },
    paths: {
      type: 'object',
      propertyNames: { pattern: '^/' },
      additionalProperties: {
        type: 'object',
        propertyNames: { enum: ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'] },
        additionalProperties: operation,
      },
    },
  },
  additionalProperties: false,
};

/** Returns a check that lists where a document violates OpenAPI 3.1. */
export function createDocumentCheck(): (document: unknown) => string[] {
  const ajv = addFormats.default(new Ajv2020({ strict: false, allErrors: true }));
  const validate = ajv.compile(documentSchema);
  return (document) => {
    validate(document);
    return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
  };
}
