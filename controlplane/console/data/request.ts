import {
  type Answer,
  createClient,
  type FullAnswer,
  type Method,
  type Operation,
  type PathOf,
  type Schemas,
  WaymarkError,
} from '@waymark/client';
import { texts } from '../texts/texts';
import { pageFacts } from './page-facts';

type QueryValue = string | number | boolean | null | undefined;

interface CommonOptions {
  /** Whether empty query parameters are sent. Default: no. */
  readonly sendsEmpty?: boolean;
  /** Body of the request. Sent as JSON, unless it is a file. */
  readonly body?: unknown;
  /** Media type of a file. */
  readonly contentType?: string;
  /** Default: 30 s. 0: no limit. */
  readonly timeoutMs?: number;
  /** ETag that the resource must still have. */
  readonly ifMatch?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Access token that replaces the session cookie. */
  readonly token?: string;
}

/** Options without the types of one operation. */
interface AnyOptions extends CommonOptions {
  readonly params?: object;
  readonly query?: Readonly<Record<string, QueryValue>>;
}

/** Parameters in the URL of an operation. */
export type AddressOptions<O> = (O extends { params: infer Params }
  ? { readonly params: Readonly<Params> }
  : unknown) & {
  /** `undefined`, `null` and '' are left out. */
  readonly query?: O extends { query?: infer Query }
    ? { readonly [Name in keyof NonNullable<Query>]?: QueryValue }
    : never;
};

type Options<O> = CommonOptions & AddressOptions<O>;
/** The options argument. It is optional if the path has no parameters. */
export type OptionsArgument<O> =
  Record<never, never> extends Options<O> ? [options?: Options<O>] : [options: Options<O>];
type Tagged<O> = Promise<{ readonly data: Answer<O>; readonly etag: string | undefined }>;

/** The query client retries instead. */
const RETRIES = 0;
const client = createClient({ session: true, url: pageFacts.basePath, retries: RETRIES });
const send = client.answer as unknown as (
  method: Method,
  path: string,
  options: object,
) => Promise<FullAnswer<unknown>>;
const sessionEnds = new EventTarget();

/** Asks the user whether to make a change although it breaks examples. */
type ForceQuestion = (broken: readonly Schemas.BrokenExample[]) => Promise<boolean>;
let askToForce: ForceQuestion | undefined;

/** Sets the question that is asked before a change that breaks examples. Returns a function that removes it. */
export function onExamplesBroken(question: ForceQuestion): () => void {
  askToForce = question;
  return () => {
    askToForce = undefined;
  };
}

/**
 * Calls `listener` each time the API answers that the session has ended. Returns a function that removes the listener.
 */
export function onSessionEnd(listener: () => void): () => void {
  sessionEnds.addEventListener('end', listener);
  return () => sessionEnds.removeEventListener('end', listener);
}

/**
 * Sends one request to the API with the session cookie, and resolves to the data of the answer. If a change would break
 * examples of a redirect, asks the user whether to send it again with `force`.
 *
 * @param path with placeholders: `/redirects/{id}`
 * @throws {WaymarkError}
 */
export async function request<M extends Method, P extends PathOf<M> & string>(
  method: M,
  path: P,
  ...[options]: OptionsArgument<Operation<M, P>>
): Promise<Answer<Operation<M, P>>> {
  try {
    return (await sendTagged<Operation<M, P>>(method, path, options)).data;
  } catch (error) {
    const broken = brokenExamplesOf(error);
    if (broken === undefined || !(await askToForce?.(broken))) throw error;
    const query = { ...(options as AnyOptions | undefined)?.query, force: true };
    return (await sendTagged<Operation<M, P>>(method, path, { ...options, query })).data;
  }
}

function brokenExamplesOf(error: unknown): readonly Schemas.BrokenExample[] | undefined {
  if (!(error instanceof WaymarkError) || error.code !== 'EXAMPLES_BROKEN') return undefined;
  return (error.body as { readonly brokenExamples?: readonly Schemas.BrokenExample[] }).brokenExamples ?? [];
}

/** Sends one request, and resolves to the data and the ETag of the resource. @throws {WaymarkError} */
export function requestTagged<M extends Method, P extends PathOf<M> & string>(
  method: M,
  path: P,
  ...[options]: OptionsArgument<Operation<M, P>>
): Tagged<Operation<M, P>> {
  return sendTagged(method, path, options);
}

/** Sends one request. The caller guarantees that the options fit the operation. */
export async function sendTagged<O>(
  method: Method,
  path: string,
  { token, query = {}, sendsEmpty = false, ...options }: AnyOptions = {},
): Tagged<O> {
  const given = Object.entries(query).filter(([, value]) => sendsEmpty || value !== '');
  try {
    const { data, etag } = await send(method, path, {
      ...options,
      query: Object.fromEntries(given),
      ...(token !== undefined && { headers: { authorization: `Bearer ${token}` } }),
    });
    return { data: data as Answer<O>, etag };
  } catch (cause) {
    const error = cause instanceof WaymarkError ? inWords(cause) : cause;
    if (isSessionEnd(error) && token === undefined) sessionEnds.dispatchEvent(new Event('end'));
    throw error;
  }
}

/** Returns the URL of an API path, for links that the browser opens. */
export const addressOf = (path: string): string => pageFacts.basePath + path;

/** Keeps the message of an API error. Replaces the message of any other error with a text of the console. */
function inWords(error: WaymarkError): WaymarkError {
  const { status, code, field, body } = error;
  if (status === 0) return new WaymarkError({ status, code, message: texts.errors.noAnswer });
  if (code !== 'UNEXPECTED_ANSWER') return error;
  return new WaymarkError({ status, code, field, body, message: texts.errors.unreadableAnswer(status) });
}

/** Returns whether an error means that the session has ended. A wrong password has another code. */
export const isSessionEnd = (error: unknown) =>
  error instanceof WaymarkError && ['MISSING_TOKEN', 'INVALID_TOKEN', 'EXPIRED_TOKEN'].includes(error.code);
