import { useAPI } from '@sdk/react'
import { identity } from '../data/identity.ts'
import { say } from '../parts/toast.ts'

/** Makes all calls of the workbench as a user, from now on: by a real session of theirs. */
export function useActAs(): (userId: string) => Promise<void> {
  const { invoke } = useAPI('POST /_workbench/api/sessions')
  return (userId) =>
    invoke({ userId }).then(
      ({ user, token }) => {
        identity.use({ kind: 'user', user, token })
        say(`Calls are made as ${user.name} now`)
      },
      (error: unknown) => say(`Cannot act as this user: ${String(error)}`, 'bad'),
    )
}
