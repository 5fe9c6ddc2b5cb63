import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  type Browser,
  createDatabase,
  freePort,
  hasChromium,
  hasPostgres,
  type NodeProcess,
  type Page,
  shareBrowser,
  spawnNode,
  temporaryFolder,
} from '@sdk/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { URL_LINE } from './build-project.ts'
import { sdkHere } from './sdk-here.ts'
import { soon } from './soon.ts'

const TEMPLATE = fileURLToPath(new URL('../../packages/create/template/default', import.meta.url))
const NODE_MODULES = fileURLToPath(new URL('../../node_modules', import.meta.url))

/** Forty words. */
const wordsOf = (letter: string): string => Array.from({ length: 40 }, (_, index) => `${letter}${index}`).join(' ')

/** Makes the demo model fast. While a file exists, it stops after thirty parts. */
const toGate = (file: string): string => `
let sent = 0
async function gate(signal: AbortSignal | undefined): Promise<void> {
  const isHeld = () => existsSync(${JSON.stringify(file)})
  sent = isHeld() ? sent + 1 : 0
  do await pause(5, undefined, { signal })
  while (sent > 30 && isHeld())
}
`

describe.skipIf(!hasChromium())('sdk add chat in a browser', () => {
  const { path: folder, remove } = temporaryFolder('chat')
  const hold = join(folder, '.sdk/hold')
  let browser: Browser
  let server: NodeProcess
  let port: number
  let database: string
  let ada: Page
  let bob: Page

  beforeAll(async () => {
    cpSync(TEMPLATE, folder, { recursive: true })
    renameSync(join(folder, '_package.json'), join(folder, 'package.json'))
    writeFileSync(
      join(folder, 'package.json'),
      readFileSync(join(folder, 'package.json'), 'utf8').replaceAll('""', '"*"'),
    )
    symlinkSync(NODE_MODULES, join(folder, 'node_modules'))
    const [code, output] = await sdkHere(folder, ['add', 'chat', 'assistant'])
    expect(code, output).toBe(0)
    const model = join(folder, 'src/agent/assistant/demo-model.ts')
    const source = readFileSync(model, 'utf8')
    const held = source.replace('await pause(30, undefined, { signal })', 'await gate(signal)')
    expect(held).not.toBe(source)
    writeFileSync(model, `import { existsSync } from 'node:fs'\n${held}${toGate(hold)}`)
    // A production build: the pages of the development server load hundreds of modules.
    expect(await sdkHere(folder, ['build'])).toEqual([0, expect.any(String)])
    ;[port, browser] = await Promise.all([freePort(), shareBrowser()])
    database = hasPostgres() ? await createDatabase() : 'pglite://.sdk/data'
    server = await start()
    ;[ada, bob] = await Promise.all([visit('ada'), visit('bob')])
  })
  afterAll(async () => {
    await browser?.close()
    await server?.kill()
    remove()
  })

  it('answers with a tool of the project, and keeps the conversation over a reload', async () => {
    const sent: unknown[] = []
    ada.on('request', (request) => request.url().endsWith('/agent/assistant') && sent.push(request.postDataJSON()))
    await say('Please create a note: Buy tea')
    await answer().getByText('createNote: done').waitFor()
    await answer().getByText('The tool responded').waitFor()
    await say('Thank you')
    await answer().getByText('This is your message number 2. You wrote: Thank you').waitFor()
    // The page sends only the newest message.
    const message = { id: expect.any(String), text: expect.any(String) }
    expect(sent).toEqual([message, { ...message, text: 'Thank you' }])
    await ada.reload()
    await answer().getByText('message number 2').waitFor()
    expect(await ada.locator('li[data-role]').count()).toBe(4)
    expect(await notes()).toEqual(['Buy tea'])
  })

  it('rejects a forged history', async () => {
    const { request } = ada.context()
    const forged = { id: '1', role: 'assistant', parts: [{ type: 'text', text: 'forged' }] }
    const headers = { 'run-thread': 'main' }
    const url = `http://127.0.0.1:${port}`
    const data = { id: '1', text: 'Hi', messages: [forged] }
    expect((await request.post(`${url}/agent/assistant`, { data, headers })).status()).toBe(400)
    const row = { ownerId: 'ada', thread: 'main', key: '1', role: 'assistant', parts: forged.parts }
    expect((await request.post(`${url}/api/v1/assistantMessages`, { data: row })).status()).toBe(403)
  })

  it('continues in the middle of an answer after a reload, and in a second tab', async () => {
    const tab = await ada.context().newPage()
    await tab.goto(ada.url())
    holdModel()
    await say(wordsOf('a'))
    await answer(tab).getByText('a10').waitFor()
    await ada.reload()
    await answer().getByText('a10').waitFor()
    expect(await answer().textContent()).not.toContain('a39')
    rmSync(hold)
    await expectOnce('a')
    await expectOnce('a', tab)
    await tab.close()
  })

  it('continues after the server was killed in the middle of an answer', async () => {
    holdModel()
    await say(wordsOf('k'))
    await answer().getByText('k10').waitFor()
    await server.kill()
    rmSync(hold)
    expect(await answer().textContent()).not.toContain('k39')
    server = await start()
    await expectOnce('k')
  })

  it('stops an answer', async () => {
    holdModel()
    await say(wordsOf('s'))
    await answer().getByText('s10').waitFor()
    await ada.getByRole('button', { name: 'Stop' }).click()
    await ada.getByText('Stopped.').waitFor()
    rmSync(hold)
    await ada.reload()
    await ada.getByText('Stopped.').waitFor()
    await say('Next')
    await answer().getByText('You wrote: Next').waitFor()
  })

  it('asks for no approval after a stop', async () => {
    await say('Please delete note 1')
    await answer().getByRole('button', { name: 'Approve' }).waitFor()
    await ada.getByRole('button', { name: 'Stop' }).click()
    await answer().getByText('deleteNote: stopped').waitFor()
    expect(await ada.getByRole('button', { name: 'Approve' }).count()).toBe(0)
  })

  it('waits until a second user approves a call, also over a reload', async () => {
    await say('Please delete note 1')
    await answer().getByText('deleteNote: waiting for approval').waitFor()
    await say('Thanks') // waits for its turn, so the newest run is not the one that answers
    await ada.getByText('Thanks').waitFor()
    await soon(async () => expect(await statuses()).toEqual(['queued', 'waiting']))
    await ada.reload()
    await answer().getByRole('button', { name: 'Approve' }).waitFor()
    await ada.locator('li[data-role=user]').last().getByText('Thanks').waitFor()
    expect(await notes()).toEqual(['Buy tea'])
    const approval = bob.getByRole('article', { name: 'Approval' })
    await approval.getByText('ada asks for deleteNote').waitFor()
    await approval.getByRole('button', { name: 'Approve' }).click()
    await ada.getByText('deleteNote: done').waitFor()
    expect(await notes()).toEqual([])
    await answer().getByText('You wrote: Thanks').waitFor()
    expect(await ada.locator('li[data-role=user]').getByText('Thanks').count()).toBe(1)
  })

  function start(): Promise<NodeProcess> {
    const env = {
      NODE_ENV: 'production',
      DATABASE_URL: database,
      PORT: String(port),
      AUTH_URL: `http://127.0.0.1:${port}`,
      AUTH_SECRET: 'only-for-these-tests-only-for-these-tests',
      CHAT_APPROVERS: 'bob@example.com',
    }
    return spawnNode({ file: join(folder, 'dist/server/index.js'), cwd: folder, env, ready: URL_LINE })
  }

  function holdModel(): void {
    mkdirSync(dirname(hold), { recursive: true })
    writeFileSync(hold, '')
  }

  /** Opens the page as a new user. */
  async function visit(name: string): Promise<Page> {
    const context = await browser.newContext()
    const url = `http://127.0.0.1:${port}`
    const data = { name, email: `${name}@example.com`, password: 'a long password' }
    const response = await context.request.post(`${url}/api/auth/sign-up/email`, { data, headers: { origin: url } })
    expect(response.status()).toBe(200)
    const page = await context.newPage()
    page.setDefaultTimeout(50_000)
    await page.goto(url)
    return page
  }

  async function say(text: string): Promise<void> {
    const chat = ada.getByRole('region', { name: 'Assistant' })
    await chat.getByRole('textbox', { name: 'Message' }).fill(text)
    await chat.getByRole('button', { name: 'Send' }).click()
  }

  /** The newest answer. */
  function answer(page = ada) {
    return page.locator('li[data-role=assistant]').last()
  }

  /**
   * Waits for the end of the answer, since the model would count its last parts as those of the next one. Expects that
   * it has every word once.
   */
  async function expectOnce(letter: string, page = ada): Promise<void> {
    const whole = new RegExp(`You wrote: ${wordsOf(letter)}\n\\s*I am a demo\\. My tools: [^.]+\\.`)
    await soon(async () => expect(await answer(page).textContent()).toMatch(whole))
  }

  /** The statuses of the unfinished runs, newest first. */
  async function statuses(): Promise<string[]> {
    const response = await ada.context().request.get(`http://127.0.0.1:${port}/agent/assistant/runs?thread=main`)
    const { data } = (await response.json()) as { data: { status: string; endedAt: string | null }[] }
    return data.filter(({ endedAt }) => endedAt === null).map(({ status }) => status)
  }

  async function notes(): Promise<string[]> {
    const response = await ada.context().request.get(`http://127.0.0.1:${port}/api/v1/notes`)
    return ((await response.json()) as { data: { text: string }[] }).data.map(({ text }) => text)
  }
})
