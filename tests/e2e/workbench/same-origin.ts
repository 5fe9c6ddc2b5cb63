import type { Page } from '@sdk/test-kit'
import { expect, it } from 'vitest'

/** A page with the open workbench, and the URL of the app. */
interface OpenPage {
  readonly page: Page
  readonly url: string
}

/** Tests that scripts of the app, which have the origin of the workbench, cannot use it. */
export function testSameOrigin(open: () => OpenPage): void {
  it('rejects scripts of the app on the same origin', async () => {
    const { page, url } = open()
    const app = await page.context().newPage()
    await app.route('**/of-the-app', (route) => route.fulfill({ contentType: 'text/html', body: '<p>A page</p>' }))
    await app.goto(`${url}/of-the-app`)
    const seen = await app.evaluate(async () => {
      const json = { 'content-type': 'application/json' }
      const calls = ['manifest', 'users', 'events', 'runs'].map((path) => fetch(`/_workbench/api/${path}`))
      const session = fetch('/_workbench/api/sessions', { method: 'POST', headers: json, body: '{"userId":"1"}' })
      const pages = ['/_workbench', '/_workbench/index.html', '/_workbench/runs'].map((path) => fetch(path))
      const responses = await Promise.all([...calls, session, ...pages])
      const frame = document.createElement('iframe')
      frame.src = '/_workbench'
      document.body.append(frame)
      await new Promise((resolve) => frame.addEventListener('load', resolve))
      return {
        statuses: responses.map(({ status }) => status),
        framed: frame.contentDocument?.documentElement.outerHTML ?? '',
        cookies: document.cookie,
      }
    })
    expect(seen.statuses).toEqual(Array(8).fill(403))
    expect(seen.framed).not.toContain('workbench-nonce')
    expect(seen.cookies).not.toContain('sdk_workbench')
    const [opened] = await Promise.all([
      page.context().waitForEvent('page'),
      app.evaluate(() => void Object.assign(globalThis, { opened: window.open('/_workbench') })),
    ])
    await opened.getByText('Connected', { exact: true }).waitFor()
    const reached = await app.evaluate(() => {
      const { opened: tab } = globalThis as unknown as { opened: Window | null }
      try {
        return tab?.document.documentElement.outerHTML ?? 'closed'
      } catch {
        return 'refused'
      }
    })
    expect(reached).not.toContain('workbench-nonce')
    await opened.close()
    await app.close()
  })
}
