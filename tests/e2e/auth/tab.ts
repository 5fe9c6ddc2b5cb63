import type { Page } from '@sdk/test-kit'
import { expect } from 'vitest'
import { soon } from '../soon.ts'
import type { Account, AuthPage, Failure, Sight } from './page.ts'

/** A tab with the page. */
export interface Tab {
  readonly page: Page
  signUp(account: Account): Promise<Failure | null>
  signIn(account: Account): Promise<Failure | null>
  signOut(): Promise<Failure | null>
  /** Waits until the page shows this. */
  until(sight: Partial<Sight>): Promise<void>
  /** Waits until the page shows all data of this user. */
  untilHas(account: Account): Promise<void>
  /** Waits until the page shows no user and no data. */
  untilEmpty(): Promise<void>
  read<K extends 'history' | 'cache' | 'closes'>(what: K): Promise<ReturnType<AuthPage[K]>>
  /** Returns everything that a script can find in storage or in a URL. */
  stored(): Promise<string>
}

/** Loads the page in a tab. */
export async function openTab(page: Page, url: string): Promise<Tab> {
  await page.goto(url)
  const until: Tab['until'] = (sight) =>
    soon(async () => expect(await page.evaluate(() => window.auth.see())).toMatchObject(sight))
  return {
    page,
    signUp: (account) => page.evaluate((it) => window.auth.signUp(it), account),
    signIn: (account) => page.evaluate((it) => window.auth.signIn(it), account),
    signOut: () => page.evaluate(() => window.auth.signOut()),
    until,
    untilHas: ({ email }) =>
      until({ user: email, secret: `the secret of ${email}`, notes: `a note of ${email}`, socket: email }),
    untilEmpty: () => until({ user: 'nobody', secret: 'UNAUTHORIZED', notes: '', socket: 'a guest' }),
    read: (what) => page.evaluate((it) => window.auth[it]() as never, what),
    stored: () =>
      page.evaluate(() =>
        JSON.stringify([Object.entries(localStorage), document.cookie, location.href, document.title]),
      ),
  }
}

/** Expects that data of one user was never shown to another user or to guests. */
export function expectNoMix(history: readonly Sight[]): void {
  expect(history.length).toBeGreaterThan(0)
  for (const { user, secret, notes, socket } of history)
    for (const text of [secret, notes, socket])
      for (const [email] of text.matchAll(/\S+@\S+/g))
        expect({ user, secret, notes, socket, of: email }).toMatchObject({ of: user })
}
