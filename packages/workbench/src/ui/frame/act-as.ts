import { endSessionOf, identity, signInAs } from '../data/identity.ts'
import { showToast } from '../components/toast.ts'
import { identityName } from './identity-name.ts'

/** Opens a real session for a user and uses it for all further calls. */
export async function actAs(userId: string): Promise<void> {
  try {
    const next = await signInAs(userId)
    identity.use(next)
    showToast(`Calls are now made as ${identityName(next)}`)
  } catch (error) {
    showToast(`Cannot act as this user: ${String(error)}`, 'bad')
  }
}

/** Ends the session used for calls. The app rejects its token from then on. */
export async function stopActing(): Promise<void> {
  const before = identity.snapshot()
  try {
    await endSessionOf(identity)
    showToast(`Ended the session for ${identityName(before)}`)
  } catch (error) {
    showToast(`Cannot end the session for ${identityName(before)}: ${String(error)}`, 'bad')
  }
}
