import { expect, it } from 'vitest'
import { soon } from '../soon.ts'
import type { Account } from './page.ts'
import { expectNoMix, type Tab } from './tab.ts'
import type { Stage } from './stage.ts'

const WAYS = [
  {
    name: 'the password is changed',
    end: (tab: Tab, { password }: Account) =>
      tab.page.evaluate(
        (currentPassword) => window.auth.changePassword({ currentPassword, newPassword: `${currentPassword}!` }),
        password,
      ),
  },
  { name: 'the session is revoked', end: (tab: Tab) => tab.page.evaluate(() => window.auth.revokeOlder()) },
]

/** A page that is open does not outlive its session. */
export function sessionsEnd(stage: Stage): void {
  it.each(WAYS)('shows nobody, and its socket closes with 4401, when elsewhere $name', async ({ end }) => {
    const { place, profile } = stage
    const ada = stage.newcomer('Ada')
    place.set('/account', { hasAccount: true })
    const tab = await profile.open(place.url)
    await tab.signUp(ada)
    await tab.untilHas(ada)
    const other = await (await stage.elsewhere()).open(`${place.url}/account`)
    await other.signIn(ada)
    await other.untilHas(ada)
    const before = await tab.read('closes')
    expect(before).not.toContain(4401)

    expect(await end(other, ada)).toBeNull()
    await soon(async () => expect(await tab.read('closes')).toContain(4401))
    await tab.untilEmpty()
    await soon(async () => expect(await tab.read('cache')).not.toContain(' of '))
    expectNoMix(await tab.read('history'))
    // Whoever did it stays, without a moment as nobody.
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
