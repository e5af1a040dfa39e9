import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ERROR_CODES } from '../errors/error-codes.js';
import { startApi, type TestApi } from './api.fixture.js';
import { exampleArea } from './example-area.fixture.js';
import { EXAMPLE_VALUES } from './openapi/example-values.js';
import { createDocumentCheck } from './openapi-document.fixture.js';

interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema?: { readonly default?: unknown };
}

interface Operation {
  readonly tags?: readonly string[];
  readonly summary?: string;
  readonly description?: string;
  readonly security?: readonly object[];
  readonly parameters?: readonly Parameter[];
  readonly responses: Readonly<Record<string, unknown>>;
}

let api: TestApi;
let document: {
  readonly tags: readonly { readonly name: string }[];
  readonly openapi: string;
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: {
    readonly parameters: Record<string, Parameter>;
    readonly schemas: Record<string, { readonly examples?: readonly unknown[] }>;
  };
};

beforeAll(async () => {
  api = await startApi({ areas: () => [exampleArea] });
  document = (await api.call('GET', '/openapi.json')).json;
});
afterAll(() => api.close());

const operations = () =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );

const parametersOf = ({ parameters = [] }: Operation) =>
  parameters.map((parameter) =>
    parameter.$ref === undefined
      ? parameter
      : document.components.parameters[parameter.$ref.split('/').at(-1) ?? '']!,
  );

describe('the OpenAPI document', () => {
  it('has the form that OpenAPI 3.1 asks for', () => {
    expect(document.openapi).toBe('3.1.0');
    expect(createDocumentCheck()(document)).toEqual([]);
  });

  it('has every endpoint of the accounts', () => {
    const listed = operations().map(({ path, method }) => `${method.toUpperCase()} ${path}`);
    expect(listed).toEqual(
      expect.arrayContaining([
        'POST /auth/signup',
        'POST /auth/login',
        'GET /auth/user',
        'POST /auth/tokens',
        'GET /auth/tokens',
        'DELETE /auth/tokens/{id}',
        'GET /healthz',
        'GET /readyz',
      ]),
    );
  });

  it('shows what members of answers and parameters look like', () => {
    expect(document.components.schemas.AccessToken).toMatchObject({
      properties: { id: { examples: [EXAMPLE_VALUES.id] } },
    });
    const parameters = parametersOf(document.paths['/auth/tokens/{id}']!.delete!);
    expect(parameters).toMatchObject([{ name: 'id', example: EXAMPLE_VALUES.id }]);
  });

  it('begins with redirects and ends with operations', () => {
    const names = document.tags.map(({ name }) => name);
    expect([names[0], names.at(-1)]).toEqual(['redirects', 'operations']);
    const used = operations().flatMap(({ operation }) => operation.tags ?? []);
    expect(used.filter((tag) => tag !== 'example' && !names.includes(tag))).toEqual([]);
  });

  it('asks for no query parameter that has a default', () => {
    for (const { path, operation } of operations()) {
      for (const { name, required, schema } of parametersOf(operation)) {
        if (schema?.default !== undefined) expect(required ?? false, `${name} of ${path}`).toBe(false);
      }
    }
  });

  it('says of every endpoint what it is for, what it answers and what its path takes', () => {
    for (const { path, method, operation } of operations()) {
      if (path.startsWith('/example/')) continue;
      const name = `${method} ${path}`;
      expect(operation.tags, name).toHaveLength(1);
      expect(operation.summary, name).toMatch(/\w/);
      expect(Object.keys(operation.responses), name).toEqual(expect.arrayContaining(['4XX', '5XX']));
      expect(
        Object.keys(operation.responses).some((status) => /^2\d\d$/.test(status)),
        name,
      ).toBe(true);
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter);
      const described = parametersOf(operation).filter((parameter) => parameter.in === 'path');
      expect(
        described.map((parameter) => parameter.name),
        name,
      ).toEqual(inPath);
    }
  });

  it('says which endpoints need no token', () => {
    const open = operations().filter(({ operation }) => operation.security?.length === 0);
    const paths = open.map(({ path }) => path).filter((path) => !path.startsWith('/example/'));
    expect(paths.sort()).toEqual([
      '/',
      '/auth/email/resend',
      '/auth/email/verify',
      '/auth/login',
      '/auth/password/forgot',
      '/auth/password/reset',
      '/auth/session',
      '/auth/session/code',
      '/auth/signup',
      '/healthz',
      '/readyz',
    ]);
  });

  it('lists every error code with its meaning', () => {
    const text = JSON.stringify(document);
    for (const [code, { status, meaning }] of Object.entries(ERROR_CODES)) {
      expect(text).toContain(`\`${code}\` (${status}): ${meaning}`);
    }
  });
});

