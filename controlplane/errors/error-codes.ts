/**
 * Every error that the API can return: the code for clients, its HTTP status and its meaning. The OpenAPI document
 * lists the errors of this table. A test checks that each of them is used.
 */
export const ERROR_CODES = {
  INVALID_REQUEST: {
    status: 400,
    meaning: 'The request itself is malformed: JSON, content type, path or query.',
  },
  INVALID_PLAN_ID: { status: 400, meaning: 'This is not the id of a plan that can be subscribed to.' },
  SUBSCRIPTION_NOT_REACTIVATABLE: {
    status: 400,
    meaning: 'Only a cancellation for the end of the period, which has not come yet, can be withdrawn.',
  },
  MISSING_TOKEN: { status: 401, meaning: 'No bearer token was sent.' },
  INVALID_TOKEN: { status: 401, meaning: 'The bearer token is malformed, unknown or deleted.' },
  EXPIRED_TOKEN: { status: 401, meaning: 'The bearer token is past its end.' },
  INVALID_CREDENTIALS: { status: 401, meaning: 'E-mail address and password do not match a user.' },
  INSUFFICIENT_SCOPE: { status: 403, meaning: 'The token lacks the scope this endpoint needs.' },
  FORBIDDEN: { status: 403, meaning: 'The resource exists and belongs to someone else.' },
  REQUESTED_WITH_REQUIRED: {
    status: 403,
    meaning: 'A change with the session cookie lacks the header `X-Requested-With: waymark`.',
  },
  ACCOUNT_SUSPENDED: { status: 403, meaning: 'The operator has suspended this account.' },
  ACCOUNT_CLOSING: { status: 403, meaning: 'The account waits for its deletion and can only be read.' },
  SIGNUP_CLOSED: { status: 403, meaning: 'This installation takes no new users.' },
  PLAN_LIMIT_REACHED: { status: 403, meaning: 'The plan allows no more of this.' },
  PLAN_NOT_FOUND: { status: 404, meaning: 'There is no plan with this id.' },
  SUBSCRIPTION_NOT_FOUND: { status: 404, meaning: 'There is no subscription to act on.' },
  NOT_FOUND: { status: 404, meaning: 'There is no such resource or path.' },
  METHOD_NOT_ALLOWED: { status: 405, meaning: 'The path has other methods; the header `Allow` lists them.' },
  IDEMPOTENCY_CONFLICT: {
    status: 409,
    meaning: 'A request with this Idempotency-Key is still being answered.',
  },
  EXAMPLES_BROKEN: {
    status: 409,
    meaning:
      'The change breaks examples of the redirect; `brokenExamples` lists them, and `force=true` allows it.',
  },
  PRECONDITION_FAILED: {
    status: 412,
    meaning: 'The resource has changed since the version that `If-Match` names.',
  },
  BODY_TOO_LARGE: {
    status: 413,
    meaning: 'The request body is larger than the endpoint takes; most take 1 MiB.',
  },
  BULK_REJECTED: {
    status: 422,
    meaning:
      'An operation of an `all_or_nothing` request failed, and nothing was changed. `results` says which and why.',
  },
  VALIDATION_ERROR: {
    status: 422,
    meaning: 'A field of a well-formed body breaks a rule; `field` names it.',
  },
  REDIRECT_LOOP: {
    status: 422,
    meaning: 'The destination would lead back to the domain, by itself or through other redirects and rules.',
  },
  DOMAIN_TAKEN: { status: 422, meaning: 'Another user has verified this domain.' },
  DOMAIN_EXISTS: { status: 422, meaning: 'You already have a redirect for this domain.' },
  EXTERNAL_ID_EXISTS: { status: 422, meaning: 'Another redirect of yours has this external id.' },
  RATE_LIMIT_EXCEEDED: {
    status: 429,
    meaning: 'Too many requests in this window, or too many questions or exports at a time; retry later.',
  },
  INTERNAL_ERROR: { status: 500, meaning: 'The server failed; the request id finds the cause in its log.' },
  SERVICE_UNAVAILABLE: { status: 503, meaning: 'A part the answer needs is not reachable; retry later.' },
} as const satisfies Record<string, { status: number; meaning: string }>;

export type ErrorCode = keyof typeof ERROR_CODES;
