import { type ErrorDetail, toPointer } from '@sdk/protocol'

type FieldIssue = Pick<ErrorDetail, 'code' | 'message'> & { readonly min?: number; readonly max?: number }

/** Better Auth's limits on the length of a password. */
const PASSWORD_LENGTH = { min: 8, max: 128 }

const FIELD_ISSUES: Readonly<Record<string, FieldIssue & { readonly field: string }>> = {
  INVALID_EMAIL: { field: 'email', code: 'INVALID_FORMAT', message: 'must be an email address' },
  USER_ALREADY_EXISTS: { field: 'email', code: 'NOT_UNIQUE', message: 'is taken' },
  USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL: { field: 'email', code: 'NOT_UNIQUE', message: 'is taken' },
  PASSWORD_TOO_SHORT: { field: 'password', ...tooShort(PASSWORD_LENGTH.min) },
  PASSWORD_TOO_LONG: { field: 'password', ...tooLong(PASSWORD_LENGTH.max) },
}

/** Converts a Better Auth error to details about the fields of the request body. */
export function toIssueDetails(
  { code, message }: Readonly<Record<string, unknown>>,
  body: Readonly<Record<string, unknown>>,
): ErrorDetail[] {
  if (typeof code !== 'string') return []
  if (typeof message === 'string') {
    if (code === 'VALIDATION_ERROR') return readIssues(message, body)
    if (code === 'MISSING_FIELD' || code === 'FIELD_TAKEN') return readUserFieldIssue(message)
  }
  if (!Object.hasOwn(FIELD_ISSUES, code)) return []
  const { field, ...fieldIssue } = FIELD_ISSUES[code] as FieldIssue & { field: string }
  const isNew = field === 'password' && Object.hasOwn(body, 'newPassword')
  return [toIssueDetail([isNew ? 'newPassword' : field], fieldIssue)]
}

/** Parses the issues in a message such as `[body.email] Invalid email address; [body.name] Invalid input: …`. */
function readIssues(text: string, body: Readonly<Record<string, unknown>>): ErrorDetail[] {
  return text.split(/; (?=\[body\b)/).flatMap((issue) => {
    const [, path, message] = /^\[body\.([^\]]+)\] (.+)$/s.exec(issue) ?? []
    if (path === undefined || message === undefined) return []
    const keys = path.split('.')
    const isMissing = keys.length === 1 && !Object.hasOwn(body, path)
    return [toIssueDetail(keys, isMissing ? { code: 'REQUIRED', message: 'is required' } : toFieldIssue(message))]
  })
}

/** Parses a message about a missing or taken user field, such as `country is required`. */
function readUserFieldIssue(text: string): ErrorDetail[] {
  const [, field, problem] = /^(\w+) (is required|is taken)$/.exec(text) ?? []
  if (field === undefined || problem === undefined) return []
  return [toIssueDetail([field], { code: problem === 'is taken' ? 'NOT_UNIQUE' : 'REQUIRED', message: problem })]
}

function toFieldIssue(message: string): FieldIssue {
  const [, side, limit] = /^Too (small|big): expected string to have [<>]=(\d+)/.exec(message) ?? []
  if (limit !== undefined) return side === 'small' ? tooShort(Number(limit)) : tooLong(Number(limit))
  if (message.startsWith('Invalid email')) return { code: 'INVALID_FORMAT', message: 'must be an email address' }
  const [, type] = /^Invalid input: expected (\w+)/.exec(message) ?? []
  if (type !== undefined)
    return { code: 'INVALID_TYPE', message: `must be ${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type}` }
  return { code: 'INVALID_VALUE', message: message }
}

function tooShort(min: number): FieldIssue {
  return { code: 'TOO_SHORT', message: `must have at least ${min} ${min === 1 ? 'character' : 'characters'}`, min }
}

function tooLong(max: number): FieldIssue {
  return { code: 'TOO_LONG', message: `must have at most ${max} characters`, max }
}

function toIssueDetail(keys: readonly string[], { code, message, ...limits }: FieldIssue): ErrorDetail {
  return { code, message, source: 'body', pointer: toPointer(keys), ...limits }
}
