import type { Schemas } from '@waymark/client';
import { request } from './request';

export interface TestVisit {
  /** Path with query, such as `/shoes?color=red`, or a whole address. */
  readonly url: string;
  readonly country: string;
  readonly device: string;
  readonly language: string;
}

export interface TestedVisit {
  readonly rule: Schemas.TestRulesResponse;
  /** Decision of the path table when no rule matches. */
  readonly path: Schemas.TestedPath;
}

/** Tests the destination of a visit: first by the rules, then by the path table. The visit is not counted. */
export async function testVisit(id: string, host: string, visit: TestVisit): Promise<TestedVisit> {
  const { url, userAttributes } = askedOf(host, visit);
  const [rule, tested] = await Promise.all([
    request('POST', '/rules/redirect/{redirectId}/test', {
      params: { redirectId: id },
      body: { userAttributes, explain: true },
    }),
    request('POST', '/redirects/{id}/paths/test', {
      params: { id },
      body: { urls: [url] },
    }),
  ]);
  const [path] = tested.results;
  if (path === undefined) throw new Error('the answer holds no result');
  return { rule, path };
}

/** Tests the destination of a visit with the draft of a redirect. */
export async function testDraft(id: string, host: string, visit: TestVisit): Promise<TestedVisit> {
  const { url, userAttributes } = askedOf(host, visit);
  const answer = await request('POST', '/redirects/{id}/draft/test', {
    params: { id },
    body: { userAttributes, urls: [url], explain: true },
  });
  const [path] = answer.results ?? [];
  if (path === undefined) throw new Error('the answer holds no result');
  // The request has attributes and URLs, so the answer has both parts.
  return { rule: answer as Schemas.TestRulesResponse, path };
}

function askedOf(host: string, visit: TestVisit) {
  const url = new URL(
    visit.url.startsWith('/') || visit.url === '' ? `http://${host}${visit.url}` : visit.url,
  );
  const query: Record<string, string | string[]> = {};
  for (const name of new Set(url.searchParams.keys())) {
    const values = url.searchParams.getAll(name);
    query[name] = values.length === 1 ? (values[0] ?? '') : values;
  }
  const userAttributes = {
    url_path: url.pathname,
    query_params: query,
    ...(visit.country && { country: visit.country.toUpperCase() }),
    ...(visit.device && { device_type: visit.device }),
    ...(visit.language && { language: visit.language }),
  };
  return { url: url.pathname + url.search, userAttributes };
}
