import { ApiError } from '@sdk/protocol'
import { parseJson, readText } from '@sdk/server'

const MAX_BODY_BYTES = 65_536

/** The body of a request to an auth route. */
export interface AuthBody {
  readonly text: string
  /** The members of a JSON body; empty for other bodies. */
  readonly members: Readonly<Record<string, unknown>>
  readonly isForm: boolean
}

/** Reads and validates a body: Better Auth would accept duplicate members, deep nesting and NUL characters. */
export async function readAuthBody(request: Request): Promise<AuthBody> {
  const text = request.body === null ? '' : await readText(request, MAX_BODY_BYTES)
  if (text === '') return { text, members: {}, isForm: false }
  const type = (request.headers.get('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase()
  if (type === 'application/json') return { text, members: toBodyMembers(parseJson(text)), isForm: false }
  if (type !== 'application/x-www-form-urlencoded')
    throw new ApiError('UNSUPPORTED_MEDIA_TYPE', 'the body must be JSON, with Content-Type: application/json')
  if (/\0|%00/.test(text)) throw new ApiError('INVALID_REQUEST', 'the body must not contain NUL characters')
  return { text, members: {}, isForm: true }
}

/** The names of members that must be strings on all routes of Better Auth and its plugins. */
const TEXT_MEMBERS = /^(?:email|name|username|phoneNumber|code|otp|image|(?:new|current)?password|newEmail)$/i

function toBodyMembers(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new ApiError('INVALID_REQUEST', 'the body must be a JSON object')
  for (const [name, member] of Object.entries(value)) {
    if (typeof member === 'object' && member !== null && TEXT_MEMBERS.test(name))
      throw new ApiError('INVALID_REQUEST', `${name} must be a string`, {
        details: [{ code: 'INVALID_TYPE', message: 'must be a string', source: 'body', pointer: `/${name}` }],
      })
  }
  return { ...value }
}
