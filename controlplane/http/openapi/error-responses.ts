const header = (type: 'string' | 'integer', description: string) => ({ description, schema: { type } });
const retryAfter = header('integer', 'Seconds to wait; only where they are known.');
const error = (summary: string, code: string, message: string, field?: string) => ({
  summary,
  value: { error: { message, code, ...(field !== undefined && { field }) } },
});
const content = (examples: Readonly<Record<string, object>>) => ({
  'application/json': { schema: { $ref: '#/components/schemas/Error' }, examples },
});

/** `components.responses`: the errors that all operations have in common. */
export const ERROR_COMPONENTS = {
  ClientError: {
    description: 'The request cannot be served as it is; `code` says why.',
    headers: {
      'WWW-Authenticate': header('string', 'RFC 6750; of 401 only.'),
      'Retry-After': retryAfter,
      Allow: header('string', 'Methods of the path; of 405 only.'),
    },
    content: content({
      badRequest: error('400', 'INVALID_REQUEST', 'limit must be a whole number from 1 to 100.', 'limit'),
      unauthorized: error(
        '401',
        'MISSING_TOKEN',
        'Send an access token in the header Authorization: Bearer <token>.',
      ),
      forbidden: error(
        '403',
        'INSUFFICIENT_SCOPE',
        'This endpoint needs a token with the scope redirects:write.',
      ),
      notFound: error('404', 'NOT_FOUND', 'There is no redirect with this id.'),
      unprocessable: error(
        '422',
        'VALIDATION_ERROR',
        'samplingRate must be a number from 0 to 1.',
        'samplingRate',
      ),
      tooManyRequests: error('429', 'RATE_LIMIT_EXCEEDED', 'Too many requests. Retry in 12 s.'),
    }),
  },
  ServerError: {
    description: 'The server failed, or a part of it cannot be reached; retry later.',
    headers: { 'Retry-After': retryAfter },
    content: content({
      serverFailure: error(
        '500',
        'INTERNAL_ERROR',
        'The server failed to answer. Quote the X-Request-Id header when you report this.',
      ),
      unavailable: error(
        '503',
        'SERVICE_UNAVAILABLE',
        'The database cannot be reached at the moment; retry shortly. Redirecting is not affected.',
      ),
    }),
  },
} as const;

/** The responses that every operation has for its errors, by status. */
export const ERROR_RESPONSES = {
  '4XX': { $ref: '#/components/responses/ClientError' },
  '5XX': { $ref: '#/components/responses/ServerError' },
} as const;
