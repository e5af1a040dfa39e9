import type { ErrorObject, ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

type JsonSchema = Readonly<Record<string, unknown>>;

interface Response {
  /** Name of a component. */
  readonly $ref?: string;
  readonly content?: Record<string, { schema: JsonSchema }>;
}

interface Operation {
  readonly responses: Readonly<Record<string, Response>>;
}

export interface OpenApiDocument {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components?: Readonly<Record<string, unknown>> & {
    readonly responses?: Readonly<Record<string, Response>>;
  };
}

export interface Answer {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly status: number;
  readonly json: unknown;
}

/** Returns the faults of an answer, or nothing. */
export type AnswerCheck = (answer: Answer) => string | undefined;

const ajv = addFormats.default(new Ajv2020({ strict: true, strictTypes: false, allErrors: true }));
ajv.addFormat('iri', true);
// Keywords of OpenAPI that validate nothing.
ajv.addVocabulary(['components', 'example', 'xml', 'externalDocs', 'discriminator']);
const compiledByText = new Map<string, ValidateFunction>();

/** Compiles a schema once in this process. Each test file builds the document again, with the same schemas. */
function compiled(schema: JsonSchema): ValidateFunction {
  const text = JSON.stringify(schema);
  const validate = compiledByText.get(text) ?? ajv.compile(schema);
  compiledByText.set(text, validate);
  return validate;
}

/**
 * Checks answers against the document: it must contain the operation and the status, and the body must have exactly
 * its members. Unknown paths may only answer with an error in the common format.
 */
export function createAnswerCheck(document: OpenApiDocument): AnswerCheck {
  const validators = new Map<JsonSchema, ValidateFunction>();
  const routes = Object.entries(document.paths).map(([template, operations]) => ({
    pattern: patternOf(template),
    // A template without parameters goes first, as in the router.
    parameters: template.split('{').length - 1,
    operations,
  }));
  routes.sort((one, other) => one.parameters - other.parameters);

  function validator(schema: JsonSchema): ValidateFunction {
    const known = validators.get(schema);
    if (known !== undefined) return known;
    const validate = compiled({
      ...(closed(schema) as JsonSchema),
      components: closed(document.components),
    });
    validators.set(schema, validate);
    return validate;
  }

  function schemaOf(operation: Operation, status: number): JsonSchema | undefined {
    const { responses } = operation;
    const response = responses[String(status)] ?? responses[`${Math.floor(status / 100)}XX`];
    const shared = response?.$ref && document.components?.responses?.[response.$ref.split('/').at(-1) ?? ''];
    return (shared || response)?.content?.['application/json']?.schema;
  }

  const anyOperation = Object.values(document.paths).flatMap((operations) => Object.values(operations))[0];

  return ({ method, url, status, json }) => {
    const [path = ''] = url.split('?', 1);
    const route = routes.find(
      ({ pattern, operations }) => pattern.test(path) && method.toLowerCase() in operations,
    );
    const operation = route?.operations[method.toLowerCase()];
    if (operation === undefined && status < 400) return `${method} ${path} is not in the document`;
    const schema = schemaOf(operation ?? anyOperation ?? { responses: {} }, status);
    if (schema === undefined) return `${method} ${path} is not documented to answer ${status}`;
    const validate = validator(schema);
    if (validate(json)) return undefined;
    return `${method} ${path} answered ${status} with ${JSON.stringify(json)}, which differs from the document: ${listOf(validate.errors ?? [])}`;
  };
}

function patternOf(template: string): RegExp {
  const source = template
    .split(/\{[^}]+\}/)
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('[^/]+');
  return new RegExp(`^${source}/?$`);
}

/** Returns the schema with objects that allow only the listed members. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const members = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value)]));
  const open = 'additionalProperties' in members || 'patternProperties' in members || 'allOf' in members;
  return members.type === 'object' && members.properties !== undefined && !open
    ? { ...members, additionalProperties: false }
    : members;
}

function listOf(errors: readonly ErrorObject[]): string {
  return errors
    .map(({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`)
    .join('; ');
}
