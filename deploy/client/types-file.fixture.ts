import type { JsonSchema } from '../../controlplane/http/openapi/json-schema.js';
import { extended, type ObjectType, objectTypes, sharedQueries } from './shared-members.fixture.js';
import { comment, isObject, memberLines, objectOf, typeOf } from './types-of-schema.fixture.js';

interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: JsonSchema;
}
interface Content {
  readonly content?: Readonly<Record<string, { readonly schema: JsonSchema }>>;
}
export interface Operation {
  readonly operationId: string;
  readonly summary?: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Content & { readonly required?: boolean };
  readonly responses: Readonly<Record<string, Content>>;
}
export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    readonly parameters: Readonly<Record<string, Parameter>>;
  };
}

const HEAD = `// Generated from the OpenAPI document by \`npm run client:types\`. Do not edit.

/** A body that is sent as it is. */
export type RawBody = string | Uint8Array | Blob | ReadableStream<Uint8Array>;
`;

/**
 * Returns the text of \`src/operations.ts\`: one type per component, one per query that operations share, and one member of
 * \`Operations\` per operation.
 */
export function typesFile(document: ApiDocument): string {
  const schemas = Object.entries(document.components.schemas);
  const objects = objectTypes(
    schemas
      .filter(([, schema]) => isObject(schema))
      .map(([name, schema]) => ({ name, members: memberLines(schema, '  ', '') })),
  );
  const components = schemas.map(
    ([name, schema]) =>
      `${comment(schema.description, '')}export type ${name} = ${objects.get(name) ?? typeOf(schema, '')};\n`,
  );
  const queries = sharedQueries(
    Object.values(document.paths)
      .flatMap((methods) => Object.values(methods))
      .map((operation) => ({
        name: operation.operationId,
        members: membersIn(parametersOf(document, operation), 'query', '  '),
      })),
  );
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, operation]) =>
        `${comment(operation.summary, '  ')}  '${method.toUpperCase()} ${path}': ${operationType(document, operation, queries)};\n`,
    ),
  );
  return [
    HEAD,
    ...components,
    ...[...objectTypes(queries)].map(([name, type]) => `export type ${name} = ${type};\n`),
    `/** All operations: what they take, and what they answer. */\nexport interface Operations {\n${operations.join('')}}\n`,
  ].join('\n');
}

function operationType(document: ApiDocument, operation: Operation, queries: readonly ObjectType[]): string {
  const parameters = parametersOf(document, operation);
  const isRequired = (place: string) => parameters.some((one) => one.in === place && one.required);
  const path = membersIn(parameters, 'path', '      ');
  const queryMembers = membersIn(parameters, 'query', '  ');
  const query = extended(queryMembers, queries, '    ');
  const members = [
    path.length === 0 ? '' : `    params: ${objectOf(path, '    ')};\n`,
    queryMembers.length === 0
      ? ''
      : isRequired('query')
        ? `    query: ${query};\n`
        : `    query?: ${query} | undefined;\n`,
    ...bodyType(operation),
    `    answer: ${answerType(operation)};\n`,
  ];
  return objectOf(
    members.filter((member) => member !== ''),
    '  ',
  );
}

const parametersOf = (document: ApiDocument, { parameters = [] }: Operation) =>
  parameters.map((parameter) => resolve(document, parameter));

function resolve({ components }: ApiDocument, parameter: Parameter): Parameter {
  if (parameter.$ref === undefined) return parameter;
  const found = components.parameters[parameter.$ref.slice('#/components/parameters/'.length)];
  if (found === undefined) throw new Error(`${parameter.$ref} is not in the document`);
  return found;
}

/** Returns the members of the type of the parameters in a place. */
function membersIn(parameters: readonly Parameter[], place: 'path' | 'query', indent: string): string[] {
  const here = parameters.filter((parameter) => parameter.in === place);
  const properties = Object.fromEntries(
    here.map(({ name, schema, description }) => [
      name,
      { ...(place === 'path' ? pathSegment(schema) : schema), ...(description && { description }) },
    ]),
  );
  const required = here.filter((parameter) => parameter.required).map(({ name }) => name);
  return memberLines({ type: 'object', properties, required }, indent, ' | undefined');
}

/** Ids are texts in a path, even if they are numbers elsewhere. */
function pathSegment(schema: JsonSchema): JsonSchema {
  return schema.type === 'string' ? { ...schema, type: ['string', 'number'] } : schema;
}

function bodyType({ requestBody }: Operation): string[] {
  const content = Object.entries(requestBody?.content ?? {});
  if (content.length === 0) return [];
  const types = content.map(([media, { schema }]) => (isJson(media) ? typeOf(schema, '    ') : 'RawBody'));
  const optional = requestBody?.required === true ? '' : '?';
  return [`    body${optional}: ${[...new Set(types)].join(' | ')};\n`];
}

/** An answer that is not JSON is a text. */
function answerType({ responses }: Operation): string {
  const types = Object.entries(responses)
    .filter(([status]) => status.startsWith('2'))
    .flatMap(([, { content = {} }]) =>
      Object.entries(content).map(([media, { schema }]) =>
        isJson(media) ? typeOf(schema, '    ') : 'string',
      ),
    );
  return [...new Set(types)].join(' | ') || 'undefined';
}

const isJson = (media: string) => /[/+]json$/.test(media);
