import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import fastJsonStringify, { type AnySchema } from 'fast-json-stringify';
import { beforeAll, expect, it } from 'vitest';
import { packageRoot } from '../shared/config/package-root.js';
import { exampleOf, NO_EXAMPLE } from './http/openapi/examples.js';
import type { JsonSchema } from './http/openapi/json-schema.js';
import { createDocumentCheck } from './http/openapi-document.fixture.js';
import { readWholeDocument } from './openapi-document.fixture.js';

interface Media {
  readonly schema: JsonSchema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}
interface Body {
  readonly $ref?: string;
  readonly content?: Readonly<Record<string, Media>>;
}
interface Operation {
  readonly operationId?: string;
  readonly tags?: readonly string[];
  readonly summary?: string;
  readonly requestBody?: Body;
  readonly responses: Readonly<Record<string, Body>>;
}
interface Document {
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    readonly responses: Readonly<Record<string, unknown>>;
  };
}

/** Maximum average size of an operation with its share of the components, in bytes. Decision 0026 has the whole size. */
const MAX_BYTES_PER_OPERATION = 2_500;
const WHERE = 'in the `schema` of the route, in *-routes.ts';

let text: string;
let document: Document;

beforeAll(async () => {
  text = await readWholeDocument();
  document = JSON.parse(text) as Document;
});

const operations = () =>
  Object.entries(document.paths).flatMap(([url, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${url}`,
      operation,
    })),
  );

/** Bodies of all operations that are JSON. */
const jsonBodies = () =>
  operations().flatMap(({ name, operation: { requestBody, responses } }) => {
    const bodies = [['the request body', requestBody] as const, ...Object.entries(responses)];
    return bodies.flatMap(([place, body]) => {
      const media = body?.content?.['application/json'];
      return media === undefined ? [] : [{ name: `${place} of ${name}`, media }];
    });
  });

it('has the form of OpenAPI 3.1, and no keyword that JSON Schema lacks', () => {
  expect(createDocumentCheck()(document)).toEqual([]);
  expect(text).not.toContain('"accepts"');
  expect(text).not.toContain(NO_EXAMPLE);
  expect(document.servers).toHaveLength(1);
});

it(`has at most ${MAX_BYTES_PER_OPERATION} bytes per operation`, () => {
  expect(Buffer.byteLength(text) / operations().length).toBeLessThan(MAX_BYTES_PER_OPERATION);
});

it('says of every operation what generators and readers need', () => {
  const tags = document.tags.map(({ name }) => name);
  const missing = operations().flatMap(({ name, operation }) => [
    ...(operation.summary ? [] : [`${name}: add a summary ${WHERE}`]),
    ...(operation.tags?.length === 1 && tags.includes(operation.tags[0] ?? '')
      ? []
      : [`${name}: add tags: [one of ${tags.join(', ')}] ${WHERE}; tags are described in http/openapi.ts`]),
    ...(operation.operationId ? [] : [`${name}: add an operationId ${WHERE}`]),
    ...(operation.responses['4XX']?.$ref && operation.responses['5XX']?.$ref
      ? []
      : [`${name}: register the route after useOpenApi, which adds the error responses`]),
    ...(Object.keys(operation.responses).some((status) => status.startsWith('2'))
      ? []
      : [`${name}: add response: { 200: … } ${WHERE}`]),
  ]);
  expect(missing).toEqual([]);
});

it('describes everything in sentences or noun phrases', () => {
  // Fragments such as "Of those, stored." need the text around them, which tools do not show.
  const fragments = [...text.matchAll(/"(?:description|summary)":"((?:[^"\\\\]|\\\\.)*)"/g)]
    .map(([, words = '']) => words)
    .filter((words) => /^(Of|By|For|In|With|From|So|What|Who|Whose|Where|Without|Those)\b/.test(words));
  expect(fragments).toEqual([]);
});

it('gives each operation a name of its own', () => {
  const names = new Map<string, string>();
  const repeated = operations().flatMap(({ name, operation: { operationId = '' } }) => {
    const other = names.get(operationId);
    names.set(operationId, name);
    return other === undefined
      ? []
      : [`${name} and ${other} are both ${operationId}: add another operationId ${WHERE} of one of them`];
  });
  expect(repeated).toEqual([]);
});

it('has an example of every body, which agrees with its schema', () => {
  const ajv = addFormats.default(new Ajv2020({ strict: false })).addFormat('iri', true);
  const { schemas } = document.components;
  const faults = jsonBodies().flatMap(({ name, media: { schema, example, examples } }) => {
    const given = examples === undefined ? [] : Object.values(examples).map(({ value }) => value);
    const values = example === undefined ? given : [example];
    if (values.length === 0) values.push(exampleOf(schema, '', schemas));
    const validate = ajv.compile({ ...schema, components: document.components });
    return values.flatMap((value) => {
      if (JSON.stringify(value).includes(NO_EXAMPLE)) {
        const shown = JSON.stringify(value);
        return [
          `${name}: add \`examples: […]\` to the texts marked ${NO_EXAMPLE} ${WHERE.replace('routes', 'schema')}, or values to http/openapi/example-values.ts: ${shown}`,
        ];
      }
      return validate(value) ? [] : [`${name}: ${JSON.stringify(value)}: ${ajv.errorsText(validate.errors)}`];
    });
  });
  expect(faults).toEqual([]);
});

it('describes answers with schemas that can be written, without loss of what their examples have', () => {
  const answers = jsonBodies().filter(({ name }) => /^[1-5]/.test(name));
  expect(answers.length).toBeGreaterThan(100);
  for (const { name, media } of answers) {
    const value = media.example ?? Object.values(media.examples ?? {})[0]?.value;
    const write = fastJsonStringify({ ...media.schema, components: document.components } as AnySchema);
    if (value !== undefined) expect(JSON.parse(write(value)), name).toEqual(value);
  }
});

it("passes Redocly's recommended rules without errors and warnings", () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'waymark-redocly-'));
  try {
    for (const file of ['redocly.yaml', '.redocly.lint-ignore.yaml']) {
      copyFileSync(path.join(packageRoot(), '.ci', 'redocly', file), path.join(folder, file));
    }
    writeFileSync(path.join(folder, 'openapi.json'), text);
    const cli = path.join(packageRoot(), 'node_modules', '@redocly', 'cli', 'bin', 'cli.js');
    const { stdout, stderr } = spawnSync(
      process.execPath,
      [cli, 'lint', 'openapi.json', '--format=json', '--max-problems=100'],
      {
        cwd: folder,
        encoding: 'utf8',
        env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
      },
    );
    const report = JSON.parse(stdout || `{"problems":[${JSON.stringify(stderr)}]}`) as {
      problems: readonly { ruleId: string; message: string; location: readonly { pointer?: string }[] }[];
    };
    const problems = report.problems.map(
      ({ ruleId, message, location }) => `${ruleId} at ${location?.[0]?.pointer}: ${message}`,
    );
    expect(problems).toEqual([]);
    const ignored = readFileSync(path.join(folder, '.redocly.lint-ignore.yaml'), 'utf8');
    for (const pointer of ignored.match(/~1\S+(?=')/g) ?? []) {
      expect(Object.keys(document.paths)).toContain(pointer.replaceAll('~1', '/'));
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
