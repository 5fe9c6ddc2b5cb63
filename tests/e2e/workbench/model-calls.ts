import { startProcess } from '@sdk/test-kit'
import { expect, it } from 'vitest'
import { findFaults } from './axe.ts'
import type { Stage, Visit } from './stage.ts'

/** Tests the model calls of the agent `model` in the trace. */
export function testModelCalls(get: () => { stage: Stage; visit: Visit }): void {
  it('shows the steps of models in the trace, with the agent that a model called as a tool', async () => {
    const { stage, visit } = get()
    const { page } = visit
    const route = encodeURIComponent('POST /agent/model')
    const [, { runs }] = (await stage.server.api(`GET /runs?limit=1&route=${route}`)) as [
      number,
      { runs: { id: string }[] },
    ]
    await visit.open(`/runs/${runs[0]?.id}`)
    await page.getByRole('tab', { name: /^Trace.*3/ }).click()
    await page.getByText('2 model calls · 2,400 tokens in (1,600 cached), 180 out').waitFor()
    expect(await page.locator('.trace-name').allTextContents()).toEqual(['model', 'mock-1', 'greet', 'mock-1'])
    await page
      .getByRole('button', { name: /^mock-1/ })
      .last()
      .click()
    const step = page.getByRole('region', { name: 'Selected model step' })
    await step.getByText(/first chunk after 4.0 ms · stop/).waitFor()
    await step.getByText('"Done."').waitFor()
    await page.getByRole('tab', { name: 'Conversation' }).click()
    const messages = page.getByRole('list', { name: 'Conversation' }).locator(':scope > li')
    await expect.poll(() => messages.count()).toBe(3)
    await messages.nth(2).locator('summary').click()
    await messages.nth(2).getByText('Hello, dear Ada').waitFor()
    expect(await findFaults(page, { paint: visit.paint, known: 'nav, header' })).toEqual([])
  })

  it('saves a test with the recordings of the model, and the test replays them offline', async () => {
    const { stage, visit } = get()
    const { page } = visit
    await visit.open('/agents/model')
    await page.getByRole('button', { name: /^Run/ }).click()
    await page.getByRole('tab', { name: /^Trace.*3/ }).waitFor()
    await page.getByRole('tab', { name: 'Code' }).click()
    await page.getByRole('button', { name: 'Test', exact: true }).click()
    const form = page.getByRole('form', { name: 'Save test' })
    await form.getByRole('textbox').fill('../greets')
    await form.getByRole('button', { name: 'Save test' }).click()
    await form.getByRole('alert').getByText('must consist of letters').waitFor()
    await form.getByRole('textbox').fill('greets')
    await form.getByRole('button', { name: 'Save test' }).click()
    await form.getByRole('status').waitFor()
    const files = await form.getByRole('status').getByRole('listitem').allInnerTexts()
    expect(files.map((file) => file.replace(/-[0-9a-f]+\.json$/, ''))).toEqual([
      'tests/greets.test.ts',
      'tests/models/greets/model.example-chat',
      'tests/models/greets/model.example-chat',
    ])
    await form.getByRole('button', { name: 'Save test' }).click()
    await form.getByRole('alert').getByText('tests/greets.test.ts already exists').waitFor()
    for (const file of files) expect(stage.project.read(file)).not.toContain('sk-for-tests')
    expect(await findFaults(page, { paint: visit.paint, known: 'nav, header' })).toEqual([])
    const test = await startProcess({
      command: process.execPath,
      args: ['--import', 'tsx', '--test', 'tests/greets.test.ts'],
      cwd: stage.project.path,
    })
    expect(await test.exited, test.output()).toMatchObject({ code: 0 })
  })

  it('chats with an agent: sends the history, asks for approvals, and shows the conversation of a run', async () => {
    const { visit } = get()
    const { page } = visit
    await visit.open('/agents/chat')
    const chat = page.getByRole('log', { name: 'Chat' })
    const say = async (text: string): Promise<void> => {
      await page.getByRole('textbox', { name: 'Message' }).fill(text)
      await page.keyboard.press('Enter')
    }
    await say('Greet Ada')
    await chat.getByText('Message 1: Greet Ada').waitFor()
    await say('Now ask me')
    await chat.getByRole('button', { name: 'Approve' }).click()
    // Both messages, the first answer, and the answer that continues.
    await chat.getByText('Message 4: the decision arrived').waitFor()
    await chat.locator('summary').last().click()
    await chat.getByText('Hello, dear Ada').last().waitFor()
    await page.getByRole('tab', { name: 'Conversation' }).click()
    const messages = page.getByRole('tabpanel').last().getByRole('list', { name: 'Conversation' })
    await messages.getByText('Message 1: Greet Ada').waitFor()
    expect(await findFaults(page, { paint: visit.paint, known: 'nav, header' })).toEqual([])
    await page.reload()
    await chat.getByText('Message 4: the decision arrived').waitFor()
    await page.getByRole('button', { name: 'New conversation' }).click()
    await chat.getByText('No messages yet').waitFor()
  })
}
