import { endSessionOf, identity, signInAs } from '../data/identity.ts'
import { say } from '../parts/toast.ts'
import { nameOf } from './identity-name.ts'

/** Makes all calls of the workbench as a user from now on, with a real session. */
export async function actAs(userId: string): Promise<void> {
  try {
    const next = await signInAs(userId)
    identity.use(next)
    say(`Calls are made as ${nameOf(next)} now`)
  } catch (error) {
    say(`Cannot act as this user: ${String(error)}`, 'bad')
  }
}

/** Ends the session that calls are made with. The app refuses its token from then on. */
export async function stopActing(): Promise<void> {
  const before = identity.snapshot()
  try {
    await endSessionOf(identity)
    say(`The session of ${nameOf(before)} has ended`)
  } catch (error) {
    say(`The session of ${nameOf(before)} goes on: ${String(error)}`, 'bad')
  }
}
