import { hasChromium, hasPostgres, type Page } from '@sdk/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { choose } from '../chaos/mode.ts'
import {
  expectAccessible,
  expectDevLinks,
  expectNoDevLinks,
  expectOnlyStatus,
  expectShell,
  expectSmall,
  type Scene,
} from './showcase/audits.ts'
import { testClient } from './showcase/client.ts'
import { renderDevLinks } from './showcase/dev-links.ts'
import { openStage, startBuilt, startDev, type Visitor } from './showcase/stage.ts'
import { findFaults } from './workbench/axe.ts'

const DEV = [{ name: 'links to the workbench and to its source', hold: expectDevLinks }]
const BUILT = [
  { name: 'loads at most 120 kB of scripts for the first page', hold: expectSmall },
  { name: 'shows its shell before any script is loaded', hold: expectShell },
  { name: 'has no links to development tools', hold: expectNoDevLinks },
]

const IN_DEVELOPMENT = { name: 'in development with the embedded database', start: startDev, audits: DEV }
const WITH_POSTGRES = { name: 'built with PostgreSQL', start: startBuilt, audits: BUILT }
/** The features depend neither on the database nor on the way to start, so a short run tests them only once. */
const WAYS = choose(
  [IN_DEVELOPMENT, ...(hasPostgres() ? [WITH_POSTGRES] : [])],
  [hasPostgres() ? WITH_POSTGRES : IN_DEVELOPMENT],
)

it('links to the workbench and to its source only in development', async () => {
  expect(await renderDevLinks('development')).toMatch(
    /<a href="\/_workbench">Workbench<\/a><button.*?>src\/web\/App\.tsx<\/button><button.*?>README\.md<\/button>/,
  )
  expect(await renderDevLinks('production')).toBe('')
})

