import { toExplainPage, type ExplainPage } from './page.ts'

/** The codes of single issues: `error.details[].code`. */
export const DETAIL_PAGES: Readonly<Record<string, ExplainPage>> = {
  REQUIRED: toExplainPage(
    'A field or parameter is missing.',
    'The schema requires it, and it has no default.',
    'Send it.',
    `{ "code": "REQUIRED", "source": "body", "pointer": "/title" }`,
  ),
  INVALID_TYPE: toExplainPage(
    'A value has a different type than in the schema.',
    'For example a number was sent as text.',
    'Send the type that the message names; in queries z.coerce reads numbers from text.',
    `params: z.object({ id: z.coerce.number() })`,
  ),
  INVALID_FORMAT: toExplainPage(
    'A text has the wrong format.',
    'It is not an e-mail address, a date, a URL or the like.',
    'Use the format in the message.',
    `email: z.email()`,
  ),
  INVALID_VALUE: toExplainPage(
    'A value is not one of the allowed values.',
    'The schema lists them, or a custom rule rejects it.',
    'Send one that the message names.',
    `status: z.enum(['open', 'done'])`,
  ),
  TOO_SHORT: toExplainPage(
    'A text or list is too short.',
    'The schema has a minimum length.',
    'Send more.',
    `title: z.string().min(1)`,
  ),
  TOO_LONG: toExplainPage(
    'A text or list is too long.',
    'The schema has a maximum length.',
    'Send less.',
    `title: z.string().max(200)`,
  ),
  TOO_SMALL: toExplainPage(
    'A number is too small.',
    'The schema has a minimum.',
    'Send a greater one.',
    `priority: z.number().min(1)`,
  ),
  TOO_LARGE: toExplainPage(
    'A number is too large.',
    'The schema has a maximum.',
    'Send a smaller one.',
    `priority: z.number().max(5)`,
  ),
  UNKNOWN_FIELD: toExplainPage(
    'A body has an unknown field.',
    'It is misspelt, or the server is older than the client. An ignored field would be lost silently.',
    'Correct its name, or add it to the schema.',
    `{ "code": "UNKNOWN_FIELD", "source": "body", "pointer": "/tilte" }`,
  ),
  DUPLICATE_FIELD: toExplainPage(
    'A body has the same field twice.',
    'Parsers might read different values, so it is rejected.',
    'Send it once.',
    `{ "role": "user", "role": "admin" }`,
  ),
  READ_ONLY: toExplainPage(
    'Only the server sets this field.',
    'These are id, createdAt, updatedAt, and the fields that assign of the resource sets.',
    'Leave it out.',
    `assign: ({ user }) => ({ ownerId: user.id })`,
  ),
  INVALID_UNICODE: toExplainPage(
    'A text has characters that cannot be stored.',
    'A lone surrogate, or a NUL, which PostgreSQL rejects.',
    'Clean the text, for example with text.toWellFormed().',
    `{ "code": "INVALID_UNICODE", "source": "body", "pointer": "/text" }`,
  ),
  UNKNOWN_PARAMETER: toExplainPage(
    'A query has an unknown parameter.',
    'It is misspelt, or a field that is not in filter of the resource. If it were ignored, the list would have too many rows.',
    'Correct its name, or add the field to filter.',
    `filter: ['done', 'priority']`,
  ),
  DUPLICATE_PARAMETER: toExplainPage(
    'A query has a parameter twice.',
    'It accepts only one value.',
    'Send it once.',
    `GET /api/v1/tasks?limit=10&limit=20`,
  ),
  INVALID_CURSOR: toExplainPage(
    'A cursor cannot be read.',
    'It was changed or truncated, or belongs to a list with another order.',
    'Use pagination.nextCursor unchanged, and keep sort and filters; otherwise start without a cursor.',
    `usePages('GET /api/v1/tasks')`,
  ),
  INVALID_SORT: toExplainPage(
    'A list cannot be sorted by this field.',
    'The field is not in sort of the resource, or is named twice.',
    'Use one of the fields in sort; a minus before it reverses the order.',
    `GET /api/v1/tasks?sort=-createdAt`,
  ),
  NOT_UNIQUE: toExplainPage(
    'Another row already has this value, or the same values if several fields are unique together.',
    'The field is in unique of the resource, or unique in the database. The user may not be allowed to see that row.',
    'Choose another value.',
    `unique: ['email', ['userId', 'teamId']]`,
  ),
  REFERENCED: toExplainPage(
    'Another row refers to this one, or this one refers to a row that does not exist.',
    'A foreign key of the database rejects the change.',
    'Change or delete the other row first.',
    `{ "code": "REFERENCED", "message": "…" }`,
  ),
  QUOTA_EXCEEDED: toExplainPage(
    'The quota of this policy is used up.',
    'It comes with TOO_MANY_REQUESTS, once for each policy.',
    'Wait for the seconds in Retry-After.',
    `RateLimit: "agent";r=0;t=12`,
  ),
}
