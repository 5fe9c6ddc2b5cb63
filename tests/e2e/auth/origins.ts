import { expect, it } from 'vitest'
import { soon } from '../soon.ts'
import type { Stage } from './stage.ts'

/** Tests pages that are served by another origin than their server. */
export function testOrigins(stage: Stage): void {
  // One origin of the same site, for which browsers send cookies, and one of another site, for which they block them.
  it.each(['neighbour', 'foreigner'] as const)('signs up and opens a socket as the user on a %s origin', async (of) => {
    const { place, profile } = stage
    const ada = stage.newcomer('Ada')
    place.set('/kept', { baseUrl: place.url, persist: 'session' })
    const tab = await profile.open(`${place[of]}/kept`)
    await tab.untilEmpty()
    expect(await tab.signUp(ada)).toBeNull()
    await tab.untilHas(ada)
    await tab.page.reload()
    await tab.untilHas(ada)
    const cookies = await tab.page.context().cookies()
    expect(cookies).toHaveLength(of === 'neighbour' ? 1 : 0)

    expect(await tab.signOut()).toBeNull()
    await tab.untilEmpty()
    expect(await tab.page.evaluate(() => sessionStorage.length)).toBe(0)
    expect(await tab.signIn(ada)).toBeNull()
    await tab.untilHas(ada)
    await soon(() => expect(place.guests.filter(({ isOpen }) => isOpen).map(({ who }) => who)).toEqual([ada.email]))
  })

  it.each(['neighbour', 'foreigner'] as const)(
    'keeps a session over a reload without persist only if cookies are sent: on a %s origin',
    async (of) => {
      const { place, profile } = stage
      const ada = stage.newcomer('Ada')
      place.set('/plain', { baseUrl: place.url })
      const tab = await profile.open(`${place[of]}/plain`)
      await tab.untilEmpty()
      await tab.signUp(ada)
      await tab.untilHas(ada)
      expect(await tab.page.evaluate(() => sessionStorage.length)).toBe(0)
      await tab.page.reload()
      if (of === 'neighbour') await tab.untilHas(ada)
      else await tab.untilEmpty()
    },
  )

  it('rejects an untrusted origin', async () => {
    const { place, profile } = stage
    const ada = stage.newcomer('Ada')
    place.set('/kept', { baseUrl: place.url, persist: 'session' })
    stage.excuse(/blocked by CORS policy|net::ERR_FAILED|WebSocket connection to/)
    const tab = await profile.open(`${place.stranger}/kept`)
    await tab.until({ user: 'nobody', problem: 'NETWORK_ERROR', notes: '', socket: '' })
    expect(await tab.signUp(ada)).toMatchObject({ code: 'NETWORK_ERROR' })
    expect(await tab.signIn(ada)).toMatchObject({ code: 'NETWORK_ERROR' })
    expect(await tab.page.evaluate(() => sessionStorage.length)).toBe(0)
    expect(await tab.page.context().cookies()).toEqual([])
    expect(place.guests).toEqual([])

    // No account was created either.
    const own = await profile.open(place.url)
    expect(await own.signIn(ada)).toMatchObject({ code: 'INVALID_EMAIL_OR_PASSWORD' })
  })
}