describe.each(WAYS)('examples/tasks $name', ({ start, audits }) => {
  describe.skipIf(!hasChromium())('in a browser', () => {
    const scene = {} as Scene

    beforeAll(async () => {
      scene.stage = await openStage(start)
      scene.ada = await scene.stage.visit()
    })
    afterAll(() => scene.stage?.close())

    it('shows the welcome page, rejects a wrong password, and creates an account', async () => {
      const { page, press } = scene.ada
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
      await page.getByRole('heading', { name: 'No tasks yet' }).waitFor()
      expectOnlyStatus(scene.stage, 401)
    })

    it('searches, sorts and filters tasks on the server', async () => {
      const { page, press, item } = scene.ada
      const titles = (): Promise<string[]> => page.getByRole('list', { name: 'Tasks' }).locator('label').allInnerTexts()
      await press('Add sample tasks')
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
      await page.getByRole('heading', { name: 'No matching tasks' }).waitFor()
      await press('Show all tasks')
      await item('Answer the letter from the school')
    })

    it('adds, edits, completes and deletes tasks', async () => {
      const { page, press, item } = scene.ada
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

    it('shows the people on a page, new messages and earlier messages of the chat', async () => {
      const { stage, ada } = scene
      await ada.goTo('Chat')
      await ada.page.getByRole('heading', { name: 'No messages yet' }).waitFor()
      await ada.say('Is anybody here?')
      await ada.page.getByText('· sent').waitFor()
      const guest = (scene.guest = await stage.visit())
      await guest.press('Try it as a guest')
      await guest.goTo('Chat')
      await guest.item('Is anybody here?')
      const here = ada.page.getByRole('list', { name: 'Here now' }).getByRole('listitem')
      await expect.poll(() => here.count()).toBe(2)
      await guest.goTo('Files') // each page shows the people who look at it
      await expect.poll(() => here.allInnerTexts()).toHaveLength(1)
      await guest.goTo('Chat')
      await expect.poll(() => here.count()).toBe(2)
      await guest.say('A guest is')
      await ada.item('A guest is')
    })

    it('puts labels on tasks, assigns them, and has comments of both people', async () => {
      const { ada, guest } = scene
      const { page, press } = ada
      const chips = (tab: Page, title: string): ReturnType<Page['locator']> =>
        tab.getByRole('listitem').filter({ hasText: title }).locator('span.chip')
      const unfold = (who: Visitor, title: string): Promise<void> => who.press(new RegExp(`^Details of ${title}`))
      await ada.goTo('Tasks')
      await unfold(ada, 'Call the dentist')
      await page.getByLabel('New label').fill('Health')
      await press('Add label')
      await chips(page, 'Call the dentist').filter({ hasText: 'Health' }).waitFor()
      await unfold(ada, 'Call the dentist')
      await unfold(ada, 'Repair the bicycle')
      const label = page.getByRole('button', { name: 'Health', pressed: false })
      await label.click()
      await chips(page, 'Repair the bicycle').filter({ hasText: 'Health' }).waitFor()
      await page.getByRole('button', { name: 'Health', pressed: true }).click()
      await label.waitFor()

      const assignee = page.getByLabel('Assigned to')
      const name = await assignee.locator('option').nth(1).innerText()
      await assignee.selectOption(name)
      await page
        .locator('.assignee')
        .filter({ hasText: `Assigned to ${name}` })
        .waitFor()
      await page.getByLabel('Comment', { exact: true }).fill('The chain is loose')
      await press('Comment')
      await page.getByRole('button', { name: 'Details of Repair the bicycle, 1 comment' }).waitFor()

      await guest.goTo('Tasks')
      await guest.page.getByRole('heading', { name: 'Assigned to you' }).waitFor()
      await unfold(guest, 'Repair the bicycle')
      await guest.item('The chain is loose')
      await guest.page.getByLabel('Comment', { exact: true }).fill('I have a spare one')
      await guest.press('Comment')
      await guest.item('I have a spare one')
      await guest.goTo('Chat')
      // The data is live, so the other page shows the comment without a reload.
      await ada.item('I have a spare one')
      await page.getByRole('button', { name: 'Details of Repair the bicycle, 2 comments' }).waitFor()

      const tab = await ada.openTab()
      await chips(tab.page, 'Call the dentist').filter({ hasText: 'Health' }).waitFor()
      expect(await chips(tab.page, 'Repair the bicycle').count()).toBe(0)
      await tab.press('Details of Repair the bicycle, 2 comments')
      await tab.item('I have a spare one')
      await tab.page.close()
    })

    it('adds a task with the assistant, continues its answer after a reload, and keeps a question', async () => {
      const { page, press, goTo, item, say } = scene.ada
      await goTo('Assistant')
      await say('Please create a task: Take a break')
      const answer = page.locator('li[data-role=assistant]').last()
      // The task is created within milliseconds, but the words of the answer take longer.
      await answer.getByText(/createTask: (?:running|done)/).waitFor()
      await page.reload()
      await answer.getByText('createTask: done').waitFor()
      await answer.getByText('The tool responded').waitFor()
      await page.request.post(`${scene.stage.url}/api/v1/tasks`, { data: { title: 'Sweep the yard', done: true } })
      await press('Find finished tasks')
      await item('Sweep the yard')
      expect(await findFaults(page, { known: 'nav' })).toEqual([])
      await press('Keep it')
      await page.getByText('Nothing was deleted.').waitFor()
      await press('Find finished tasks')
      await item('Sweep the yard')
      await page.reload()
      await item('Sweep the yard')
      await press('Delete it')
      await page.getByText('One task was deleted.').waitFor()
      await goTo('Tasks')
      await item('Take a break')
      expect(await page.getByText('Sweep the yard').count()).toBe(0)
    })

    it('has no axe violations, wide and narrow, in light and dark', () => expectAccessible(scene))

    // The client behaves the same in development and with every database.
    if (start === startBuilt) testClient(scene)

    it('removes members who leave and counts unread messages', async () => {
      const { ada, guest } = scene
      await ada.goTo('Tasks')
      await guest.say('good bye')
      await ada.page.getByRole('link', { name: /Chat.*1/ }).waitFor()
      await guest.goTo('Account')
      await guest.press('Sign out')
      await guest.page.getByRole('heading', { name: 'Your day, in one calm place.' }).waitFor()
      await ada.goTo('Chat')
      const here = ada.page.getByRole('list', { name: 'Here now' }).getByRole('listitem')
      const names = async (): Promise<string[]> => (await here.allInnerTexts()).map((name) => name.trim())
      await expect.poll(names).toEqual(['Ada'])
      // Also on a page that was left for less than a second.
      for (const page of ['Tasks', 'Chat']) await ada.goTo(page)
      await expect.poll(names).toEqual(['Ada'])
    })

    it('allows only the owner to download files, as attachments', async () => {
      const { page, press, goTo, item } = scene.ada
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
      const url = new URL(href ?? '', scene.stage.url).href
      const mine = await page.context().request.get(url)
      expect([mine.status(), (await mine.body()).length]).toEqual([200, 900])
      expect(mine.headers()).toMatchObject({
        'content-type': 'application/octet-stream',
        'content-disposition': "attachment; filename*=UTF-8''gr%C3%BC%C3%9Fe.html",
        'x-content-type-options': 'nosniff',
      })
      expect((await scene.guest.page.context().request.get(url)).status()).toBe(401)
      await press('Delete grüße.html')
      await page.getByRole('heading', { name: 'No files yet' }).waitFor()
      // The page shows the change optimistically.
      await expect.poll(async () => (await page.context().request.get(url)).status()).toBe(404)
    })

    it('has no axe violations on its welcome page', async () => {
      expect(await findFaults(scene.guest.page)).toEqual([])
    })

    it.each(audits)('$name', ({ hold }) => hold(scene))

    it('keeps the session and the chosen theme over a reload', async () => {
      const { page, press, goTo } = scene.ada
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

    it('logs no errors and sends no requests to other hosts', () => {
      expect(scene.stage.takeWarnings()).toEqual([])
      expect(scene.stage.strangers).toEqual([])
    })
  })
})
