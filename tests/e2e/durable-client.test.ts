import { setTimeout as sleep } from 'node:timers/promises'
import {
  createAgent,
  createApp,
  createRouter,
  memoryRuns,
  serve,
  type Log,
  type ServeOptions,
  type Server,
} from '@sdk/server'
import { type Browser, hasChromium, shareBrowser, type Page } from '@sdk/test-kit'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { bundle, toHtml } from './bundle.ts'
import { userTokens } from './user-tokens.ts'

/** A page that shows the chunks of an answer as `data`, and as a log that `onChunk` and `onRetract` change. */
const PAGE = `
import { useState } from 'react'
import { createRoot } from 'react-dom/client'
import { AuthProvider, SdkProvider, useAPI } from '@sdk/react'

const state = { loading: false, user: { id: 'ada' }, token: 'ada', error: null }
let snapshot = state
const listeners = new Set()
const source = {
  snapshot: () => snapshot,
  subscribe: (listener) => (listeners.add(listener), () => listeners.delete(listener)),
  token: async () => snapshot.token,
}
window.signOut = () => {
  snapshot = { ...state, user: null, token: null }
  for (const listener of listeners) listener()
}
window.log = []

function Answer() {
  const { invoke, cancel, data, run, status, error } = useAPI('POST /agent/answer', {
    thread: location.hash.slice(1),
    onChunk: (chunk) => window.log.push(chunk),
    onRetract: (keep) => (window.log.length = keep),
  })
  return (
    <>
      <button onClick={() => invoke({})}>start</button>
      <button onClick={cancel}>stop</button>
      <output>{JSON.stringify({ text: data?.join(''), status, run: run?.status, error: error?.code })}</output>
    </>
  )
}

createRoot(document.getElementById('root')).render(
  <AuthProvider source={source}><SdkProvider><Answer /></SdkProvider></AuthProvider>
)
`

const CHUNKS = Array.from({ length: 30 }, (_, n) => `${n} `)
const WHOLE = CHUNKS.join('')

describe.skipIf(!hasChromium())('the runs of a durable agent in a browser', () => {
  const runs = memoryRuns()
  let html = ''
  let server: Server
  let browser: Browser
  let page: Page
  /** The requests with which the page continued a stream. */
  let resumed: string[] = []

  async function start(port = 0): Promise<void> {
    const quiet = (): void => {}
    const log: Log = { debug: quiet, info: quiet, warn: quiet, error: quiet }
    const answer = createAgent('answer', {
      durable: true,
      async *handler(ctx) {
        await ctx.step('plan', () => 1)
        for (const chunk of CHUNKS) {
          yield chunk
          await sleep(50)
        }
      },
    })
    const app = createApp({
      log,
      agents: [answer] as never,
      router: createRouter().use('/agent/*', userTokens),
      runs,
      rateLimit: false,
    })
    const options: ServeOptions = {
      port,
      signals: false,
      survive: false,
      fallback: (_, response) => response.setHeader('content-type', 'text/html; charset=utf-8').end(html),
    }
    server = await serve(app, options)
  }

  beforeAll(async () => {
    html = toHtml('Runs', await bundle({ files: { 'page.tsx': PAGE }, mode: 'production' }))
    ;[browser] = await Promise.all([shareBrowser(), start()])
  })
  afterEach(() => page.close())
  afterAll(async () => {
    await browser?.close()
    await server?.close({ grace: 100 })
  })

  async function open(thread: string): Promise<Page> {
    const opened = await browser.newPage()
    await opened.goto(`${server.url}/#${thread}`)
    return opened
  }

  async function begin(thread: string): Promise<void> {
    page = await open(thread)
    resumed = []
    page.on('request', (request) => request.url().includes('/chunks?at=') && resumed.push(request.url()))
    await page.getByRole('button', { name: 'start' }).click()
    await shows(page, '3 4 ')
  }

  async function shows(at: Page, text: string): Promise<void> {
    await at.getByRole('status').filter({ hasText: text }).waitFor()
  }

  async function showsWhole(at: Page): Promise<void> {
    await at.getByRole('status').filter({ hasText: 'success' }).waitFor()
    expect(JSON.parse(await at.getByRole('status').innerText())).toEqual({
      text: WHOLE,
      status: 'success',
      run: 'done',
    })
    expect(await at.evaluate('log')).toEqual(CHUNKS)
  }

  it('continue after a reload in the middle of an answer', async () => {
    await begin('reload')
    await page.reload()
    await shows(page, 'loading')
    await showsWhole(page)
  })

  it('are shown whole in a tab that is opened after their end', async () => {
    await begin('closed')
    await page.close()
    await sleep(2000)
    page = await open('closed')
    await showsWhole(page)
  })

  it('are shown in two tabs', async () => {
    await begin('tabs')
    const other = await open('tabs')
    await Promise.all([showsWhole(page), showsWhole(other)])
    await other.close()
  })

  it('continue when the browser is online again', async () => {
    await begin('offline')
    await page.context().setOffline(true)
    await sleep(500)
    await page.context().setOffline(false)
    await showsWhole(page)
    expect(resumed.length).toBeGreaterThan(0)
  })

  it('continue on a server that has been restarted, and are retracted to the last step', async () => {
    await begin('restart')
    const port = Number(new URL(server.url).port)
    await server.close({ grace: 0 })
    await start(port)
    await showsWhole(page)
    expect(resumed.length).toBeGreaterThan(0)
  })

  it('are resumed by EventSource, which removes retracted chunks and stops at the end', async () => {
    page = await open('source')
    await page.evaluate(`(async () => {
      const response = await fetch('/agent/answer', { method: 'POST' })
      const source = new EventSource('/agent/answer/runs/' + response.headers.get('run-id') + '/chunks')
      window.source = source
      source.onopen = () => (window.opened = (window.opened ?? 0) + 1)
      source.onmessage = ({ data }) => log.push(JSON.parse(data))
      source.addEventListener('retract', ({ data }) => (log.length = JSON.parse(data).keep))
    })()`)
    await expect.poll(() => page.evaluate('log.length')).toBeGreaterThan(3)
    const port = Number(new URL(server.url).port)
    await server.close({ grace: 0 })
    await start(port)
    await expect.poll(() => page.evaluate('source.readyState')).toBe(2)
    expect(await page.evaluate('log')).toEqual(CHUNKS)
    expect(await page.evaluate('opened')).toBeGreaterThan(1)
  })

  it('are gone for a user who has signed out', async () => {
    await begin('out')
    await page.evaluate('signOut()')
    await shows(page, '{"status":"idle"}')
    await sleep(300)
    await shows(page, '{"status":"idle"}')
  })

  it('are cancelled by cancel, and not shown again', async () => {
    await begin('cancel')
    await page.getByRole('button', { name: 'stop' }).click()
    await shows(page, '"run":"cancelled"')
    await page.reload()
    await sleep(500)
    await shows(page, '{"status":"idle"}')
  })

  it('are cancelled by cancel before the response arrives', async () => {
    page = await open('early')
    // In one task, so that the request is not even sent when it is cancelled.
    await page.evaluate('for (const button of document.querySelectorAll("button")) button.click()')
    const of = { userId: 'ada' }
    const statuses = async (): Promise<string[]> =>
      (await runs.list({ agent: 'answer', of, thread: 'early', limit: 10, after: null })).map(({ status }) => status)
    await expect.poll(statuses).toEqual(['cancelled'])
    await shows(page, '"status":"idle"')
  })
})
