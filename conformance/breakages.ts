/** The value that a JSON Pointer leads to is exchanged; without a value, it is taken away. */
type Breakage = readonly [pointer: string, value?: unknown]

const LIST = '/paths/~1api~1v2~1labels'
const ITEM = '/paths/~1api~1v2~1labels~1{id}'
const SCHEMAS = '/components/schemas'
const RESPONSES = '/components/responses'
const PARAMETERS = `${LIST}/get/parameters`
const EMPTY = { description: 'Nothing' }
const MOMENT = { type: 'string', maxLength: 24, pattern: '^.*$' }

/** For every rule of ours a change that breaks it, and that the rule must find. */
export const BREAKAGES: Readonly<Record<string, Breakage>> = {
  'path-shape': ['/paths/~1api~1v2~1Labels', {}],
  'no-trailing-slash': ['/paths/~1api~1v2~1labels~1', {}],
  'id-is-positive-integer': [`${ITEM}/get/parameters/0/schema/minimum`, 0],
  'query-names': [`${PARAMETERS}/0/name`, 'page_size'],

  'collection-methods': [`${LIST}/delete`, { responses: {} }],
  'item-methods': [`${ITEM}/post`, { responses: {} }],
  'create-is-201': [`${LIST}/post/responses/201`],
  'delete-is-200': [`${ITEM}/delete/responses/204`, EMPTY],
  'success-is-200': [`${ITEM}/delete/responses/200`],
  'no-redirects': [`${ITEM}/get/responses/302`, EMPTY],
  'reads-know-304': [`${ITEM}/get/responses/304`],
  'not-modified-is-empty': [`${ITEM}/get/responses/304/content`, {}],
  'reads-are-never-422': [`${ITEM}/get/responses/422`, { $ref: '#/components/responses/NotFound' }],
  'create-errors': [`${LIST}/post/responses/409`],
  'change-errors': [`${ITEM}/patch/responses/412`],
  'delete-errors': [`${ITEM}/delete/responses/412`],
  'get-errors': [`${ITEM}/get/responses/404`],
  'always-errors': [`${LIST}/get/responses/default`],
  'reads-have-no-body': [`${ITEM}/delete/requestBody`, { content: {} }],

  'camel-case-properties': [`${SCHEMAS}/Label/properties/first_name`, { type: 'boolean' }],
  'objects-at-the-top': [`${LIST}/get/responses/200/content/application~1json/schema`, { type: 'array' }],
  'items-have-id-and-timestamps': [`${SCHEMAS}/Label/properties/id/readOnly`],
  'items-are-whole': [`${SCHEMAS}/Label/required`, ['id', 'createdAt', 'updatedAt']],
  'timestamps-end-in-at': [`${SCHEMAS}/Label/properties/until`, { ...MOMENT, format: 'date-time' }],
  'dates-end-in-date': [`${SCHEMAS}/Label/properties/day`, { ...MOMENT, format: 'date' }],
  'examples-are-utc': [`${SCHEMAS}/Label/properties/createdAt/examples/0`, '2026-01-31T10:00:00+01:00'],
  'closed-request-bodies': [`${SCHEMAS}/LabelCreateInput/additionalProperties`, true],
  'open-responses': [`${SCHEMAS}/Label/additionalProperties`, false],
  'create-without-read-only': [`${SCHEMAS}/LabelCreateInput/properties/id`, { type: 'boolean' }],
  'change-takes-read-only': [`${SCHEMAS}/LabelReplaceInput/properties/id`],
  'patch-is-partial': [`${SCHEMAS}/LabelUpdateInput/required`, ['text']],
  'bodies-are-required': [`${ITEM}/put/requestBody/required`, false],

  'list-parameters': [`${PARAMETERS}/1/name`, 'after'],
  'limit-is-1-to-100': [`${PARAMETERS}/0/schema/maximum`, 1_000],
  'sort-says-its-keys': [`${PARAMETERS}/2/schema/pattern`, '^.*$'],
  'count-is-boolean': [`${PARAMETERS}/3/schema/type`, 'string'],
  'list-parameters-are-optional': [`${PARAMETERS}/0/required`, true],
  'in-is-a-list': [`${PARAMETERS}/6/explode`, true],
  'null-is-boolean': [
    `${PARAMETERS}/5`,
    { name: 'isPinned[null]', in: 'query', schema: { type: 'integer', minimum: 0, maximum: 1 } },
  ],
  'booleans-have-no-order': [`${PARAMETERS}/5/name`, 'isPinned[gt]'],
  'list-has-data-and-pagination': [`${SCHEMAS}/LabelPage/required`, ['data']],
  'pagination-has-four-members': [`${SCHEMAS}/Pagination/required`, ['limit']],

  'errors-use-the-envelope': [`${SCHEMAS}/Error/properties/error/required`, ['code']],
  'errors-in-both-types': [`${RESPONSES}/NotFound/content/application~1problem+json`],
  'errors-are-shared': [`${ITEM}/get/responses/404`, EMPTY],

  'headers-of-every-answer': [`${RESPONSES}/NotFound/headers/X-Request-Id`],
  'cache-control-on-success': [`${ITEM}/get/responses/200/headers/Cache-Control`],
  'create-says-where': [`${LIST}/post/responses/201/headers/Location`],
  'states-have-etags': [`${ITEM}/patch/responses/200/headers/ETag`],
  'get-has-last-modified': [`${ITEM}/get/responses/200/headers/Last-Modified`],
  'reads-vary': [`${LIST}/get/responses/200/headers/Vary`],
  'lists-have-links': [`${LIST}/get/responses/200/headers/Link`],
  'unauthorized-says-how': [`${RESPONSES}/Unauthorized/headers/WWW-Authenticate`],
  'precondition-shows-etag': [`${RESPONSES}/PreconditionFailed/headers/ETag`],
  'media-type-says-which': [`${RESPONSES}/UnsupportedMediaType/headers/Accept-Patch`],
  'retry-after': [`${RESPONSES}/TooManyRequests/headers/Retry-After`],
  'changes-take-if-match': [`${ITEM}/put/parameters/1`, { $ref: '#/components/parameters/If-None-Match' }],
  'if-match-is-428': ['/components/parameters/If-Match/required', true],
  'reads-take-if-none-match': [`${ITEM}/get/parameters/1`, { $ref: '#/components/parameters/If-Match' }],
  'writes-take-a-key': [`${ITEM}/delete/parameters/2`, { $ref: '#/components/parameters/If-None-Match' }],
  'bodies-are-json': [`${LIST}/post/requestBody/content/text~1plain`, {}],
  'patches-are-merge-patches': [`${ITEM}/patch/requestBody/content/application~1merge-patch+json`],

  'is-3-1-1': ['/openapi', '3.1.0'],
  'deprecated-says-since-when': [`${ITEM}/get/deprecated`, true],
  'says-that-it-is-deprecated': [`${ITEM}/get/responses/200/headers/Deprecation`, { schema: MOMENT }],
  'sunset-is-410': [`${ITEM}/get/responses/200/headers/Sunset`, { schema: MOMENT }],
  'no-defaults-in-requests': [`${SCHEMAS}/LabelCreateInput/properties/isPinned/default`, false],
  'no-property-in': [`${SCHEMAS}/Label/properties/in`, { type: 'boolean' }],
  'everything-is-limited': [`${SCHEMAS}/Label/properties/text/maxLength`],
  'operation-ids-of-collections': [`${LIST}/post/operationId`, 'addLabel'],
  'operation-ids-of-items': [`${ITEM}/put/operationId`, 'putLabel'],
  'one-tag': [`${ITEM}/get/tags`, ['labels', 'more']],
}

/** The document with one thing changed. A pointer to nothing, where something is to be taken away, is an error. */
export function breakDocument(document: object, [pointer, value]: Breakage): object {
  const broken = structuredClone(document)
  const keys = pointer
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
  const last = keys.pop() ?? ''
  const parent = keys.reduce<object>((inner, key) => Object(Reflect.get(inner, key)) as object, broken)
  if (value === undefined && !Reflect.has(parent, last)) throw new Error(`the document has no ${pointer}`)
  if (value === undefined) Reflect.deleteProperty(parent, last)
  else Reflect.set(parent, last, value)
  return broken
}
