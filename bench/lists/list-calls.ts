import type { ApiClient } from '../million/api-client.js';
import { OTHERS_WORD } from './seed-list.js';

interface Page {
  readonly data: readonly { readonly id: string; readonly fromDomain: string; readonly toDomain: string }[];
  readonly page: { readonly nextCursor: string | null };
}

/** A kind of call of `GET /redirects`. */
export interface ListCall {
  readonly name: string;
  readonly title: string;
  /** Query without `limit`. @param number of the call, to ask for something else each time */
  query(number: number, redirects: number): string;
  /** Number of redirects in the answer. Undefined for a number that depends on the bounds of the server. */
  readonly rows?: number;
  /** Whether each call reads the page after the page of the previous call. */
  readonly isDeep?: true;
}

export const LIMIT = 50;

export const LIST_CALLS = [
  { name: 'firstPage', title: 'first page', query: () => '', rows: LIMIT },
  { name: 'deepPage', title: 'pages one after another', query: () => '', rows: LIMIT, isDeep: true },
  { name: 'byUpdate', title: 'sort=-updatedAt', query: () => 'sort=-updatedAt', rows: LIMIT },
  { name: 'byDomain', title: 'sort=fromDomain', query: () => 'sort=fromDomain', rows: LIMIT },
  { name: 'pending', title: 'status=pending', query: () => 'status=pending', rows: LIMIT },
  { name: 'disabled', title: 'status=disabled, few', query: () => 'status=disabled' },
  { name: 'tag', title: 'tag', query: () => 'tag=campaign', rows: LIMIT },
  { name: 'health', title: 'health=ok', query: () => 'health=ok', rows: LIMIT },
  { name: 'frequentText', title: 'search, in every tenth', query: () => 'search=shop', rows: LIMIT },
  {
    name: 'rareText',
    title: 'search, in one',
    query: (number: number, redirects: number) => `search=crm-${redirects - 1 - number}`,
    rows: 1,
  },
  {
    name: 'domainText',
    title: 'search, a domain',
    query: (number: number, redirects: number) => `search=-${spread(number, redirects)}.example%2Fwelcome`,
    rows: 1,
  },
  { name: 'shortText', title: 'search, two letters, frequent', query: () => 'search=sh', rows: LIMIT },
  { name: 'missingShortText', title: 'search, two letters, in none', query: () => 'search=zq', rows: 0 },
  {
    name: 'missingText',
    title: 'search, in none',
    query: (number: number) => `search=qqq${number}`,
    rows: 0,
  },
  {
    name: 'missingWords',
    title: 'search, frequent words, in none',
    query: () => 'search=welcome%2Fshop',
    rows: 0,
  },
  { name: 'counted', title: 'count=true', query: () => 'count=true', rows: LIMIT },
  { name: 'countedText', title: 'count=true, search', query: () => 'count=true&search=shop', rows: LIMIT },
  { name: 'countedTag', title: 'count=true, tag', query: () => 'count=true&tag=campaign', rows: LIMIT },
  { name: 'textOfOthers', title: 'search, in others only', query: () => `search=${OTHERS_WORD}`, rows: 0 },
] as const satisfies readonly ListCall[];
export type ListCallName = (typeof LIST_CALLS)[number]['name'];

/** Numbers of redirects, scattered over the list. */
const spread = (number: number, redirects: number) => (number * 7_919 + 13) % redirects;

/** Calls again and again. Returns the time of each in milliseconds. @throws when an answer is wrong */
export async function timeListCall(
  client: ApiClient,
  { name, query, rows, isDeep }: ListCall,
  { calls, redirects }: { readonly calls: number; readonly redirects: number },
): Promise<number[]> {
  const tookMs: number[] = [];
  const seen = new Set<string>();
  let cursor = '';
  // The first call compiles code and reads from disk.
  for (let number = 0; number <= calls; number += 1) {
    const startedAtMs = performance.now();
    const { data, page } = await client.call<Page>(
      'GET',
      `/redirects?limit=${LIMIT}&${query(number, redirects)}${cursor}`,
    );
    if (number > 0) tookMs.push(performance.now() - startedAtMs);
    if (rows !== undefined && data.length !== rows) {
      throw new Error(`list: ${name} has ${data.length} redirects, not ${rows}`);
    }
    if (isDeep !== true) continue;
    for (const { id } of data) seen.add(id);
    if (seen.size !== (number + 1) * LIMIT) throw new Error(`list: page ${number + 1} repeats redirects`);
    cursor = `&cursor=${page.nextCursor}`;
  }
  return tookMs;
}
