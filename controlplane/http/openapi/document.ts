import { createComponentNames } from './components.js';
import { ERROR_COMPONENTS, ERROR_RESPONSES } from './error-responses.js';
import { parameterExample, withExamples } from './examples.js';
import { isObject, type JsonSchema, mapSubschemas, mapValues } from './json-schema.js';
import { camelCase, pascalCase } from './names.js';
import { createParameterNames, type Parameter } from './parameters.js';

interface MediaType {
  readonly schema: JsonSchema;
  readonly example?: unknown;
  readonly examples?: unknown;
}
type Content = Readonly<Record<string, MediaType>>;

interface Body {
  readonly $ref?: string;
  readonly description?: string;
  readonly content?: Content;
}

interface Operation {
  readonly operationId?: string;
  readonly security?: readonly unknown[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Body;
  readonly responses: Readonly<Record<string, Body>>;
}

export interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components?: Readonly<Record<string, unknown>>;
}

/**
 * Keywords of route schemas that are not JSON Schema. `accepts` is for error messages. `documented` has constraints
 * that code checks, because it explains faults better; null there drops a keyword. `byMedia` has the schemas of
 * bodies that are not JSON, by media type.
 */
const PRIVATE_KEYWORDS = new Set(['accepts', 'documented', 'byMedia']);
const DESCRIPTIONS: Readonly<Record<string, string>> = { 200: 'OK', 201: 'Created', 202: 'Accepted' };
const UNDESCRIBED = 'Default Response';

/**
 * Completes a document that was generated from route schemas. Repeated shapes and parameters become components. Errors
 * become shared responses. Each body gets an example.
 *
 * @param document with inline schemas, without references
 * @param optionalBodies ids of the operations that accept a request without a body
 */
export function finishDocument<Document extends OpenApiDocument>(
  document: Document,
  errorSchema: object,
  optionalBodies: ReadonlySet<string> = new Set(),
): Document {
  // Route schemas are shared with the validator, so they must not change.
  const plain = JSON.parse(JSON.stringify(document)) as Document;
  const paths = mapOperations(plain, (operation) => tidyOperation(operation, optionalBodies));
  const error = publicSchema(JSON.parse(JSON.stringify(errorSchema)) as JsonSchema);
  const shapes = createComponentNames();
  const parameters = createParameterNames();
  for (const operation of operationsOf(paths)) {
    for (const parameter of operation.parameters ?? [])
      parameters.add(parameter, operation.operationId ?? '');
    mapBodies(operation, (media, name) => {
      shapes.add(media.schema, name);
      return media;
    });
  }
  shapes.add(error, 'Error');
  const referring = mapOperations({ paths }, (operation) => ({
    ...mapBodies(operation, (media) => ({ ...media, schema: shapes.referTo(media.schema) })),
    ...(operation.parameters && { parameters: operation.parameters.map(parameters.referTo) }),
  }));
  shapes.referTo(error);
  return {
    ...plain,
    paths: referring,
    components: {
      ...plain.components,
      schemas: mapValues(shapes.components(), (schema, name) => withExamples(schema, camelCase(name))),
      parameters: parameters.components(),
      responses: ERROR_COMPONENTS,
    },
  };
}

function mapOperations(
  { paths }: Pick<OpenApiDocument, 'paths'>,
  change: (operation: Operation) => Operation,
): OpenApiDocument['paths'] {
  return mapValues(paths, (operations) => mapValues(operations, change));
}

function operationsOf(paths: OpenApiDocument['paths']): Operation[] {
  return Object.values(paths).flatMap((operations) => Object.values(operations));
}

/** Replaces the bodies of an operation. They are named by the operation, for components. */
function mapBodies(operation: Operation, change: (media: MediaType, name: string) => MediaType): Operation {
  const { requestBody, responses } = operation;
  const name = pascalCase(operation.operationId ?? '');
  const successes = Object.keys(responses).filter((status) => status.startsWith('2'));
  return {
    ...operation,
    ...(requestBody && { requestBody: mapContent(requestBody, (media) => change(media, `${name}Request`)) }),
    responses: mapValues(responses, (response, status) => {
      const suffix = successes.length === 1 && status === successes[0] ? '' : status;
      return mapContent(response, (media) => change(media, `${name}Response${suffix}`));
    }),
  };
}

