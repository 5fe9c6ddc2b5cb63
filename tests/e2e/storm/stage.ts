import { type Browser, launchBrowser, type Page } from '@sdk/test-kit'
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest'
import type { Account } from '../auth/page.ts'
import { soon } from '../soon.ts'
import type { Sight, View } from './page.ts'
import { type Place, startPlace } from './server.ts'

/** A tab with the page. */
export interface Tab {
  readonly page: Page
  signUp(account: Account): Promise<void>
  signIn(account: Account): Promise<void>
  signOut(): Promise<void>
  show(view: View, how?: 'in a transition'): Promise<void>
  /** Waits until the page shows this user and these texts. */
  until(user: string, texts: readonly string[]): Promise<void>
}

/** The environment of a test. */
export interface Stage {
  readonly place: Place
  /** Opens the page in the browser of this test, whose tabs share cookies. */
  open(): Promise<Tab>
  newcomer(name: string): Account
}

/** Messages that browsers log for failed requests. */
const NETWORK = /^Failed to load resource|^WebSocket connection to/

/**
 * Sets up the environment of all tests in a `describe`. After each test, no page has logged an error or shown data of
 * another user.
 */
export function setStage(): Stage {
  const stage = {} as { -readonly [Key in keyof Stage]: Stage[Key] }
  const pages: Page[] = []
  const warnings: string[] = []
  let browser: Browser
  let context: Awaited<ReturnType<Browser['newContext']>>

  beforeAll(async () => {
    ;[stage.place, browser] = await Promise.all([startPlace(), launchBrowser({ backForwardCache: true })])
  })
  afterAll(async () => {
    await browser?.close()
    await stage.place?.close()
  })
  beforeEach(async () => {
    stage.place.visits.length = 0
    stage.place.release()
    context = await browser.newContext()
  })
  afterEach(async () => {
    for (const page of pages.splice(0)) {
      const [shown, received] = await page.evaluate(() => [window.storm.history(), window.storm.received()] as const)
      for (const { user, texts } of shown) expectOwn(user, texts)
      for (const { user, text } of received) expectOwn(user, [text])
    }
    await context.close()
    expect(warnings.splice(0)).toEqual([])
  })

  stage.open = async () => {
    const page = await context.newPage()
    pages.push(page)
    page.on('pageerror', (error) => warnings.push(String(error)))
    page.on('console', (message) => {
      const isWarning = ['error', 'warning'].includes(message.type())
      if (isWarning && !NETWORK.test(message.text())) warnings.push(message.text())
    })
    await page.goto(stage.place.url)
    return toTab(page)
  }
  stage.newcomer = (name) => {
    const email = `${name.toLowerCase()}-${crypto.randomUUID().slice(0, 8)}@example.com`
    return { name, email, password: crypto.randomUUID() }
  }
  return stage
}

function toTab(page: Page): Tab {
  return {
    page,
    signUp: (account) => page.evaluate((it) => window.storm.signUp(it), account),
    signIn: (account) => page.evaluate((it) => window.storm.signIn(it), account),
    signOut: () => page.evaluate(() => window.storm.signOut()),
    show: (view, how) => page.evaluate(([it, isLater]) => window.storm.show(it, isLater), [view, !!how] as const),
    until: (user, texts) =>
      soon(async () => {
        const seen: Sight = await page.evaluate(() => window.storm.see())
        expect([seen.user, seen.texts]).toEqual([user, texts])
      }),
  }
}

/** Expects that none of these texts belongs to another user. */
function expectOwn(user: string, texts: readonly string[]): void {
  for (const text of texts) expect({ user, text, of: /\S+@\S+/.exec(text)?.[0] ?? user }).toMatchObject({ of: user })
}
