import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  type Browser,
  freePort,
  hasChromium,
  shareBrowser,
  type NodeProcess,
  openQuietPage,
  type QuietPage,
  type Service,
  spawnNode,
  temporaryFolder,
} from '@sdk/test-kit'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { DRIVERS } from '../contract/drivers.ts'
import { bundle, toHtml } from './bundle.ts'
import { type ClientView, PAGE } from './restart/page.ts'
import type { ProcessOptions } from './restart/server.ts'
import { soon } from './soon.ts'

const CLIENTS = 20
// The last one starts fastest.
const driver = DRIVERS.at(-1)

describe.skipIf(!hasChromium() || driver === undefined)('sockets of a restarted service in a browser', () => {
  const folder = temporaryFolder('restart')
  const processes: NodeProcess[] = []
  let current: NodeProcess
  let engine: Service
  let browser: Browser
  let options: ProcessOptions
  let page: QuietPage

  beforeAll(async () => {
    const file = join(folder.path, 'page.html')
    writeFileSync(file, toHtml('Restart', await bundle({ files: { 'page.tsx': PAGE }, mode: 'production' })))
    ;[engine, browser] = await Promise.all([driver?.start() as Promise<Service>, shareBrowser()])
    options = { port: await freePort(), engine: engine.url, page: file }
    current = await begin(await standBy())
  })
  afterEach(async () => {
    await page?.close()
    const printed = processes.map((one) => one.output().replaceAll(/standing by\n|http:\S+\n/g, ''))
    expect(printed.join('')).toBe('')
  })
  afterAll(async () => {
    await browser?.close()
    await Promise.all(processes.map((one) => one.kill()))
    await engine?.stop()
    folder.remove()
  })

  it(`show no change of status and lose no message in ${CLIENTS} clients`, async () => {
    const next = await standBy()
    page = await openQuietPage(browser, `http://127.0.0.1:${options.port}`)
    await page.run((count) => window.restart.talk(count), CLIENTS)
    await soon(async () => expect(fewest(await read(), ({ sent }) => sent)).toBeGreaterThan(10))

    const ended = current.stop('SIGTERM')
    current = await begin(next)
    expect(await ended).toEqual({ code: 0, signal: null })
    const sent = fewest(await read(), (client) => client.sent)
    await soon(async () => expect(fewest(await read(), ({ answers }) => answers.length)).toBeGreaterThan(sent + 10))
    await page.run(() => window.restart.hush(), null)
    await soon(async () => {
      const [first, ...others] = await read()
      for (const { pending, published } of others) expect([pending, published.at(-1)]).toEqual([0, first?.sent])
    })
    const clients = await read()
    expect(new Set(clients.map(({ shown }) => shown.join(', ')))).toEqual(new Set(['idle, connecting, open']))
    expect(clients.map(({ gaps }) => gaps)).toEqual(clients.map(() => 0))
    for (const { answers, published, sent: last } of clients) {
      expect(answers).toEqual(countTo(last))
      expect(published).toEqual(countTo(clients[0]?.sent ?? 0))
    }
  })

  it(`show the same message in all ${CLIENTS} components of one socket, in every frame`, async () => {
    page = await openQuietPage(browser, `http://127.0.0.1:${options.port}`)
    await page.run((count) => window.restart.follow(count), CLIENTS)
    const { frames, different } = await page.run((count) => window.restart.count(count), 1000)
    expect(frames).toBeGreaterThan(1)
    expect(different).toEqual([])
  })

  async function standBy(): Promise<NodeProcess> {
    const one = await spawnNode({
      file: join(import.meta.dirname, 'restart/server.ts'),
      args: [JSON.stringify(options)],
      ready: /standing by/,
      env: { NODE_ENV: 'production' },
    })
    processes.push(one)
    return one
  }

  async function begin(one: NodeProcess): Promise<NodeProcess> {
    one.signal('SIGUSR2')
    await one.waitFor(/http:\S+/)
    return one
  }

  const read = (): Promise<ClientView[]> => page.run(() => window.restart.clients(), null)
})

function fewest(clients: readonly ClientView[], read: (client: ClientView) => number): number {
  return Math.min(...clients.map(read))
}

function countTo(last: number): number[] {
  return Array.from({ length: last }, (_, index) => index + 1)
}
