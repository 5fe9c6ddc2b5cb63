import { hasChromium, launchBrowser, type Browser } from '@sdk/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTaskService, type TaskService } from './offline/service.ts'

/** Keeps the queue locked until `release` is called, as a slow disk or another tab does. */
const HOLD_QUEUE = `(async () => {
  const [{ name }] = (await indexedDB.databases()).filter((one) => one.name.startsWith('sdk-outbox'))
  const opening = indexedDB.open(name)
  await new Promise((resolve) => (opening.onsuccess = resolve))
  const store = opening.result.transaction(['waiting', 'failed', 'results'], 'readwrite').objectStore('waiting')
  let isHeld = true
  window.release = () => void (isHeld = false)
  const hold = () => isHeld && (store.count().onsuccess = hold)
  hold()
})()`

/** Records the token of each mutation. */
const RECORD_TOKENS = `{
  const send = window.fetch
  window.tokens = []
  window.fetch = (url, init) => {
    if (init?.method === 'POST') tokens.push(new Headers(init.headers).get('authorization'))
    return send(url, init)
  }
}`

describe.skipIf(!hasChromium())('mutations with offline: true of several users', () => {
  let browser: Browser
  let service: TaskService
  beforeAll(async () => {
    ;[browser, service] = await Promise.all([launchBrowser(), startTaskService()])
  })
  afterAll(async () => {
    await browser?.close()
    await service?.close()
  })

  it('are not sent as a user who signs in while the queue is read', async () => {
    const context = await browser.newContext()
    const page = await context.newPage()
    await page.goto(`${service.url}/#ada`)
    await page.waitForFunction('window.app')
    await page.evaluate(RECORD_TOKENS)
    await context.setOffline(true)
    await page.evaluate(`void app.create({ n: 1 })`)
    await expect.poll(() => page.evaluate('app.items().length')).toBe(1)
    await page.evaluate(HOLD_QUEUE)
    await context.setOffline(false)
    // The queue of Ada begins to be read.
    await expect.poll(() => page.evaluate('navigator.locks.query().then(({ held }) => held.length)')).toBe(1)
    await page.evaluate(`app.become('bob')`)
    await page.evaluate('release()')
    await page.evaluate(`void app.create({ n: 2 })`)
    await expect.poll(() => service.log.includes(2)).toBe(true)
    await page.evaluate(`app.become('ada')`)
    await expect.poll(() => service.log.includes(1)).toBe(true)
    expect(await page.evaluate('tokens')).toEqual(['Bearer bob', 'Bearer ada'])
    expect(service.log).toEqual([2, 1])
    await context.close()
  })
})
