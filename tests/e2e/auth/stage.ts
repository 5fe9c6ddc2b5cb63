import { type Browser, shareBrowser, type Page } from '@sdk/test-kit'
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest'
import { openTab, type Tab } from './tab.ts'
import type { Account } from './page.ts'
import { type Place, startPlace } from './server.ts'

/** A browser of one user: its tabs share cookies. */
export interface Profile {
  open(url: string): Promise<Tab>
}

/** The environment of a test. */
export interface Stage {
  readonly place: Place
  /** The browser of this test. */
  readonly profile: Profile
  /** A browser on another device. */
  elsewhere(): Promise<Profile>
  /** Returns a user without an account. */
  newcomer(name: string): Account
  /** Allows this console message until the end of the test. */
  excuse(warning: RegExp): void
}

/** Messages that browsers log for unsuccessful responses. */
const REFUSED = 'Failed to load resource: the server responded with a status of 401 (Unauthorized)'

/**
 * Sets up the environment of all tests in a `describe`. After each test, no page may have logged an error, and no
 * password, token or cookie may be readable by others.
 */
export function setStage(): Stage {
  const stage = {} as { -readonly [Key in keyof Stage]: Stage[Key] }
  const profiles: { close(): Promise<void> }[] = []
  const tabs: Tab[] = []
  const passwords: string[] = []
  const excuses: RegExp[] = []
  const recorded = { urls: [] as string[], warnings: [] as string[], console: [] as string[] }
  let browser: Browser

  beforeAll(async () => {
    ;[stage.place, browser] = await Promise.all([startPlace(), shareBrowser()])
  })
  afterAll(async () => {
    await browser?.close()
    await stage.place?.close()
  })
  beforeEach(async () => {
    stage.profile = await stage.elsewhere()
  })
  afterEach(async () => {
    const stored = await Promise.all(tabs.splice(0).map((tab) => tab.stored()))
    for (const profile of profiles.splice(0)) await profile.close()
    const { credentials, lines, guests } = stage.place
    const secrets = [...credentials, ...passwords.splice(0)]
    const open = [recorded.urls, recorded.console, lines, stored].map((list) => list.splice(0).join('\n'))
    const found = secrets.filter((secret) => open.some((text) => text.includes(secret)))
    expect(found).toEqual([])
    // Checks that the search itself finds credentials.
    expect(secrets).not.toEqual([])
    if (guests.some(({ who }) => who !== null)) expect(credentials.size).toBeGreaterThan(1)
    expect(open[0]).toMatch(guests.length > 0 ? /^ws:/m : /^http:/m)
    expect(open[2]).toContain('/api/')
    credentials.clear()
    guests.length = 0
    const excused = excuses.splice(0)
    const warnings = recorded.warnings.splice(0)
    expect(warnings.filter((text) => !excused.some((excuse) => excuse.test(text)))).toEqual([])
  })

  stage.elsewhere = async () => {
    const context = await browser.newContext()
    profiles.push(context)
    return {
      async open(url) {
        const page = await context.newPage()
        listen(page)
        const tab = await openTab(page, url)
        tabs.push(tab)
        return tab
      },
    }
  }
  stage.newcomer = (name) => {
    // The same text in a URL, in JSON and in a log.
    const password = crypto.randomUUID()
    passwords.push(password)
    return { name, email: `${name.toLowerCase()}-${crypto.randomUUID().slice(0, 8)}@example.com`, password }
  }
  stage.excuse = (warning) => void excuses.push(warning)
  return stage

  function listen(page: Page): void {
    page.on('request', (request) => recorded.urls.push(request.url()))
    page.on('websocket', (socket) => recorded.urls.push(socket.url()))
    page.on('framenavigated', (frame) => recorded.urls.push(frame.url()))
    page.on('pageerror', (error) => recorded.warnings.push(String(error)))
    page.on('console', (message) => {
      recorded.console.push(message.text())
      const isWarning = ['error', 'warning'].includes(message.type())
      if (isWarning && message.text() !== REFUSED) recorded.warnings.push(message.text())
    })
  }
}
