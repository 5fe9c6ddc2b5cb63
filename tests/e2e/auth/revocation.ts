import { expect, it } from 'vitest'
import { soon } from '../soon.ts'
import type { Account, Failure } from './page.ts'
import { expectNoMix, type Tab } from './tab.ts'
import type { Stage } from './stage.ts'

/** Ends all sessions of a user except the one of this tab. */
type End = (tab: Tab, account: Account) => Promise<Failure | null>

const changePassword: End = (tab, { password }) =>
  tab.page.evaluate(
    (currentPassword) => window.auth.changePassword({ currentPassword, newPassword: `${currentPassword}!` }),
    password,
  )
const revoke: End = (tab) => tab.page.evaluate(() => window.auth.revokeOlder())

/** Tests that an open page does not outlive its session. */
export function testRevocation(stage: Stage): void {
  const ways: [name: string, end: End][] = [
    ['the password is changed', changePassword],
    ['the session is revoked', revoke],
  ]
  it.each(ways)('signs the user out and closes the socket with 4401 when %s on another device', async (_name, end) => {
    const { place, profile } = stage
    const ada = stage.newcomer('Ada')
    place.set('/account', { hasAccount: true })
    const tab = await profile.open(place.url)
    await tab.untilEmpty()
    await tab.signUp(ada)
    await tab.untilHas(ada)
    const other = await (await stage.elsewhere()).open(`${place.url}/account`)
    await other.untilEmpty()
    await other.signIn(ada)
    await other.untilHas(ada)
    expect(await tab.read('closes')).not.toContain(4401)

    expect(await end(other, ada)).toBeNull()
    await soon(async () => expect(await tab.read('closes')).toContain(4401))
    await tab.untilEmpty()
    await soon(async () => expect(await tab.read('cache')).not.toContain(' of '))
    expectNoMix(await tab.read('history'))
    // The tab that revoked them stays signed in.
    await other.untilHas(ada)
    const users = (await other.read('history')).map(({ user }) => user)
    expect(new Set(users.slice(users.indexOf(ada.email)))).toEqual(new Set([ada.email]))
    expect(place.guests.filter(({ isOpen }) => isOpen).map(({ who }) => who)).toEqual(
      expect.arrayContaining([ada.email, null]),
    )
    await tab.page.reload()
    await tab.untilEmpty()
  })
}
