import { hasChromium, hasPostgres } from '@sdk/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  expectAccessible,
  expectDevLinks,
  expectNoDevLinks,
  expectNoOverflow,
  expectShell,
  expectSmall,
} from './showcase/audits.ts'
import { openStage, startBuilt, startDev, type Stage, type Visitor } from './showcase/stage.ts'

/** What is the same on every database is looked at once. */
const ACCESSIBLE = [
  { name: 'has no fault that axe knows, wide and narrow, in light and dark', hold: expectAccessible },
  { name: 'links to the workbench and to its source', hold: expectDevLinks },
]
const SMALL = [
  { name: 'loads at most 120 kB of scripts until the first page is there', hold: expectSmall },
  { name: 'shows its shell before any script has come', hold: expectShell },
  { name: 'has no links of development', hold: expectNoDevLinks },
]

const WAYS = [
  { name: 'in development, on the embedded database', start: startDev, isThere: true, audits: ACCESSIBLE },
  { name: 'built, on PostgreSQL', start: startBuilt, isThere: hasPostgres(), audits: SMALL },
]

describe.each(WAYS)('the showcase, $name', ({ start, isThere, audits }) => {
  describe.skipIf(!isThere || !hasChromium())('in a browser', () => {
    let stage: Stage
    let ada: Visitor
    let guest: Visitor

    beforeAll(async () => {
      stage = await openStage(start)
      ada = await stage.visit()
    })
    afterAll(() => stage?.close())

    /** The browser itself reports an answer of such a status on its console. */
    function expectOnlyStatus(status: number): void {
      expect(stage.takeComplaints().filter((text) => !text.includes(`status of ${status}`))).toEqual([])
    }

    it('says what it is, refuses a stranger, and makes an account', async () => {
      const { page, press } = ada
      await page.getByRole('heading', { name: 'Your day, in one calm place.' }).waitFor()
      await page.getByText('Sign in', { exact: true }).click()
      await page.getByLabel('E-mail').fill('ada@example.com')
      await page.getByLabel('Password').fill('wrong horse')
      await press('Continue')
      await page.getByRole('alert').waitFor()
      await page.getByText('Sign up', { exact: true }).click()
      await page.getByLabel('Name').fill('Ada')
      await page.getByLabel('E-mail').fill('ada@example.com')
      await page.getByLabel('Password').fill('correct horse')
      await press('Create account')
      await page.getByRole('heading', { name: 'Nothing to do yet' }).waitFor()
      expectOnlyStatus(401)
    })

    it('has tasks in pages, filtered and sorted by the server', async () => {
      const { page, press, item } = ada
      const titles = (): Promise<string[]> => page.getByRole('list', { name: 'Tasks' }).locator('label').allInnerTexts()
      await press('Fill it with examples')
      await expect.poll(async () => (await titles()).length).toBe(10)
      await page.getByText('10 of 10 tasks').waitFor()
      await page.getByRole('searchbox', { name: 'Search tasks' }).fill('PHOTOS')
      await expect.poll(titles).toEqual(['Sort the photos of last summer'])
      await page.getByRole('searchbox').fill('')
      await expect.poll(async () => (await titles()).length).toBe(10)
      await page.getByText('Important', { exact: true }).click()
      await expect.poll(async () => (await titles())[0]).toBe('Finish the slides for Thursday')
      await page.getByRole('group', { name: 'Priority' }).getByText('High').click()
      await expect.poll(async () => (await titles()).length).toBe(3)
      await page.getByText('Done', { exact: true }).click()
      await page.getByRole('heading', { name: 'Nothing like that' }).waitFor()
      await press('Show all tasks')
      await item('Answer the letter from the school')
    })

    it('adds, edits, finishes and deletes, and keeps all of it', async () => {
      const { page, press, item } = ada
      await page.getByLabel('New task').fill('Count the stars')
      await press('Add')
      await item('Count the stars')
      await press('Edit Count the stars')
      await page.getByLabel('Title').fill('Count the moons')
      await press('Save')
      await press('Edit Count the moons')
      await press('Cancel')
      await page.getByRole('checkbox', { name: 'Count the moons' }).click()
      await page.locator('.done').filter({ hasText: 'Count the moons' }).waitFor()
      await page.reload()
      await page.locator('.done').filter({ hasText: 'Count the moons' }).waitFor()
      await press('Delete Count the moons')
      await page.getByText('Count the moons').waitFor({ state: 'detached' })
    })

    it('undoes a change that did not arrive, says so, and tries again', async () => {
      const { page, press } = ada
      const box = page.getByRole('checkbox', { name: 'Answer the letter from the school' })
      await press('Interrupt the network')
      await page.getByText('No network').waitFor()
      await box.click()
      await page.getByRole('alert').filter({ hasText: 'was not changed, and your change was undone' }).waitFor()
      expect(await box.isChecked()).toBe(false)
      await press(/^Restore/)
      await page.getByText('Connected').waitFor()
      await press('Try again')
      await expect.poll(() => box.isChecked()).toBe(true)
      await page.getByRole('alert').waitFor({ state: 'detached' })
    })

    it('overwrites nobody: who edits an older version is asked', async () => {
      const { page, press, item } = ada
      await press('Edit Sort the photos of last summer')
      const other = await ada.openTab()
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
      expectOnlyStatus(412)
    })

    it('has a room: who is here, what is said, and what was said before', async () => {
      await ada.goTo('Chat')
      await ada.page.getByRole('heading', { name: 'Nobody has said anything' }).waitFor()
      await ada.say('Is anybody here?')
      await ada.page.getByText('· sent').waitFor()
      guest = await stage.visit()
      await guest.press('Try it as a guest')
      await guest.goTo('Chat')
      await guest.item('Is anybody here?')
      const here = ada.page.getByRole('list', { name: 'Here now' }).getByRole('listitem')
      await expect.poll(() => here.count()).toBe(2)
      await guest.say('A guest is')
      await ada.item('A guest is')
    })

    it('loses nothing when the network goes: messages wait, and arrive once and in order', async () => {
      const { page, press, say, goTo } = ada
      await press('Interrupt the network')
      for (const text of ['first without a network', 'second without a network']) await say(text)
      await page.getByText('2 waiting').waitFor()
      expect(await page.getByText('Waiting for the network').count()).toBe(2)
      await expectNoOverflow(ada)
      await guest.say('while you were away')
      await goTo('Files')
      await goTo('Chat') // what waits outlives a visit elsewhere
      await page.getByText('2 waiting').waitFor()
      await press(/^Restore/)
      await page.getByText(/\d waiting/).waitFor({ state: 'detached' })
      await ada.item('while you were away')
      await guest.item('second without a network')
      const said = await guest.page.getByRole('list', { name: 'Messages' }).locator('p').allInnerTexts()
      expect(said.slice(-2)).toEqual(['first without a network', 'second without a network'])
      expect(said.filter((text) => text.includes('without'))).toHaveLength(2)
    })

    it('sees who leaves, and counts what is unread', async () => {
      await ada.goTo('Tasks')
      await guest.say('good bye')
      await ada.page.getByRole('link', { name: /Chat.*1/ }).waitFor()
      await guest.goTo('Account')
      await guest.press('Sign out')
      await guest.page.getByRole('heading', { name: 'Your day, in one calm place.' }).waitFor()
      await ada.goTo('Chat')
      const here = ada.page.getByRole('list', { name: 'Here now' }).getByRole('listitem')
      await expect.poll(async () => (await here.allInnerTexts()).map((name) => name.trim())).toEqual(['Ada'])
    })

    it('plans the day: two agents, word by word, with tasks to add', async () => {
      const { page, press, goTo, item } = ada
      await goTo('Assistant')
      await page.evaluate(countTexts)
      await press('Plan my day')
      await page.getByText('Asking the agent “prioritize” about all 9').waitFor()
      await page.getByText('7 more can wait until tomorrow.').first().waitFor()
      expect(await page.evaluate(() => Reflect.get(window, 'texts') as number)).toBeGreaterThan(3)
      await press('Add Take a break')
      await page.getByRole('button', { name: 'Added Take a break' }).waitFor()
      await goTo('Tasks')
      await item('Take a break')
    })

    it('stops the agent, and asks again after a lost network', async () => {
      const { page, press, goTo } = ada
      await goTo('Assistant')
      await page.getByText('8 hours').click() // a long answer
      await press('Plan my day')
      await page.getByText('Begin with').waitFor()
      await press('Stop')
      await page.getByText('You stopped it here.').waitFor()
      await press('Plan my day')
      await page.getByText('Begin with').waitFor()
      await press('Interrupt the network')
      await page.getByRole('alert').filter({ hasText: 'The network is away' }).waitFor()
      await press(/^Restore/)
      await press('Try again')
      await page.getByRole('list', { name: 'Suggested tasks' }).waitFor()
    })

    it('says how many tasks there are, and how many of them the assistant looks at', async () => {
      const { page, press, goTo } = ada
      const add = (data: object): Promise<unknown> => page.request.post(`${stage.url}/api/v1/tasks`, { data })
      await Promise.all(Array.from({ length: 50 }, (_, index) => add({ title: `Task ${index}` })))
      await goTo('Tasks')
      await page.getByText(/^20 of \d+ tasks$/).waitFor()
      await press('Load more')
      const text = await page.getByText(/^40 of \d+ tasks$/).innerText()
      const open = Number(/of (\d+)/.exec(text)?.[1]) - 1 // one is done
      await goTo('Assistant')
      await press('Plan my day')
      await page.getByText(`about the 50 most important of ${open}`).waitFor()
    })

    it('keeps files for their owner alone, and never shows them as a page', async () => {
      const { page, press, goTo, item } = ada
      const upload = (name: string, size: number): Promise<void> =>
        page
          .locator('input[type=file]')
          .setInputFiles({ name, mimeType: 'text/html', buffer: Buffer.alloc(size, '<b>hi</b>') })
      await goTo('Files')
      await page.getByRole('heading', { name: 'No files yet' }).waitFor()
      await upload('large.html', 3_000_000)
      await page.getByRole('alert').filter({ hasText: 'At most: 2.0 MB' }).waitFor()
      await upload('grüße.html', 900)
      await item('grüße.html')
      const href = await page.getByRole('link', { name: 'Download grüße.html' }).getAttribute('href')
      const url = new URL(href ?? '', stage.url).href
      const mine = await page.context().request.get(url)
      expect([mine.status(), (await mine.body()).length]).toEqual([200, 900])
      expect(mine.headers()).toMatchObject({
        'content-type': 'application/octet-stream',
        'content-disposition': "attachment; filename*=UTF-8''gr%C3%BC%C3%9Fe.html",
        'x-content-type-options': 'nosniff',
      })
      expect((await guest.page.context().request.get(url)).status()).toBe(401)
      await press('Delete grüße.html')
      await page.getByRole('heading', { name: 'No files yet' }).waitFor()
      // The page shows the change before the server has made it.
      await expect.poll(async () => (await page.context().request.get(url)).status()).toBe(404)
    })

    it('goes by keyboard, and takes the focus along', async () => {
      const { page } = ada
      await page.reload()
      await page.getByRole('link', { name: 'Chat' }).focus()
      await page.keyboard.press('Enter')
      await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Chat')
      expect(await page.title()).toBe('Chat · Tasks')
      await page.goBack()
      await page.getByRole('heading', { name: 'Files', level: 1 }).waitFor()
    })

    it.each(audits)('$name', ({ hold }) => hold({ ada, guest, url: stage.url }))

    it('keeps the session over a reload until sign-out, and the theme that was chosen', async () => {
      const { page, press, goTo } = ada
      await goTo('Account')
      await page.getByText(start === startBuilt ? 'a PostgreSQL server' : 'the embedded PostgreSQL').waitFor()
      await page.getByText('Dark', { exact: true }).click()
      await page.reload()
      await page.getByText('ada@example.com').waitFor()
      expect(await page.evaluate(() => getComputedStyle(document.body).backgroundColor)).toBe('rgb(20, 21, 23)')
      await press('Sign out')
      await page.getByRole('button', { name: 'Try it as a guest' }).waitFor()
      expect(await page.getByText('ada@example.com').count()).toBe(0)
    })

    it('complained of nothing, and asked nobody else', () => {
      expect(stage.takeComplaints()).toEqual([])
      expect(stage.strangers).toEqual([])
    })
  })
})

/** Counts in the page how often the answer has grown. */
function countTexts(): void {
  Reflect.set(window, 'texts', 0)
  let last = ''
  new MutationObserver(() => {
    const text = document.querySelector('.text')?.textContent ?? ''
    if (text !== last) Reflect.set(window, 'texts', (Reflect.get(window, 'texts') as number) + 1)
    last = text
  }).observe(document.body, { subtree: true, childList: true, characterData: true })
}
