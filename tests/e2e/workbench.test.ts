import { connect } from '@sdk/mcp/testing'
import { createClient, type WebSocketClass } from '@sdk/frontend'
import { emptyDatabase, hasChromium, type Page } from '@sdk/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { choose } from '../chaos/mode.ts'
import { soon } from './soon.ts'
import { findFaults } from './workbench/axe.ts'
import { createBenchProject, NOT_CODE } from './workbench/bench-project.ts'
import { storeScores } from './workbench/matrix-results.ts'
import { testImpersonation } from './workbench/identity.ts'
import { testModelCalls } from './workbench/model-calls.ts'
import { testSameOrigin } from './workbench/same-origin.ts'
import { openStage, type Stage, type Visit } from './workbench/stage.ts'

/** The runs that pages show. */
async function makeRuns(stage: Stage): Promise<void> {
  for (const name of ['Ada', 'Grace']) await stage.call('POST /agent/greet', { name })
  await stage.call('POST /agent/brief', {})
  await stage.call('POST /agent/model', {})
  await stage.call('POST /agent/throws', {})
  await (await stage.call('POST /agent/count', { to: 20, pause: 5 })).text()
  await stage.call('GET /api/status')
  await stage.call('GET /api/nope')
}

async function runIds({ server }: Stage, query: string): Promise<string[]> {
  const [, { runs }] = (await server.api(`GET /runs?${query}`)) as [number, { runs: { id: string }[] }]
  return runs.map(({ id }) => id)
}

/** Returns the newest run of a route from the API of the workbench. */
async function newestRun(stage: Stage, route: string): Promise<Record<string, unknown>> {
  const [id] = await runIds(stage, `limit=1&route=${encodeURIComponent(route)}`)
  return (await stage.server.api(`GET /runs/${id}`))[1] as Record<string, unknown>
}

const TOOL = `/tools?server=${encodeURIComponent('POST /api/mcp')}&tool=callGreet`
/** The path of each kind of page; `<route>` is replaced by the id of the newest run of the route. */
const PAGES = [
  '/',
  '/agents/greet',
  '/agents/count?run=<POST /agent/count>',
  '/agents/odd',
  `/routes?route=${encodeURIComponent('GET /api/reports/:id')}`,
  '/ws/chat',
  '/runs',
  '/runs/<POST /agent/brief>',
  '/compare?a=<POST /agent/greet>&b=<POST /agent/brief>',
  '/compare',
  '/matrix',
  '/users',
  '/errors',
  '/tools',
  '/settings',
  // These have parts of the pages above, or are examined below with more on them.
  ...choose(['/agents/throws', '/routes', '/live', '/matrix?view=scores', TOOL], []),
]

/** The number of chunks of a long stream. */
const CHUNKS = choose(10_000, 2_000)

/** The parts of the frame, which are the same on all pages. */
const FRAME = 'nav, header'

let stage: Stage
beforeAll(async () => {
  // The pages do not depend on the database, and the embedded one takes longer to start.
  stage = await openStage(createBenchProject(), await emptyDatabase())
})
afterAll(() => stage.close())

testImpersonation(() => stage)

