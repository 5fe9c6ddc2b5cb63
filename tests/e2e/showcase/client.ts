import { expect, it } from 'vitest'
import { choose } from '../../chaos/mode.ts'
import { findFaults } from '../workbench/axe.ts'
import { expectNoOverflow, expectOnlyStatus, type Scene } from './audits.ts'

/**
 * Tests lost networks, outdated versions, long lists and keyboards, which the client handles. A short run leaves out
 * what the tests of @sdk/react and chat.test.ts, examples.test.ts and durable-client.test.ts test, too.
 */
export function testClient(scene: Scene): void {
  type Test = (name: string, test: () => Promise<void>) => void
  const itInFull = choose<Test>(it, () => {})

  itInFull('rolls back a failed change, shows the error, and retries', async () => {
    const { page, press, goTo } = scene.ada
    await goTo('Tasks')
    await press(/^Details of Call the dentist/)
    const label = page.getByRole('button', { name: 'Health' })
    await expect.poll(() => label.getAttribute('aria-pressed')).toBe('true')
    await press('Interrupt the network')
    await page.getByText('No network').waitFor()
    await label.click()
    await page.getByRole('alert').filter({ hasText: 'was not changed, and your change was undone' }).waitFor()
    expect(await label.getAttribute('aria-pressed')).toBe('true')
    await press(/^Restore/)
    await page.getByText('Connected', { exact: true }).waitFor()
    await press('Try again')
    await expect.poll(() => label.getAttribute('aria-pressed')).toBe('false')
    await page.getByRole('alert').waitFor({ state: 'detached' })
    await press(/^Details of Call the dentist/)
  })

  it('adds, completes and deletes tasks without a network, and sends them later', async () => {
    const { stage, ada } = scene
    const { page, press } = ada
    await ada.goTo('Tasks')
    const other = await ada.openTab()
    await other.item('Call the dentist')
    const box = page.getByRole('checkbox', { name: 'Answer the letter from the school' })
    const waiting = page.getByRole('region', { name: 'Changes that wait' })
    const add = async (title: string): Promise<void> => {
      await page.getByLabel('New task').fill(title)
      await press('Add')
    }
    await page.context().setOffline(true)
    await page.getByText('No network').waitFor()
    await box.click()
    await add('Buy stamps')
    await page.getByRole('checkbox', { name: 'Buy stamps' }).click()
    await add('Buy envelopes')
    await press('Delete Buy envelopes')
    await waiting.getByText('5 changes wait').waitFor()
    await waiting.getByText('Add “Buy stamps”').waitFor()
    expect(await box.isChecked()).toBe(true)
    // Other pages of the browser show the changes that wait, but not their rows.
    await other.page.getByText('5 changes wait').waitFor()
    expect(await other.page.getByText('Buy stamps', { exact: true }).count()).toBe(0)
    expect(await findFaults(page, { known: 'nav' })).toEqual([])
    await page.context().setOffline(false)
    await waiting.waitFor({ state: 'detached' })
    for (const tab of [page, other.page]) {
      await tab.locator('.done').filter({ hasText: 'Buy stamps' }).waitFor()
      await expect.poll(() => tab.getByText('Not saved yet').count()).toBe(0)
      expect(await tab.getByText('Buy stamps', { exact: true }).count()).toBe(1)
      expect(await tab.getByText('Buy envelopes').count()).toBe(0)
    }
    await other.page.close()
    await press('Delete Buy stamps')
    await page.getByText('Buy stamps').waitFor({ state: 'detached' })
    stage.takeWarnings() // the browser reports requests without a network
  })

  it('reports a conflict when an outdated version is saved', async () => {
    const { page, press, item } = scene.ada
    await press('Edit Sort the photos of last summer')
    const other = await scene.ada.openTab()
    await other.press('Edit Sort the photos of last summer')
    await other.page.getByLabel('Title').fill('Sort all photos')
    await other.press('Save')
    await other.press('Edit Sort all photos')
    await other.page.close()
    await page.getByLabel('Title').fill('Print the photos')
    await press('Save')
    await page.getByRole('alert').filter({ hasText: 'It is now “Sort all photos”' }).waitFor()
    await press('Keep mine')
    await item('Print the photos')
    expectOnlyStatus(scene.stage, 412)
  })

  itInFull('queues messages while offline and delivers them once and in order', async () => {
    const { ada, guest } = scene
    const { page, press, say, goTo } = ada
    await goTo('Chat')
    await press('Interrupt the network')
    for (const text of ['first without a network', 'second without a network']) await say(text)
    await page.getByText('2 waiting').waitFor()
    expect(await page.getByText('Waiting for the network').count()).toBe(2)
    await expectNoOverflow(ada)
    await guest.say('while you were away')
    await goTo('Files')
    await goTo('Chat') // unsent messages survive navigation
    await page.getByText('2 waiting').waitFor()
    await press(/^Restore/)
    await page.getByText(/\d waiting/).waitFor({ state: 'detached' })
    await ada.item('while you were away')
    await guest.item('second without a network')
    const texts = await guest.page.getByRole('list', { name: 'Messages' }).locator('p').allInnerTexts()
    expect(texts.slice(-2)).toEqual(['first without a network', 'second without a network'])
    expect(texts.filter((text) => text.includes('without'))).toHaveLength(2)
  })

  itInFull('stops the agent, and continues after the network is restored', async () => {
    const { page, press, goTo } = scene.ada
    await goTo('Assistant')
    const answer = page.locator('li[data-role=assistant]').last()
    const words = (letter: string, length: number): string =>
      Array.from({ length }, (_, index) => `${letter}${index}`).join(' ')
    // The answer takes long enough for a click on a busy machine.
    await scene.ada.say(words('s', 500))
    await answer.getByText('s5').waitFor()
    await press('Stop')
    await page.getByText('Stopped.').waitFor()
    await scene.ada.say(words('n', 60))
    await answer.getByText('n5').waitFor()
    await press('Interrupt the network')
    await press(/^Restore/)
    await answer.getByText('n59').waitFor()
  })

  itInFull('shows the number of tasks', async () => {
    const { page, press, goTo } = scene.ada
    const add = (data: object): Promise<unknown> => page.request.post(`${scene.stage.url}/api/v1/tasks`, { data })
    await Promise.all(Array.from({ length: 50 }, (_, index) => add({ title: `Task ${index}` })))
    await goTo('Tasks')
    await page.getByText(/^20 of \d+ tasks$/).waitFor()
    await press('Load more')
    await page.getByText(/^40 of \d+ tasks$/).waitFor()
  })

  it('supports navigation by keyboard and moves the focus', async () => {
    const { page } = scene.ada
    await page.reload()
    await page.getByRole('link', { name: 'Chat' }).focus()
    await page.keyboard.press('Enter')
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Chat')
    expect(await page.title()).toBe('Chat · Tasks')
    await page.goBack()
    await page.getByRole('heading', { name: 'Tasks', level: 1 }).waitFor()
  })
}
