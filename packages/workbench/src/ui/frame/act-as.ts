import { endSessionOf, identity, signInAs } from '../data/identity.ts'
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

/** Ends the session that calls are made by: its token is refused from then on, wherever it was copied to. */
export async function stopActing(): Promise<void> {
  const before = identity.snapshot()
  try {
    await endSessionOf(identity)
    say(`The session of ${nameOf(before)} has ended`)
  } catch (error) {
    say(`The session of ${nameOf(before)} goes on: ${String(error)}`, 'bad')
  }
}