function publicParameter(parameter: Parameter): Parameter {
  if (!isObject(parameter.schema)) return parameter;
  const { required, ...rest } = parameter;
  const schema = publicSchema(parameter.schema);
  const example = parameter.example ?? parameterExample(schema, parameter.name);
  // Lists in a query are separated by commas.
  const form = schema.type === 'array' && { explode: false };
  return {
    ...rest,
    ...(required === true && { required }),
    ...form,
    schema,
    ...(example !== undefined && { example }),
  };
}

function mapContent(body: Body, change: (media: MediaType) => MediaType): Body {
  if (body.content === undefined) return body;
  return { ...body, content: mapValues(body.content, change) };
}

/** Gives each media type of a request its schema of `byMedia`. Removes the example, which is for JSON. */
function withOwnSchemas(body: Body): Body {
  if (body.content === undefined) return body;
  const own = ({ schema }: MediaType, type: string) =>
    isObject(schema.byMedia) && isObject(schema.byMedia[type]) ? schema.byMedia[type] : undefined;
  return {
    ...body,
    content: mapValues(body.content, (media, type) => {
      const schema = own(media, type);
      return schema === undefined ? media : { schema };
    }),
  };
}

/** Drops keywords that are not JSON Schema, and replaces the general errors of an operation by references. */
function tidyOperation(operation: Operation, optionalBodies: ReadonlySet<string>): Operation {
  const { operationId = '', parameters, requestBody, responses } = operation;
  const described = {
    ...operation,
    ...(requestBody && {
      requestBody: { ...withOwnSchemas(requestBody), required: !optionalBodies.has(operationId) },
    }),
    responses: mapValues(responses, describe),
  };
  const tidied = mapBodies(described, (media) => ({ ...media, schema: publicSchema(media.schema) }));
  return {
    ...tidied,
    ...(parameters && { parameters: parameters.map(publicParameter) }),
    responses: { ...tidied.responses, ...ERROR_RESPONSES },
  };
}

function describe(response: Body, status: string): Body {
  if (response.description !== UNDESCRIBED) return response;
  return { ...response, description: DESCRIPTIONS[status] ?? `Status ${status}` };
}

function publicSchema(schema: JsonSchema): JsonSchema {
  const kept = Object.entries(schema).filter(([keyword]) => !PRIVATE_KEYWORDS.has(keyword));
  const all = { ...Object.fromEntries(kept), ...(isObject(schema.documented) && schema.documented) };
  const documented = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null));
  return withDiscriminator(withShortNull(mapSubschemas(documented, publicSchema)));
}

/** Writes `anyOf: [{ type: 'string' }, { type: 'null' }]` as `type: ['string', 'null']`. */
function withShortNull(schema: JsonSchema): JsonSchema {
  const { anyOf, ...rest } = schema;
  if (!Array.isArray(anyOf) || anyOf.length !== 2) return schema;
  const [first, second] = anyOf as readonly JsonSchema[];
  if (!isObject(first) || second?.type !== 'null' || 'title' in first) return schema;
  const isScalar = typeof first.type === 'string' && first.type !== 'object' && first.type !== 'array';
  const type = isScalar && { type: [first.type, 'null'] };
  if (Array.isArray(first.enum)) return { ...first, ...type, enum: [...first.enum, null], ...rest };
  return isScalar && first.const === undefined ? { ...first, ...type, ...rest } : schema;
}

/** Maps each value of the discriminator to its alternative. Alternatives need titles, and require their own members. */
function withDiscriminator(schema: JsonSchema): JsonSchema {
  const { discriminator, oneOf, required: _required, ...rest } = schema;
  if (!isObject(discriminator) || !Array.isArray(oneOf)) return schema;
  const mapping = (oneOf as readonly JsonSchema[]).map(({ title, properties }) => {
    const tag = isObject(properties) ? properties[String(discriminator.propertyName)] : undefined;
    return [isObject(tag) ? tag.const : '', `#/components/schemas/${String(title)}`];
  });
  return { ...rest, oneOf, discriminator: { ...discriminator, mapping: Object.fromEntries(mapping) } };
}
