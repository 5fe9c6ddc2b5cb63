import { identity, signInAs } from '../data/identity.ts'
import { say } from '../parts/toast.ts'
import { nameOf } from './identity-name.ts'

/** Makes all calls of the workbench as a user, from now on: by a real session of theirs. */
export async function actAs(userId: string): Promise<void> {
  try {
    const next = await signInAs(userId)
    identity.use(next)
    say(`Calls are made as ${nameOf(next)} now`)
  } catch (error) {
    say(`Cannot act as this user: ${String(error)}`, 'bad')
  }
}