describe.skipIf(!hasChromium())('the workbench', () => {
  let visit: Visit
  let page: Page
  let open: Visit['open']
  beforeAll(async () => {
    await makeRuns(stage)
    storeScores(stage.project.path)
    // When the last call is recorded, all earlier ones are.
    await soon(async () =>
      expect(await runIds(stage, `route=${encodeURIComponent('GET /api/status')}`)).toHaveLength(1),
    )
    visit = await stage.visit()
    ;({ page, open } = visit)
  })

  it.each(PAGES)('has no axe violations at %s', async (pattern) => {
    let path = pattern
    for (const [part, route = ''] of pattern.matchAll(/<(.+?)>/g))
      path = path.replace(part, String((await newestRun(stage, route))['id']))
    await open(path)
    expect(await findFaults(page, { paint: visit.paint, known: path === '/' ? undefined : FRAME })).toEqual([])
  })

  testSameOrigin(() => ({ page, url: stage.server.url }))

  it('logs no errors and sends no requests to other hosts', () => {
    expect(visit.warnings).toEqual([])
    expect(visit.strangers).toEqual([])
  })

  it('runs an agent from its form and marks invalid fields', async () => {
    await open('/agents/greet')
    const name = page.getByRole('textbox', { name: /^name/ })
    await name.fill('')
    await page.getByRole('button', { name: /^Run/ }).click()
    await expect.poll(() => name.getAttribute('aria-invalid')).toBe('true')
    await name.fill('Ada')
    await page.getByRole('button', { name: /^Run/ }).click()
    await page.getByText('Hello, dear Ada').first().waitFor()
    await page.getByRole('tab', { name: /^Code/ }).click()
    await page.getByRole('button', { name: 'sdk run' }).click()
    await page
      .getByText(/sdk run greet/)
      .first()
      .waitFor()
  })

  it('compares the scores of tests', async () => {
    await open('/matrix')
    await page.getByRole('button', { name: 'Scores' }).click()
    await page.getByRole('row', { name: /^Mean 0\.75 \+0\.25 1 =/ }).waitFor()
    await page.getByRole('button', { name: /^Output of small for input 2/ }).click()
    await page.getByRole('region', { name: 'Output of small' }).getByText('Earlier output').first().waitFor()
    expect(await findFaults(page, { paint: visit.paint, known: FRAME })).toEqual([])
  })

  it('shows calls of other clients live', async () => {
    await page.goto(`${stage.server.url}/_workbench/runs`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    const before = await page.getByText('/api/reports/77').count()
    await stage.call('GET /api/reports/77')
    await expect.poll(() => page.getByText('/api/reports/77').count()).toBe(before + 1)
  })

  it('records thousands of chunks and renders only the visible ones', async () => {
    await open('/agents/count')
    await page.getByRole('textbox', { name: /^to/ }).fill(String(CHUNKS))
    await page.getByRole('textbox', { name: /^pause/ }).fill('0')
    await page.getByRole('button', { name: /^Run/ }).click()
    await page.getByRole('tab', { name: /^Stream/ }).click()
    await page
      .getByRole('tab', { name: new RegExp(`^Stream.*${CHUNKS.toLocaleString('en').replace(',', ',?')}`) })
      .waitFor()
    expect(await page.getByRole('listitem').count()).toBeLessThan(200)
    await expect.poll(async () => (await newestRun(stage, 'POST /agent/count'))['state']).toBe('done')
    const run = await newestRun(stage, 'POST /agent/count')
    const pieces = run['pieces'] as { at: number; text: string }[]
    expect(pieces.map(({ text }) => text).join('')).toBe(
      Array.from({ length: CHUNKS }, (_, index) => `{"n":${index + 1}}\n`).join(''),
    )
    expect(pieces.every(({ at }, index) => index === 0 || at >= (pieces[index - 1]?.at ?? 0))).toBe(true)
  })

  testModelCalls(() => ({ stage, visit }))

  it('aborts the handler when the user cancels', async () => {
    await open('/agents/hangs')
    await page.getByRole('button', { name: /^Run/ }).click()
    await page.getByRole('status').getByText('waiting for the response').waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(async () => (await newestRun(stage, 'POST /agent/hangs'))['state']).toBe('cancelled')
    const { logs } = await newestRun(stage, 'POST /agent/hangs')
    expect(logs).toEqual([expect.objectContaining({ level: 'warn', message: 'aborted' })])
  })

  it('shows the error of an agent with its location', async () => {
    await open('/agents/throws')
    await page.getByRole('button', { name: /^Run/ }).click()
    await page.getByRole('heading', { name: 'no luck: rain' }).waitFor()
    await page.getByText('src/agent/throws/index.ts:5').first().waitFor()
  })

  it('stays usable with a response of 5 MB', async () => {
    await open('/agents/big')
    await page.getByRole('button', { name: /^Run/ }).click()
    await page
      .getByText(/5\.1 MB/)
      .first()
      .waitFor()
    await page
      .getByRole('tab', { name: /^Headers/ })
      .last()
      .click()
    await page.getByText('content-type').first().waitFor()
  })

  it('explains if a schema cannot be converted to JSON Schema', async () => {
    await open('/agents/odd')
    await page
      .getByText(/JSON Schema/)
      .first()
      .waitFor()
    await page.getByRole('button', { name: /^Run/ }).waitFor()
  })

  it('lists an agent that does not compile with its error and keeps the others usable', async () => {
    await open('/')
    stage.project.write('src/agent/broken/index.ts', NOT_CODE)
    await page
      .getByRole('link', { name: /^broken/ })
      .first()
      .click()
    await page.getByText('src/agent/broken/index.ts').first().waitFor()
    await page.getByText('Build failed').waitFor()
    await open('/agents/whoami')
    await page.getByRole('button', { name: /^Run/ }).click()
    await page.getByText('null').first().waitFor()
    stage.project.remove('src/agent/broken')
    await page.getByText('Connected').waitFor()
  })

  it('sends messages to a socket, also after a dropped connection', async () => {
    await open('/ws/chat')
    await page.getByText('connected with sdk.v1').waitFor()
    await page.getByRole('button', { name: /^Send/ }).click()
    await page.getByText('"from":"guest"').first().waitFor()
    await page.getByRole('button', { name: 'Drop' }).click()
    await page.getByRole('button', { name: /^Send/ }).click()
    await expect.poll(() => page.getByText('"from":"guest"').count()).toBe(2)
  })

  it('shows live subscriptions while they change', async () => {
    await open('/live')
    await page.getByText('No live subscriptions').waitFor()
    const client = createClient({ baseUrl: stage.server.url, WebSocket: WebSocket as unknown as WebSocketClass })
    const notes = client.watch('GET /api/v1/notes', { query: { done: false } })
    await notes.next()
    const rows = page.getByRole('region', { name: 'Live lists' }).locator('tbody tr')
    await expect.poll(() => rows.allInnerTexts()).toHaveLength(1)
    for (const text of ['/api/v1/notes', 'done=false', 'none yet']) await rows.getByText(text).first().waitFor()
    await stage.call('POST /api/v1/notes', { title: 'Tea' })
    await rows.getByText(/^notes · /).waitFor()
    expect(await findFaults(page, { paint: visit.paint, known: FRAME })).toEqual([])
    await notes.return()
    await page.getByText('No live subscriptions').waitFor()
  })

  it('calls a tool as an MCP client does', async () => {
    await open('/tools')
    await page.getByText(`claude mcp add --transport http my-app ${stage.server.url}/api/mcp`).waitFor()
    await page.getByRole('link', { name: 'callGreet' }).click()
    const name = page.getByRole('textbox', { name: /^name/ })
    await name.fill('')
    await page.getByRole('button', { name: /^Call\b/ }).click()
    await expect.poll(() => name.getAttribute('aria-invalid')).toBe('true')
    await name.fill('Tea')
    await page.getByRole('button', { name: /^Call\b/ }).click()
    await page.getByText('Hello, dear Tea').first().waitFor()
    const run = { via: 'POST /api/mcp', caller: 'workbench', state: 'done', target: '/api/mcp' }
    await expect.poll(() => newestRun(stage, 'POST /agent/greet')).toMatchObject(run)
    await page.getByRole('tab', { name: /^Trace/ }).click()
    expect(await findFaults(page, { paint: visit.paint, known: FRAME })).toEqual([])
  })

  it('shows a tool call of another client by its route and the name of the client', async () => {
    const client = await connect({ fetch: (request) => fetch(request) }, { path: `${stage.server.url}/api/mcp` })
    const result = await client.callTool({ name: 'callThrows', arguments: { reason: 'snow' } })
    await client.close()
    expect(result.isError).toBe(true)
    await expect.poll(async () => (await newestRun(stage, 'POST /agent/throws'))['state']).toBe('failed')
    const run = await newestRun(stage, 'POST /agent/throws')
    expect(run).toMatchObject({ caller: 'test', via: 'POST /api/mcp', error: expect.stringContaining('no luck: snow') })
    expect(JSON.parse((run['request'] as { body: { text: string } }).body.text)).toMatchObject({ method: 'tools/call' })
    await open(`/runs/${String(run['id'])}`)
    await page.getByRole('heading', { name: 'no luck: snow' }).waitFor()
    await page.getByRole('link', { name: 'Run again' }).click()
    await expect.poll(() => page.getByRole('textbox', { name: /^reason/ }).inputValue()).toBe('snow')
  })

  it('calls as a user with a real session', async () => {
    await open('/users')
    await page
      .getByRole('button', { name: /test user/i })
      .first()
      .click()
    await page.getByLabel('Name').fill('Grace')
    await page.getByLabel('Email').fill('grace@example.com')
    await page.getByRole('button', { name: /^Create/ }).click()
    // A new user is selected immediately.
    await page.getByRole('button', { name: 'Calls are made as: Grace' }).waitFor()
    await open('/agents/whoami')
    await page.getByRole('button', { name: /^Run/ }).click()
    await page.getByRole('main').getByText('grace@example.com').first().waitFor()
  })
})

it('keeps all runs after kill -9', async () => {
  await stage.call('POST /agent/greet', { name: 'the last one' })
  await expect.poll(() => newestRun(stage, 'POST /agent/greet')).toMatchObject({ state: 'done' })
  const before = await runIds(stage, 'limit=500')
  await new Promise((resolve) => setTimeout(resolve, 1_000))
  await stage.killAndStart()
  expect((await runIds(stage, 'limit=500')).filter((id) => before.includes(id))).toEqual(before)
})
