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
    expect(await findFaults(page, { paint: visit.paint, known: 'nav, header' })).toEqual([])
  })
}