describe('/openapi.json', () => {
  it.each([
    ['gzip, br', 'gzip'],
    ['br;q=1.0, gzip;q=0.8', 'gzip'],
    ['gzip;q=0', undefined],
    ['', undefined],
  ])('has the same content for Accept-Encoding: "%s"', async (accepted, encoding) => {
    const answer = await api.app.inject({ url: '/openapi.json', headers: { 'accept-encoding': accepted } });
    expect(answer.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      vary: 'Origin, Accept-Encoding',
    });
    expect(answer.headers['content-encoding']).toBe(encoding);
    const body = encoding === undefined ? answer.rawPayload : gunzipSync(answer.rawPayload);
    expect(JSON.parse(body.toString())).toEqual(document);
    expect(body.toString()).toBe(JSON.stringify(document));
  });

  it('is not sent again to those who have it', async () => {
    const { etag } = (await api.app.inject({ url: '/openapi.json' })).headers;
    const again = await api.app.inject({
      url: '/openapi.json',
      headers: { 'if-none-match': String(etag) },
    });
    expect([again.statusCode, again.body]).toEqual([304, '']);
  });
});

describe('/', () => {
  it('names the documentation', async () => {
    expect(await api.call('GET', '/')).toMatchObject({
      status: 200,
      json: { name: 'Waymark', version: '0.0.0-test', docs: '/docs', openapi: '/openapi.json' },
    });
  });
});

describe('a method that a path does not have', () => {
  it('answers 405 and names those that it has', async () => {
    const { token } = await api.createUser();
    const others: string[] = [];
    for (const [path, operations] of Object.entries(document.paths)) {
      const methods = Object.keys(operations).map((method) => method.toUpperCase());
      const url = path.replace(/\{\w+\}/g, '1');
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
        if (methods.includes(method)) continue;
        const { status, json, headers } = await api.call(method, url, { token });
        if (status !== 405) others.push(`${method} ${path}`);
        else {
          expect(json.error).toMatchObject({ code: 'METHOD_NOT_ALLOWED' });
          const allowed = String(headers.allow).split(', ');
          expect(allowed).toEqual(expect.arrayContaining(methods));
          expect(allowed).not.toContain(method);
        }
      }
    }
    // Pages of links in mails, which the document does not have.
    expect(others).toEqual(['GET /auth/email/verify', 'GET /auth/password/reset']);
    const { status, headers } = await api.call('DELETE', '/openapi.json', { token });
    expect([status, headers.allow]).toEqual([405, 'GET, HEAD']);
  });
});

describe('/docs', () => {
  it('is a page that shows the document, of files from here only', async () => {
    const redirected = await api.call('GET', '/docs');
    expect(redirected).toMatchObject({ status: 301, headers: { location: 'docs/' } });
    const page = await api.call('GET', '/docs/');
    expect(page.status).toBe(200);
    expect(page.headers['content-type']).toMatch(/^text\/html/);
    expect(page.body).toContain('name="viewport"');
    expect(page.body).toContain('<title>Waymark API</title>');
    expect(page.body).not.toMatch(/https?:\/\//);
    const files = [...page.body.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, file = '']) => file);
    expect(files).toEqual(['data:,', 'js/scalar.js']);
    expect(page.body).toContain('<html lang="en">');
    for (const file of ['js/scalar.js', 'openapi.json']) {
      expect((await api.call('GET', `/docs/${file}`)).status, file).toBe(200);
    }
  });

  it('may load and call nothing but this API', async () => {
    const { headers, body } = await api.call('GET', '/docs/');
    const script = /<script type="text\/javascript">([^<]*)<\/script>/.exec(body)?.[1] ?? '';
    const hash = createHash('sha256').update(script).digest('base64');
    const policy = headers['content-security-policy']?.split('; ') ?? [];
    expect(policy).toEqual(
      expect.arrayContaining([
        "default-src 'none'",
        `script-src 'self' 'sha256-${hash}'`,
        "connect-src 'self'",
      ]),
    );
  });
});
