import { type AnyPage, createList, type List } from './pages.js';
import type { Answer, FullAnswer, Method, Operation, OptionsArgument, PathOf } from './request-types.js';
import { type Call, createSend, type SenderOptions } from './send.js';

/** The type of the items of a list. */
type ItemOf<A> = A extends { data: Array<infer Item> } ? Item : never;
/** Paths that answer lists in pages. */
type ListPath = {
  [P in PathOf<'GET'>]: Answer<Operation<'GET', P>> extends AnyPage<unknown> ? P : never;
}[PathOf<'GET'>];

/** Requests of any operation of the API, with the types of the OpenAPI document. */
export interface Requests {
  /**
   * Sends a request and returns the data of its answer.
   *
   * @param path as the document writes it; `params` fills it in: `request('GET', '/redirects/{id}', { params: { id } })`
   * @throws WaymarkError
   */
  request<M extends Method, P extends PathOf<M>>(
    method: M,
    path: P,
    ...options: OptionsArgument<Operation<M, P>>
  ): Promise<Answer<Operation<M, P>>>;
  /** Sends a request and returns its answer with status, `etag` and headers. The data is undefined with status 304. */
  answer<M extends Method, P extends PathOf<M>>(
    method: M,
    path: P,
    ...options: OptionsArgument<Operation<M, P>>
  ): Promise<FullAnswer<Answer<Operation<M, P>> | undefined>>;
  /** Sends a request and returns its answer unread, such as an export of any size. Repeats only until it begins. */
  stream<M extends Method, P extends PathOf<M>>(
    method: M,
    path: P,
    ...options: OptionsArgument<Operation<M, P>>
  ): Promise<Response>;
  /** Lists all items of a path that answers pages. */
  list<P extends ListPath>(
    path: P,
    ...options: OptionsArgument<Operation<'GET', P>>
  ): List<ItemOf<Answer<Operation<'GET', P>>>>;
}

/** Creates the generic requests. */
export function createRequests(options: SenderOptions): Requests {
  const send = createSend(options);
  const call = (method: string, path: string, rest: readonly object[]): Call => ({
    ...rest[0],
    method,
    path,
  });
  const list = (path: string, ...rest: readonly { readonly query?: object }[]) =>
    createList((next) =>
      send(call('GET', path, [{ ...rest[0], query: { ...rest[0]?.query, ...next } }]), dataOf),
    );
  // The types of the document are the interface; inside, a request is a request.
  return {
    request: (method: string, path: string, ...rest: readonly object[]) =>
      send(call(method, path, rest), dataOf),
    answer: (method: string, path: string, ...rest: readonly object[]) =>
      send(call(method, path, rest), fullAnswerOf),
    stream: (method: string, path: string, ...rest: readonly object[]) =>
      send(call(method, path, rest), async (response) => response),
    list,
  } as unknown as Requests;
}

// biome-ignore lint/suspicious/noExplicitAny: the callers know the type of the answer
async function dataOf(response: Response): Promise<any> {
  if (response.status === 304) return undefined;
  const isJson = /[/+]json\b/.test(response.headers.get('content-type') ?? '');
  return isJson ? response.json() : response.text();
}

async function fullAnswerOf(response: Response): Promise<FullAnswer<unknown>> {
  const { headers, status } = response;
  return {
    data: await dataOf(response),
    status,
    etag: headers.get('etag') ?? undefined,
    requestId: headers.get('x-request-id') ?? undefined,
    headers,
  };
}
