import { runWithTransaction } from '@better-auth/core/context'
import { findSqlError } from '@sdk/database'
import type { AuthContext } from 'better-auth'
import { APIError } from 'better-auth/api'

/**
 * Makes Better Auth delete a user and all of the user's sessions and credentials in one transaction. Responds with 409
 * if other rows still reference the user.
 */
export function deleteUsersInTransaction({ adapter, internalAdapter }: AuthContext): void {
  const { deleteUser } = internalAdapter
  internalAdapter.deleteUser = async (id) => {
    try {
      await runWithTransaction(adapter, () => deleteUser(id))
    } catch (error) {
      throw isReferenced(error) ? APIError.from('CONFLICT', USER_REFERENCED) : error
    }
  }
}

const USER_REFERENCED = { code: 'CONFLICT', message: 'other rows still reference the user' }

function isReferenced(error: unknown): boolean {
  const code = findSqlError(error)?.code
  return code === '23503' || code === '23001'
}
