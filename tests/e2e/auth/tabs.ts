import { expect, it } from 'vitest'
import { soon } from '../soon.ts'
import { expectNoMix } from './tab.ts'
import type { Stage } from './stage.ts'

/** Tests that sign-in and sign-out in one tab apply to all tabs. */
export function testTabs(stage: Stage): void {
  it('applies a sign-in to all tabs and keeps it over a reload', async () => {
    const { place, profile } = stage
    const ada = stage.newcomer('Ada')
    const [first, second] = [await profile.open(place.url), await profile.open(place.url)]
    for (const tab of [first, second]) await tab.untilEmpty()
    expect(await first.signUp(ada)).toBeNull()
    for (const tab of [first, second]) await tab.untilHas(ada)
    expectNoMix(await second.read('history'))
    // Scripts cannot read the cookie, and the token is only in memory.
    const [cookie, ...others] = await first.page.context().cookies()
    expect(others).toEqual([])
    expect(cookie).toMatchObject({ name: 'sdk.session_token', httpOnly: true, sameSite: 'Lax', path: '/' })
    expect(await first.page.evaluate(() => localStorage.length + sessionStorage.length)).toBe(0)

    await second.page.reload()
    await second.untilHas(ada)
    const [earliest] = await second.read('history')
    expect(earliest).toMatchObject({ user: 'loading', secret: '', notes: '', socket: '' })
    // No request was sent while the user was unknown.
    expect((await second.read('history')).map(({ secret }) => secret)).not.toContain('UNAUTHORIZED')
    expect(place.guests.filter(({ isOpen }) => isOpen).map(({ who }) => who)).toEqual([ada.email, ada.email])
  })

  it('clears the user, data and sockets of all tabs on sign-out', async () => {
    const { place, profile } = stage
    const ada = stage.newcomer('Ada')
    const [first, second] = [await profile.open(place.url), await profile.open(place.url)]
    for (const tab of [first, second]) await tab.untilEmpty()
    await first.signUp(ada)
    for (const tab of [first, second]) await tab.untilHas(ada)
    expect(await first.read('cache')).toContain(`a note of ${ada.email}`)

    expect(await second.signOut()).toBeNull()
    for (const tab of [first, second]) {
      await tab.untilEmpty()
      await soon(async () => expect(await tab.read('cache')).not.toContain(' of '))
      expectNoMix(await tab.read('history'))
    }
    const open = (): (string | null)[] => place.guests.filter(({ isOpen }) => isOpen).map(({ who }) => who)
    await soon(() => expect(open()).toEqual([null, null]))
  })

  it('does not show data of one user to the next in any tab', async () => {
    const { place, profile } = stage
    const [ada, bob] = [stage.newcomer('Ada'), stage.newcomer('Bob')]
    const [first, second] = [await profile.open(place.url), await profile.open(place.url)]
    for (const tab of [first, second]) await tab.untilEmpty()
    await first.signUp(ada)
    for (const tab of [first, second]) await tab.untilHas(ada)
    await second.signOut()
    for (const tab of [first, second]) await tab.untilEmpty()
    expect(await first.signUp(bob)).toBeNull()
    for (const tab of [first, second]) await tab.untilHas(bob)
    // Also if the previous user has not signed out.
    expect(await second.signIn(ada)).toBeNull()
    for (const tab of [first, second]) {
      await tab.untilHas(ada)
      await soon(async () => expect(await tab.read('cache')).not.toContain(bob.email))
      expectNoMix(await tab.read('history'))
    }
    await soon(() =>
      expect(place.guests.filter(({ isOpen }) => isOpen).map(({ who }) => who)).toEqual([ada.email, ada.email]),
    )
  })

  it('shows the error of a failed sign-in and keeps the current user', async () => {
    const { place, profile } = stage
    const tab = await profile.open(place.url)
    const ada = stage.newcomer('Ada')
    await tab.untilEmpty()
    const failure = { code: 'INVALID_EMAIL_OR_PASSWORD', status: 401 }
    expect(await tab.signIn(ada)).toMatchObject(failure)
    await tab.until({ user: 'nobody', problem: failure.code })
    await tab.signUp(ada)
    await tab.untilHas(ada)
    expect(await tab.signIn({ ...ada, password: 'wrong password' })).toMatchObject(failure)
    await tab.until({ user: ada.email, problem: failure.code })
  })
}
