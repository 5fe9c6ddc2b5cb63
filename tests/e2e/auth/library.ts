import { expect, it } from 'vitest'
import { soon } from '../soon.ts'
import type { Stage } from './stage.ts'
import type { Tab } from './tab.ts'

/** The result of a function of the library's client. */
interface Outcome {
  readonly data: unknown
  readonly error: { readonly code: string; readonly status: number } | null
}

/** `createAuthClient` of `better-auth/react`, unmodified, on our routes. */
export function testLibraryClient(stage: Stage): void {
  it("supports sign-up, sign-in, sign-out and the session with Better Auth's own client", async () => {
    const { place, profile } = stage
    const { name, email, password } = stage.newcomer('Kim')
    const tab = await profile.open(`${place.url}/library`)
    await untilUser(tab, 'nobody')
    expect(await call(tab, 'signUp.email', { name, email, password })).toMatchObject({
      data: { user: { name, email } },
      error: null,
    })
    await untilUser(tab, email)
    expect(await call(tab, 'getSession')).toMatchObject({ data: { user: { email }, session: {} }, error: null })
    expect(await call(tab, 'updateUser', { name: 'Kimberley' })).toMatchObject({ data: { status: true }, error: null })
    expect(await call(tab, 'getSession')).toMatchObject({ data: { user: { name: 'Kimberley' } } })
    await tab.page.reload()
    await untilUser(tab, email)

    expect(await call(tab, 'signOut')).toMatchObject({ data: { success: true }, error: null })
    await untilUser(tab, 'nobody')
    expect(await call(tab, 'getSession')).toMatchObject({ data: null, error: null })
    const wrong = { email, password: 'wrong password' }
    expect(await call(tab, 'signIn.email', wrong)).toMatchObject({
      data: null,
      error: { code: 'INVALID_EMAIL_OR_PASSWORD', status: 401 },
    })
    expect(await call(tab, 'signIn.email', { email, password })).toMatchObject({ data: { user: { email } } })
    await untilUser(tab, email)
  })

  it("supports revoking sessions by id and changing the password with Better Auth's own client", async () => {
    const { place, profile } = stage
    const { name, email, password } = stage.newcomer('Kim')
    const tab = await profile.open(`${place.url}/library`)
    await call(tab, 'signUp.email', { name, email, password })
    const other = await (await stage.elsewhere()).open(`${place.url}/library`)
    await call(other, 'signIn.email', { email, password })
    await untilUser(other, email)

    const { data } = await call(tab, 'listSessions')
    const sessions = data as { id: string }[]
    expect(sessions).toHaveLength(2)
    expect(JSON.stringify(sessions)).not.toContain('"token"')
    const own = (await call(tab, 'getSession')) as { data: { session: { id: string } } }
    const theirs = sessions.find(({ id }) => id !== own.data.session.id)
    // The library ends sessions by token, and we do not expose tokens.
    expect(await call(tab, 'revokeSession', { token: 'x' })).toMatchObject({ error: { status: 400 } })
    expect(await call(tab, 'revokeSession', { id: theirs?.id })).toMatchObject({ data: { status: true } })
    expect(await call(other, 'getSession')).toMatchObject({ data: null })

    await call(other, 'signIn.email', { email, password })
    const change = { currentPassword: password, newPassword: `${password}!`, revokeOtherSessions: true }
    expect(await call(tab, 'changePassword', change)).toMatchObject({ error: null })
    expect(await call(tab, 'getSession')).toMatchObject({ data: { user: { email } } })
    expect(await call(other, 'getSession')).toMatchObject({ data: null })
    expect(await call(other, 'signIn.email', { email, password })).toMatchObject({ error: { status: 401 } })
    await call(other, 'signIn.email', { email, password: `${password}!` })
    expect(await call(tab, 'revokeOtherSessions')).toMatchObject({ data: { status: true } })
    expect(await call(tab, 'listSessions')).toMatchObject({ data: [{}] })
    stage.excuse(/status of 400/)
  })
}

/** Calls a function of the client, such as `signIn.email`. */
function call(tab: Tab, name: string, body?: object): Promise<Outcome> {
  return tab.page.evaluate(
    ([path, input]) => {
      type Part = { [name: string]: Part } & ((body?: object) => Promise<Outcome>)
      const part = path.split('.').reduce((one, key) => one[key] as Part, Reflect.get(window, 'client') as Part)
      return part(input)
    },
    [name, body] as const,
  )
}

function untilUser({ page }: Tab, user: string): Promise<void> {
  return soon(async () => expect(await page.textContent('#user')).toBe(user))
}
