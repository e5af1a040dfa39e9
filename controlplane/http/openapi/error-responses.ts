const header = (type: 'string' | 'integer', description: string) => ({ description, schema: { type } });
const retryAfter = header('integer', 'Seconds to wait, if known.');
const error = (summary: string, code: string, message: string, field?: string) => ({
  summary,
  value: { error: { message, code, ...(field !== undefined && { field }) } },
});
const content = (examples: Readonly<Record<string, object>>) => ({
  'application/json': { schema: { $ref: '#/components/schemas/Error' }, examples },
});

/** `components.responses`: the errors that all operations have in common. */
export const ERROR_COMPONENTS = {
  '4XX': {
    description: 'The request is refused. `code` names the reason.',
    headers: {
      'WWW-Authenticate': header('string', 'Challenge of RFC 6750. Sent with 401 only.'),
      'Retry-After': retryAfter,
      Allow: header('string', 'Methods of the path. Sent with 405 only.'),
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
  '5XX': {
    description: 'The server failed, or a dependency is unavailable. Retry later.',
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
  '4XX': { $ref: '#/components/responses/4XX' },
  '5XX': { $ref: '#/components/responses/5XX' },
} as const;
