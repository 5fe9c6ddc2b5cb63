import { emptyDatabase, hasChromium, type Page } from '@sdk/test-kit'
import { createAgent } from '@sdk/server'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { soon } from './soon.ts'
import { findFaults } from './workbench/axe.ts'
import { createDurableProject } from './workbench/durable-project.ts'
import { openStage, type Stage, type Visit } from './workbench/stage.ts'

/** The parts of the frame, which `workbench.test.ts` examines. */
const FRAME = 'nav.sidebar, header'

/** Whether agents can have schedules. */
const HAS_SCHEDULES =
  'schedules' in createAgent('daily', { durable: true, schedule: '0 7 * * *', handler: () => null } as never)

describe.skipIf(!hasChromium())('durable runs in the workbench', () => {
  let stage: Stage
  let visit: Visit
  let page: Page
  let open: Visit['open']
  let ada: { id: string; token: string }
  const runs: Record<string, string> = {}

  /** Starts a run, and returns its id. */
  async function start(agent: string, input?: unknown, headers: Record<string, string> = {}): Promise<string> {
    const response = await fetch(`${stage.server.url}/agent/${agent}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', prefer: 'respond-async', ...headers },
      ...(input !== undefined && { body: JSON.stringify(input) }),
    })
    expect(response.status).toBe(202)
    return ((await response.json()) as { id: string }).id
  }

  async function statusOf(id: string): Promise<unknown> {
    const [, found] = (await stage.server.api(`GET /durable-runs/${id}`)) as [number, { run?: { status: string } }]
    return found.run?.status
  }

  beforeAll(async () => {
    // durable-commands.test.ts uses the embedded database.
    stage = await openStage(createDurableProject(), await emptyDatabase())
    const [, user] = await stage.server.api('POST /users', { name: 'Ada', email: 'ada@example.com' })
    const { id } = user as { id: string }
    const [, session] = await stage.server.api('POST /sessions', { userId: id })
    ada = { id, token: (session as { token: string }).token }
    const auth = { authorization: `Bearer ${ada.token}` }
    runs['research'] = await start('research', { question: 'Why?' })
    runs['gone'] = await start('gone')
    runs['nap'] = await start('nap')
    runs['buy'] = await start('buy', { item: 'tea', cost: 7 }, { ...auth, 'run-thread': 'shopping' })
    runs['other'] = await start('buy', { item: 'milk', cost: 2 })
    await soon(async () => expect(await statusOf(runs['research'] ?? '')).toBe('done'))
    for (const name of ['gone', 'nap', 'buy', 'other'])
      await soon(async () => expect(await statusOf(runs[name] ?? '')).toBe('waiting'))
    visit = await stage.visit()
    ;({ page, open } = visit)
  })
  afterAll(() => stage.close())

  it.each(['/runs/durable', '/runs/durable/<research>', '/runs/durable/<buy>', '/runs/durable/<nap>'])(
    'has no axe violations at %s',
    async (pattern) => {
      await open(pattern.replace(/<(\w+)>/, (_, name: string) => runs[name] ?? ''))
      await page
        .getByText(/shopping|a day|plan/)
        .first()
        .waitFor()
      expect(await findFaults(page, { paint: visit.paint, known: FRAME })).toEqual([])
    },
  )

  it('has no axe violations in the other tabs of a run', async () => {
    await open(`/runs/durable/${runs['research']}`)
    for (const name of ['Chunks', 'Events', 'Attempts', 'Input', 'Output']) {
      await page.getByRole('tab', { name: new RegExp(`^${name}`) }).click()
      expect([
        name,
        ...(await findFaults(page, { paint: visit.paint, known: FRAME, part: '[role=tabpanel]' })),
      ]).toEqual([name])
    }
  })

  it('lists durable runs next to calls, and filters them by agent, status and thread', async () => {
    await open('/runs')
    await page.getByRole('link', { name: 'Durable', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: /^Durable runs/ }).waitFor()
    const rows = page.getByRole('region', { name: 'Durable runs' }).locator('tbody tr')
    await expect.poll(() => rows.count()).toBe(5)
    await page.getByRole('combobox', { name: 'Agent' }).selectOption('buy')
    await expect.poll(() => rows.count()).toBe(2)
    await page.getByRole('searchbox', { name: 'Thread' }).fill('shopping')
    await expect.poll(() => rows.count()).toBe(1)
    expect(page.url()).toContain('thread=shopping')
    await page.getByRole('combobox', { name: 'Status' }).selectOption('done')
    await page.getByText('No matching durable runs').waitFor()
  })

  it('moves through the list with the keyboard, and opens a run', async () => {
    await open('/runs/durable')
    await page.getByText(runs['research'] ?? '').waitFor()
    await page.getByRole('heading', { level: 1 }).click() // a select element would handle the keys
    for (const key of ['j', 'j', 'k', 'Enter']) await page.keyboard.press(key)
    await page.getByRole('heading', { level: 1, name: 'buy' }).waitFor()
    expect(page.url()).toContain(runs['other'])
  })

  it('shows the steps of a run with attempts, processes and values', async () => {
    await open(`/runs/durable/${runs['research']}`)
    const steps = page.getByRole('list', { name: 'Steps' })
    await steps.getByRole('button', { name: /^plan/ }).click()
    const inspector = page.getByRole('region', { name: 'Selected step' })
    await inspector.getByText('sources').first().waitFor()
    await steps.getByText(/^Attempt 1/).waitFor()
    await steps
      .getByText(/process [0-9a-f]{8}/)
      .first()
      .waitFor()
    await steps.getByRole('button', { name: /^fetch ×2/ }).waitFor()
    await steps.getByRole('button', { name: /^a moment sleep/ }).waitFor()
    // The arrow keys move the selection.
    await steps.focus()
    await page.keyboard.press('ArrowDown')
    await inspector.getByRole('heading', { name: 'fetch' }).waitFor()
    await inspector.getByText(`${runs['research']}/fetch`).waitFor()
    await page.getByRole('tab', { name: /^Attempts/ }).click()
    const attempts = page.getByRole('region', { name: 'Attempts' }).locator('tbody tr')
    await expect.poll(() => attempts.count()).toBe(2)
  })

  it('shows the chunks of a run with their retraction', async () => {
    await open(`/runs/durable/${runs['research']}`)
    await page.getByRole('tab', { name: /^Chunks/ }).click()
    const rows = page.getByRole('list', { name: 'Chunks' }).getByRole('listitem')
    await expect.poll(() => rows.allInnerTexts()).toHaveLength(4)
    expect((await rows.allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' '))).toEqual([
      'Attempt 2 continued after 0 chunks: later ones were retracted',
      '#1 attempt 2 {"text":"kept"}',
      '#2 attempt 2 {"text":"again"}',
      '#3 attempt 2 {"text":"end"}',
    ])
  })

  it('chats in a thread, and shows the conversation of the thread', async () => {
    await open('/users')
    await page.getByRole('button', { name: 'Act as Ada' }).click()
    await open('/agents/talk')
    for (const text of ['Hello', 'Again']) {
      await page.getByRole('textbox', { name: 'Message' }).fill(text)
      await page.getByRole('button', { name: 'Send' }).click()
      await page.getByRole('log', { name: 'Chat' }).getByText(`You wrote: ${text}`).waitFor()
    }
    const [, list] = await stage.server.api('GET /durable-runs?agent=talk')
    await open(`/runs/durable/${(list as { runs: { id: string }[] }).runs[0]?.id}`)
    await page.getByRole('tab', { name: 'Conversation' }).click()
    const panel = page.getByRole('tabpanel')
    await expect
      .poll(() => panel.locator('.message-text').allInnerTexts())
      .toEqual(['Hello', 'You wrote: Hello', 'Again', 'You wrote: Again'])
    expect(await findFaults(page, { paint: visit.paint, known: FRAME, part: '[role=tabpanel]' })).toEqual([])
    await open('/users')
    await page.getByRole('button', { name: 'Use Anonymous' }).click()
  })

  it('sends an event of the right shape to a waiting run of another user', async () => {
    await open(`/runs/durable/${runs['buy']}`)
    const form = page.getByRole('form', { name: 'Event approval' })
    await page.getByRole('region', { name: 'Waits for approval' }).getByText('tea').waitFor()
    await form.getByRole('button', { name: 'Send event' }).click()
    await page.getByText(/Cannot send approval/).waitFor()
    expect(await statusOf(runs['buy'] ?? '')).toBe('waiting')
    await form.getByRole('checkbox', { name: /^ok/ }).check()
    await form.getByRole('textbox', { name: /^note/ }).fill('cheap')
    await form.getByRole('button', { name: 'Send event' }).click()
    // The page follows the run until it ends.
    await page.getByRole('main').getByText('done', { exact: true }).waitFor()
    await page.getByRole('tab', { name: /^Events/ }).click()
    await page.getByRole('tree', { name: 'Event approval' }).getByText('cheap').waitFor()
    await page.getByRole('tab', { name: /^Output/ }).click()
    await page.getByRole('tree', { name: 'Output' }).getByText('tea').waitFor()
  })

  it('runs again with the same input, user and thread', async () => {
    await open(`/runs/durable/${runs['buy']}`)
    await page.getByRole('button', { name: 'Run again' }).click()
    await page.getByRole('region', { name: 'Waits for approval' }).waitFor()
    expect(page.url()).not.toContain(runs['buy'])
    await page.getByRole('main').getByText(ada.id).waitFor()
    await page.getByRole('link', { name: 'shopping' }).click()
    const rows = page.getByRole('region', { name: 'Durable runs' }).locator('tbody tr')
    await expect.poll(() => rows.count()).toBe(2)
  })

  it('cancels a run', async () => {
    await open(`/runs/durable/${runs['nap']}`)
    await page.getByText(/The run sleeps until/).waitFor()
    await page.getByRole('button', { name: 'Cancel run' }).click()
    await page.getByRole('main').getByText('cancelled', { exact: true }).waitFor()
    expect(await statusOf(runs['nap'] ?? '')).toBe('cancelled')
    await expect.poll(() => page.getByRole('button', { name: 'Cancel run' }).count()).toBe(0)
  })

  it('follows a run while it runs', async () => {
    const id = await start('ticks', {})
    await open(`/runs/durable/${id}`)
    const steps = page.getByRole('list', { name: 'Steps' })
    await steps.getByRole('button', { name: /^in progress/ }).waitFor()
    await steps.getByRole('button', { name: /^tick 2/ }).waitFor()
    expect(await statusOf(id)).toBe('running')
    await steps.getByRole('button', { name: /^tick 10/ }).waitFor()
    await page.getByRole('main').getByText('done', { exact: true }).waitFor()
    expect(await steps.getByRole('button', { name: /^in progress/ }).count()).toBe(0)
  })

  it('links a call to its durable run', async () => {
    await open('/runs?status=202')
    await page
      .getByRole('main')
      .getByRole('link', { name: /research/ })
      .first()
      .click()
    await page.getByRole('link', { name: runs['research'] ?? '' }).click()
    await page.getByRole('heading', { level: 1, name: 'research' }).waitFor()
  })

  it.runIf(HAS_SCHEDULES)('lists the next ticks of schedules', async () => {
    await open('/runs/durable')
    const schedules = page.getByRole('region', { name: 'Schedules' })
    await schedules.getByText('0 7 * * * UTC').waitFor()
    expect(await schedules.locator('tbody tr').count()).toBe(1)
  })

  it('notes runs of an agent that the app does not have', async () => {
    await open(`/runs/durable/${runs['gone']}`)
    await page.getByRole('region', { name: 'Waits for back' }).waitFor()
    stage.project.remove('src/agent/gone')
    await page
      .getByRole('note')
      .getByText(/no durable agent named gone/)
      .waitFor()
    expect(await page.getByRole('button', { name: /Cancel run|Run again|Send event/ }).count()).toBe(0)
    expect(await findFaults(page, { paint: visit.paint, known: FRAME })).toEqual([])
    await open('/runs/durable')
    await page.getByText('not in this app').waitFor()
  })

  it('logs no errors and sends no requests to other hosts', () => {
    expect(visit.warnings).toEqual([])
    expect(visit.strangers).toEqual([])
  })
})
