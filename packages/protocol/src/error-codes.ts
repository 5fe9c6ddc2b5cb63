/** The error codes that browsers need, with their HTTP statuses. They are separate to keep bundles small. */
export const COMMON_STATUS = {
  INVALID_REQUEST: 400,
  UNAUTHORIZED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  REQUEST_TIMEOUT: 408,
  CONFLICT: 409,
  CONTENT_TOO_LARGE: 413,
  UNPROCESSABLE_CONTENT: 422,
  TOO_MANY_REQUESTS: 429,
  INTERNAL_SERVER_ERROR: 500,
  BAD_GATEWAY: 502,
  SERVICE_UNAVAILABLE: 503,
  GATEWAY_TIMEOUT: 504,
} as const

const OTHER_STATUS = {
  NOT_LIVE: 400,
  PAYMENT_REQUIRED: 402,
  INSUFFICIENT_SCOPE: 403,
  METHOD_NOT_ALLOWED: 405,
  NOT_ACCEPTABLE: 406,
  IDEMPOTENCY_KEY_IN_USE: 409,
  RUN_IN_PROGRESS: 409,
  RUN_CANCELLED: 409,
  RUN_WAITING: 409,
  RUN_ENDED: 409,
  EVENT_SENT: 409,
  EVENT_TIMEOUT: 409,
  GONE: 410,
  RUN_GONE: 410,
  PRECONDITION_FAILED: 412,
  URI_TOO_LONG: 414,
  UNSUPPORTED_MEDIA_TYPE: 415,
  IDEMPOTENCY_KEY_REUSED: 422,
  UPGRADE_REQUIRED: 426,
  PRECONDITION_REQUIRED: 428,
  TOO_MANY_RUNS: 429,
  REQUEST_HEADER_FIELDS_TOO_LARGE: 431,
  RUN_CRASHES: 500,
  RUN_INPUT_CHANGED: 500,
  RUN_LIMIT_EXCEEDED: 500,
  INVALID_STEP_VALUE: 500,
  NOT_IMPLEMENTED: 501,
  NETWORK_ERROR: 0,
  INVALID_RESPONSE: 0,
  RUN_RETRACTED: 0,
  QUEUE_FULL: 0,
  OUTBOX_FULL: 0,
  OUTBOX_EXPIRED: 0,
  OUTBOX_DISCARDED: 0,
  OUTBOX_NOT_EMPTY: 0,
  CLOSED: 0,
  TIMEOUT: 0,
} as const

/**
 * The SDK's error codes with their HTTP statuses. If several codes share a status, the first code is the default for
 * that status. Status 0 marks client errors, for which there was no response.
 */
export const ERROR_STATUS: typeof COMMON_STATUS & typeof OTHER_STATUS = /* @__PURE__ */ Object.assign(
  {},
  COMMON_STATUS,
  OTHER_STATUS,
)

/** An error code from the table. */
export type ErrorCode = keyof typeof ERROR_STATUS

/** Returns whether a value has the format of an error code: `UPPER_SNAKE_CASE`, at most 63 characters. */
export function isCode(value: unknown): value is string {
  return typeof value === 'string' && /^[A-Z][A-Z0-9_]{0,62}$/.test(value)
}
