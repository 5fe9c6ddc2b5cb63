import { hasChromium } from '@sdk/test-kit'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { findFaults } from './workbench/axe.ts'
import { NOT_CODE } from './workbench/bench-project.ts'
import { openStage, type Stage, type Visit } from './workbench/stage.ts'

const timeout = 120_000

/** The runs that pages show. */
async function makeRuns(stage: Stage): Promise<void> {
  for (const name of ['Ada', 'Grace']) await stage.call('POST /agent/greet', { name })
  await stage.call('POST /agent/brief', {})
  await stage.call('POST /agent/throws', {})
  await (await stage.call('POST /agent/count', { to: 20, pause: 5 })).text()
  await stage.call('GET /api/status')
  await stage.call('GET /api/nope')
}

/** The newest run of a route, as the workbench's own API tells it. */
async function newestRun(visit: Visit, route: string): Promise<Record<string, unknown>> {
  return visit.page.evaluate(async (name) => {
    const nonce = document.querySelector<HTMLMetaElement>('meta[name="workbench-nonce"]')?.content ?? ''
    const headers = { 'x-sdk-workbench': nonce }
    const list = await fetch(`/_workbench/api/runs?limit=1&route=${encodeURIComponent(name)}`, { headers })
    const { runs } = (await list.json()) as { runs: { id: string }[] }
    const run = await fetch(`/_workbench/api/runs/${runs[0]?.id}`, { headers })
    return (await run.json()) as Record<string, unknown>
  }, route)
}

