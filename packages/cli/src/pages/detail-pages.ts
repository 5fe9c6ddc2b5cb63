import { toExplainPage, type ExplainPage } from './page.ts'

/** Pages for the codes of individual issues: `error.details[].code`. */
export const DETAIL_PAGES: Readonly<Record<string, ExplainPage>> = {
  REQUIRED: toExplainPage(
    'A field or parameter is missing.',
    'The schema requires a value and does not define a default.',
    'Send the field or parameter.',
    `{ "code": "REQUIRED", "source": "body", "pointer": "/title" }`,
  ),
  INVALID_TYPE: toExplainPage(
    'A value does not have the type that the schema requires.',
    'For example, a number was sent as a string.',
    'Send a value of the type given in the message. For parameters, use z.coerce to convert strings to numbers.',
    `params: z.object({ id: z.coerce.number() })`,
  ),
  INVALID_FORMAT: toExplainPage(
    'A string has the wrong format.',
    'For example, it is not a valid email address, date or URL.',
    'Send a value in the format that the message describes.',
    `email: z.email()`,
  ),
  INVALID_VALUE: toExplainPage(
    'A value is not one of the allowed values.',
    'The schema lists the allowed values, or a custom rule rejects the value.',
    'Send one of the values listed in the message.',
    `status: z.enum(['open', 'done'])`,
  ),
  TOO_SHORT: toExplainPage(
    'A string or array is too short.',
    'The schema has a minimum length.',
    'Send a longer value.',
    `title: z.string().min(1)`,
  ),
  TOO_LONG: toExplainPage(
    'A string or array is too long.',
    'The schema has a maximum length.',
    'Send a shorter value.',
    `title: z.string().max(200)`,
  ),
  TOO_SMALL: toExplainPage(
    'A number is too small.',
    'The schema has a minimum.',
    'Send a larger number.',
    `priority: z.number().min(1)`,
  ),
  TOO_LARGE: toExplainPage(
    'A number is too large.',
    'The schema has a maximum.',
    'Send a smaller number.',
    `priority: z.number().max(5)`,
  ),
  UNKNOWN_FIELD: toExplainPage(
    'The body has an unknown field.',
    'The name is misspelled, or the server is older than the client. If the server ignored the field, its value would be silently lost.',
    'Correct the field name, or add the field to the schema.',
    `{ "code": "UNKNOWN_FIELD", "source": "body", "pointer": "/tilte" }`,
  ),
  DUPLICATE_FIELD: toExplainPage(
    'The body contains the same field twice.',
    'Different JSON parsers may use different values, so the server rejects the body.',
    'Send the field once.',
    `{ "role": "user", "role": "admin" }`,
  ),
  READ_ONLY: toExplainPage(
    'Only the server can set this field.',
    'The server sets id, createdAt, updatedAt, and the fields in the resource’s assign option.',
    'Omit the field.',
    `assign: ({ user }) => ({ ownerId: user.id })`,
  ),
  INVALID_UNICODE: toExplainPage(
    'A string contains characters that cannot be stored.',
    'The string contains a lone surrogate or a NUL character, which PostgreSQL rejects.',
    'Clean the string, for example with text.toWellFormed().',
    `{ "code": "INVALID_UNICODE", "source": "body", "pointer": "/text" }`,
  ),
  UNKNOWN_PARAMETER: toExplainPage(
    'The query has an unknown parameter.',
    'The name is misspelled, or the field is not in the resource’s filter option. If the server ignored the parameter, the list would contain too many rows.',
    'Correct the parameter name, or add the field to filter.',
    `filter: ['done', 'priority']`,
  ),
  DUPLICATE_PARAMETER: toExplainPage(
    'The query contains the same parameter twice.',
    'Every parameter accepts only one value.',
    'Send the parameter once.',
    `GET /api/v1/tasks?limit=10&limit=20`,
  ),
  INVALID_CURSOR: toExplainPage(
    'The cursor is invalid.',
    'The cursor was changed or truncated, or belongs to a list with different sorting or filters.',
    'Use pagination.nextCursor unchanged with the same sort and filters, or start again without a cursor.',
    `usePages('GET /api/v1/tasks')`,
  ),
  INVALID_SORT: toExplainPage(
    'The list cannot be sorted by this field.',
    'The field is not in the resource’s sort option, or is listed twice.',
    'Use one of the fields in the sort option. A leading minus reverses the order.',
    `GET /api/v1/tasks?sort=-createdAt`,
  ),
  NOT_UNIQUE: toExplainPage(
    'Another row already has this value, or this combination of values.',
    'The field is in the resource’s unique option, or has a unique index in the database. The caller may not be allowed to see the other row.',
    'Choose another value.',
    `unique: ['email', ['userId', 'teamId']]`,
  ),
  REFERENCED: toExplainPage(
    'Another row refers to this row, or this row refers to a row that does not exist.',
    'The `references` option of the resource or a foreign key in the database rejects the change. The other row may exist, but the user may not be allowed to see it.',
    'Send the id of an existing row. Before deleting a row, change or delete the rows that refer to it.',
    `{ "code": "REFERENCED", "message": "…" }`,
  ),
  QUOTA_EXCEEDED: toExplainPage(
    'The quota of this policy has been exceeded.',
    'The caller sent more requests than the policy allows. The entry in details contains the name of the policy.',
    'Wait for the number of seconds given in the Retry-After header.',
    `RateLimit: "agent";r=0;t=12`,
  ),
}
