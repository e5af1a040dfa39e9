import type { Operations } from './operations.js';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Paths of the API that take this method, as the OpenAPI document writes them: `/redirects/{id}`. */
export type PathOf<M extends Method> = keyof {
  [Key in keyof Operations as Key extends `${M} ${infer Path}` ? Path : never]: true;
};

/** The operation of a method and a path. */
export type Operation<M extends Method, P extends string> = `${M} ${P}` extends keyof Operations
  ? Operations[`${M} ${P}`]
  : never;

export type Answer<O> = O extends { answer: infer A } ? A : never;

/** Options that every request takes. */
export interface CallOptions {
  /** Sent as `If-Match`: the request fails with `PRECONDITION_FAILED` if the resource has another `etag`. */
  readonly ifMatch?: string | undefined;
  /** Sent as `If-None-Match`: the status is 304, without data, while the resource has this `etag`. */
  readonly ifNoneMatch?: string | undefined;
  /** Default for POST: a random one, which stays the same for all attempts. */
  readonly idempotencyKey?: string | undefined;
  /** The media type of a body that is not JSON. */
  readonly contentType?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Maximum time of each attempt. Default: that of the client. 0: no limit. */
  readonly timeoutMs?: number | undefined;
}

export type RequestOptions<O> = CallOptions & Omit<O, 'answer'>;

/** The options, which may be left out if the operation requires none. */
export type OptionsArgument<O> =
  Record<never, never> extends RequestOptions<O>
    ? [options?: RequestOptions<O>]
    : [options: RequestOptions<O>];

/** An answer with what its headers say. */
export interface FullAnswer<Data> {
  /** Undefined with status 304. */
  readonly data: Data;
  readonly status: number;
  /** Undefined for answers that are not a single resource. */
  readonly etag: string | undefined;
  readonly requestId: string | undefined;
  readonly headers: Headers;
}