describe.skipIf(!hasChromium())('the workbench', () => {
  let stage: Stage
  const pages: string[] = []
  beforeAll(async () => {
    stage = await openStage()
    await makeRuns(stage)
    const visit = await stage.visit()
    await vi.waitFor(async () => expect(await newestRun(visit, 'GET /api/status')).toHaveProperty('id'), 10_000)
    const a = await newestRun(visit, 'POST /agent/greet')
    const b = await newestRun(visit, 'POST /agent/brief')
    const c = await newestRun(visit, 'POST /agent/count')
    pages.push('/', '/agents/greet', `/agents/count?run=${String(c['id'])}`, '/agents/throws', '/agents/odd', '/routes')
    pages.push(`/routes?route=${encodeURIComponent('GET /api/reports/:id')}`, '/ws/chat', '/runs')
    pages.push(`/runs/${String(b['id'])}`, `/compare?a=${String(a['id'])}&b=${String(b['id'])}`, '/compare')
    pages.push('/matrix', '/users', '/errors', '/settings')
  }, timeout)
  afterEach(() => stage.closePages())
  afterAll(() => stage.close())

  it('has no fault that axe knows, no complaint and no request elsewhere on any page', { timeout }, async () => {
    const visit = await stage.visit()
    for (const path of pages) {
      await visit.open(path)
      expect([path, await findFaults(visit.page, visit.paint)]).toEqual([path, []])
    }
    expect(visit.complaints).toEqual([])
    expect(visit.strangers).toEqual([])
  })

  it('runs an agent from its form, and marks what is wrong at its field', { timeout }, async () => {
    const { page, open } = await stage.visit()
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

  it('shows a call that others make, live', { timeout }, async () => {
    const { page, open } = await stage.visit()
    await open('/runs')
    const before = await page.getByText('/api/reports/77').count()
    await stage.call('GET /api/reports/77')
    await expect.poll(() => page.getByText('/api/reports/77').count()).toBe(before + 1)
  })

  it('keeps up with 10,000 chunks, replays them exactly, and shows only what is seen', { timeout }, async () => {
    const visit = await stage.visit()
    await visit.open('/agents/count')
    await visit.page.getByRole('textbox', { name: /^to/ }).fill('10000')
    await visit.page.getByRole('button', { name: /^Run/ }).click()
    await visit.page.getByRole('tab', { name: /^Stream/ }).click()
    await visit.page.getByRole('tab', { name: /^Stream.*10,?000/ }).waitFor({ timeout: 60_000 })
    expect(await visit.page.getByRole('listitem').count()).toBeLessThan(200)
    await expect
      .poll(async () => (await newestRun(visit, 'POST /agent/count'))['state'], { timeout: 20_000 })
      .toBe('done')
    const run = await newestRun(visit, 'POST /agent/count')
    const pieces = run['pieces'] as { at: number; text: string }[]
    expect(pieces.map(({ text }) => text).join('')).toBe(
      Array.from({ length: 10_000 }, (_, index) => `{"n":${index + 1}}\n`).join(''),
    )
    expect(pieces.every(({ at }, index) => index === 0 || at >= (pieces[index - 1]?.at ?? 0))).toBe(true)
  })

  it('tells the handler when somebody cancels', { timeout }, async () => {
    const visit = await stage.visit()
    await visit.open('/agents/hangs')
    await visit.page.getByRole('button', { name: /^Run/ }).click()
    await visit.page.getByRole('status').getByText('waiting for the answer').waitFor()
    await visit.page.keyboard.press('Escape')
    await expect.poll(async () => (await newestRun(visit, 'POST /agent/hangs'))['state']).toBe('cancelled')
    const { logs } = await newestRun(visit, 'POST /agent/hangs')
    expect(logs).toEqual([expect.objectContaining({ level: 'warn', message: 'told to stop' })])
  })

  it('shows an agent that throws with the place in its file', { timeout }, async () => {
    const { page, open } = await stage.visit()
    await open('/agents/throws')
    await page.getByRole('button', { name: /^Run/ }).click()
    await page.getByRole('heading', { name: 'no luck: rain' }).waitFor()
    await page.getByText('src/agent/throws/index.ts:5').first().waitFor()
  })

  it('shows 5 MB cut, and stays usable', { timeout }, async () => {
    const { page, open } = await stage.visit()
    await open('/agents/big')
    await page.getByRole('button', { name: /^Run/ }).click()
    await page
      .getByText(/5\.1 MB/)
      .first()
      .waitFor({ timeout: 30_000 })
    await page
      .getByRole('tab', { name: /^Headers/ })
      .last()
      .click()
    await page.getByText('content-type').first().waitFor()
  })

  it('takes any JSON where a schema cannot be written down, and says so', { timeout }, async () => {
    const { page, open } = await stage.visit()
    await open('/agents/odd')
    await page
      .getByText(/JSON Schema/)
      .first()
      .waitFor()
    await page.getByRole('button', { name: /^Run/ }).waitFor()
  })

  it(
    'keeps an agent whose file does not compile in the list, with its code frame, and the others usable',
    { timeout },
    async () => {
      const { page, open } = await stage.visit()
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
    },
  )

  it('calls as a user by a real session', { timeout }, async () => {
    const { page, open } = await stage.visit()
    await open('/users')
    await page
      .getByRole('button', { name: /test user/i })
      .first()
      .click()
    await page.getByLabel('Name').fill('Grace')
    await page.getByLabel('Email').fill('grace@example.com')
    await page.getByRole('button', { name: /^Create/ }).click()
    // Who was just made is used at once.
    await page.getByRole('button', { name: 'Calls are made as: Grace' }).waitFor()
    await open('/agents/whoami')
    await page.getByRole('button', { name: /^Run/ }).click()
    await page.getByRole('main').getByText('grace@example.com').first().waitFor()
  })

  it('talks to a socket, cuts its wire, and loses nothing', { timeout }, async () => {
    const { page, open } = await stage.visit()
    await open('/ws/chat')
    await page.getByText('connected with sdk.v1').waitFor()
    await page.getByRole('button', { name: /^Send/ }).click()
    await page.getByText('"from":"guest"').first().waitFor()
    await page.getByRole('button', { name: 'Drop' }).click()
    await page.getByRole('button', { name: /^Send/ }).click()
    await expect.poll(() => page.getByText('"from":"guest"').count(), { timeout: 20_000 }).toBe(2)
  })

  it('has all runs after kill -9', { timeout }, async () => {
    const visit = await stage.visit()
    await stage.call('POST /agent/greet', { name: 'the last one' })
    await expect.poll(() => newestRun(visit, 'POST /agent/greet')).toMatchObject({ state: 'done' })
    const list = (): Promise<string> =>
      visit.page.evaluate(async () => {
        const nonce = document.querySelector<HTMLMetaElement>('meta[name="workbench-nonce"]')?.content ?? ''
        return (await fetch('/_workbench/api/runs?limit=500', { headers: { 'x-sdk-workbench': nonce } })).text()
      })
    const idsOf = (text: string): string[] => (JSON.parse(text) as { runs: { id: string }[] }).runs.map(({ id }) => id)
    const before = idsOf(await list())
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    await stage.killAndStart()
    await visit.page.goto(stage.link())
    expect(idsOf(await list()).filter((id) => before.includes(id))).toEqual(before)
  })
})
