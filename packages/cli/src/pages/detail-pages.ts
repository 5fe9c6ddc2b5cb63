import { toExplainPage, type ExplainPage } from './page.ts'

/** The codes of single faults: `error.details[].code`. */
export const DETAIL_PAGES: Readonly<Record<string, ExplainPage>> = {
  REQUIRED: toExplainPage(
    'A field or parameter is missing.',
    'The schema wants it, and it has no default.',
    'Send it.',
    `{ "code": "REQUIRED", "source": "body", "pointer": "/title" }`,
  ),
  INVALID_TYPE: toExplainPage(
    'A value is of another type than the schema says.',
    'For example a number was sent as text.',
    'Send the type that the message names; in queries z.coerce reads numbers from text.',
    `params: z.object({ id: z.coerce.number() })`,
  ),
  INVALID_FORMAT: toExplainPage(
    'A text has the wrong format.',
    'It is not an e-mail address, a date, a URL or the like.',
    'Write it in the form that the message names.',
    `email: z.email()`,
  ),
  INVALID_VALUE: toExplainPage(
    'A value is none of those that are allowed.',
    'The schema lists them, or a rule of your own refuses it.',
    'Send one that the message names.',
    `status: z.enum(['open', 'done'])`,
  ),
  TOO_SHORT: toExplainPage(
    'A text or list is too short.',
    'The schema says how long it must be.',
    'Send more.',
    `title: z.string().min(1)`,
  ),
  TOO_LONG: toExplainPage(
    'A text or list is too long.',
    'The schema says how long it may be.',
    'Send less.',
    `title: z.string().max(200)`,
  ),
  TOO_SMALL: toExplainPage(
    'A number is too small.',
    'The schema has a least value.',
    'Send a greater one.',
    `priority: z.number().min(1)`,
  ),
  TOO_LARGE: toExplainPage(
    'A number is too large.',
    'The schema has a greatest value.',
    'Send a smaller one.',
    `priority: z.number().max(5)`,
  ),
  UNKNOWN_FIELD: toExplainPage(
    'A body has an unknown field.',
    'It is misspelt, or the server is older than the client. A field that is ignored would be lost silently.',
    'Correct its name, or add it to the schema.',
    `{ "code": "UNKNOWN_FIELD", "source": "body", "pointer": "/tilte" }`,
  ),
  DUPLICATE_FIELD: toExplainPage(
    'A body has the same field twice.',
    'Two programs might read different values, so neither is taken.',
    'Send it once.',
    `{ "role": "user", "role": "admin" }`,
  ),
  READ_ONLY: toExplainPage(
    'Only the server sets this field.',
    'id, createdAt, updatedAt, and what assign of the resource gives.',
    'Leave it out.',
    `assign: ({ user }) => ({ ownerId: user.id })`,
  ),
  INVALID_UNICODE: toExplainPage(
    'A text has characters that cannot be stored.',
    'Half of a surrogate pair, or a NUL, which PostgreSQL refuses.',
    'Clean it: text.toWellFormed() where there is one.',
    `{ "code": "INVALID_UNICODE", "source": "body", "pointer": "/text" }`,
  ),
  UNKNOWN_PARAMETER: toExplainPage(
    'A query has an unknown parameter.',
    'It is misspelt, or a field that is not in filter of the resource. Ignored, it would give too many rows.',
    'Correct its name, or add the field to filter.',
    `filter: ['done', 'priority']`,
  ),
  DUPLICATE_PARAMETER: toExplainPage(
    'A query has a parameter twice.',
    'It takes one value only.',
    'Send it once.',
    `GET /api/v1/tasks?limit=10&limit=20`,
  ),
  INVALID_CURSOR: toExplainPage(
    'A cursor cannot be read.',
    'It was changed, cut, or belongs to a list with another order.',
    'Take it from pagination.nextCursor as it is, and keep sort and filters; else begin without one.',
    `usePages('GET /api/v1/tasks')`,
  ),
  INVALID_SORT: toExplainPage(
    'A list cannot be sorted by this.',
    'The field is not in sort of the resource, or is named twice.',
    'Use one of the fields in sort; a minus before it reverses the order.',
    `GET /api/v1/tasks?sort=-createdAt`,
  ),
  NOT_UNIQUE: toExplainPage(
    'Another row has this value already, or all these values where several fields are unique together.',
    'The field is in unique of the resource, or unique in the database. The row may be one that you may not see.',
    'Choose another value.',
    `unique: ['email', ['userId', 'teamId']]`,
  ),
  REFERENCED: toExplainPage(
    'Another row refers to this one, or it refers to one that is not there.',
    'A foreign key of the database refuses the change.',
    'Change or delete the other row first.',
    `{ "code": "REFERENCED", "message": "…" }`,
  ),
  QUOTA_EXCEEDED: toExplainPage(
    'This policy is used up.',
    'It comes with TOO_MANY_REQUESTS, once for each policy.',
    'Wait for the seconds that Retry-After says.',
    `RateLimit: "agent";r=0;t=12`,
  ),
}
