import { findSqlError } from '@sdk/database'
import { type AuthContext, BASE_ERROR_CODES } from 'better-auth'
import { APIError } from 'better-auth/api'

type Writer = (...args: never[]) => Promise<unknown>

const WRITERS = ['createUser', 'createOAuthUser', 'updateUser'] as const

/** Converts unique violations to errors with the field's name, which Better Auth's 422 and 500 responses omit. */
export function nameTakenFields({ internalAdapter, options }: AuthContext): void {
  const fields = Object.entries(options.user?.additionalFields ?? {})
  const names = ['email', ...fields.filter(([, { unique }]) => unique === true).map(([name]) => name)]
  const writers = internalAdapter as unknown as Record<(typeof WRITERS)[number], Writer>
  for (const name of WRITERS) {
    const write = writers[name]
    writers[name] = async (...args) => {
      try {
        return await write(...args)
      } catch (error) {
        const field = findTakenField(error, names)
        throw field === undefined ? error : takenField(field)
      }
    }
  }
}

/** Creates the error for a value that is already used by another user. */
export function takenField(field: string): APIError {
  if (field === 'email')
    return APIError.from('UNPROCESSABLE_ENTITY', BASE_ERROR_CODES.USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL)
  return APIError.from('UNPROCESSABLE_ENTITY', { code: 'FIELD_TAKEN', message: `${field} is taken` })
}

/**
 * Finds the field by the error's key, such as `Key (nick_name)=(Ada) already exists.`, or by its constraint, such as
 * `user_nickName_key`.
 */
function findTakenField(error: unknown, names: readonly string[]): string | undefined {
  const sql = findSqlError(error)
  if (sql?.code !== '23505') return undefined
  const [, column = ''] = /\((.*?)\)=\(/s.exec(String(sql.detail)) ?? []
  const constraint = lettersOf(String(sql.constraint))
  return (
    names.find((name) => lettersOf(column) === lettersOf(name)) ??
    names.find((name) => constraint.includes(lettersOf(name)))
  )
}

function lettersOf(name: string): string {
  return name.replaceAll(/[^a-z0-9]/gi, '').toLowerCase()
}
