import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { openStage, startDev, type Visitor } from '../tests/e2e/showcase/stage.ts'

const FOLDER = join(import.meta.dirname, '../examples/tasks/docs')

/** Takes two screenshots of the showcase for its README: tasks on a desktop, and an offline chat on a phone. */
export async function shootShowcase(): Promise<void> {
  mkdirSync(FOLDER, { recursive: true })
  const stage = await openStage(startDev)
  try {
    const [ada, guest] = [await stage.visit(), await stage.visit()]
    await signUp(ada, 'Ada')
    await signUp(guest, 'Grace')
    await shootTasks(ada)
    await shootChat(ada, guest)
  } finally {
    await stage.close()
  }
}

async function signUp({ page, press }: Visitor, name: string): Promise<void> {
  await page.getByLabel('Name').fill(name)
  await page.getByLabel('E-mail').fill(`${name.toLowerCase()}@example.com`)
  await page.getByLabel('Password').fill('correct horse')
  await press('Create account')
  await page.getByText('Connected').waitFor()
}

async function shootTasks({ page, press }: Visitor): Promise<void> {
  await press('Add sample tasks')
  await page.getByText('10 of 10 tasks').waitFor()
  for (const title of ['Repair the bicycle', 'Plan the birthday party']) {
    await page.getByRole('checkbox', { name: title }).click()
    await page.locator('.done').filter({ hasText: title }).waitFor()
  }
  await labelTask({ page, press }, 'Book the train to the coast', 'Travel')
  await labelTask({ page, press }, 'Plan the birthday party', 'Home')
  await unfold(page, 'Write the invoice for June')
  for (const name of ['Work', 'Urgent']) await addLabel({ page, press }, name)
  await page.getByLabel('Assigned to').selectOption('Grace')
  await page.getByLabel('Comment', { exact: true }).fill('The hours of the last week are missing.')
  await press('Comment')
  await page.getByRole('list', { name: 'Comments' }).getByText('The hours').waitFor()
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.mouse.move(0, 0)
  await page.evaluate(() => scrollTo(0, 0))
  await page.screenshot({ path: join(FOLDER, 'tasks-light-1440.png'), animations: 'disabled' })
  console.log('tasks, light, 1440 px')
}

type Controls = Pick<Visitor, 'page' | 'press'>

async function labelTask({ page, press }: Controls, title: string, name: string): Promise<void> {
  await unfold(page, title)
  await addLabel({ page, press }, name)
  await unfold(page, title)
}

async function addLabel({ page, press }: Controls, name: string): Promise<void> {
  await page.getByLabel('New label').fill(name)
  await press('Add label')
  await page.getByRole('button', { name, exact: true, pressed: true }).waitFor()
}

function unfold(page: Visitor['page'], title: string): Promise<void> {
  return page.getByRole('button', { name: `Details of ${title}` }).click()
}

async function shootChat(ada: Visitor, guest: Visitor): Promise<void> {
  for (const visitor of [ada, guest]) await visitor.goTo('Chat')
  await guest.say('Are the slides ready for Thursday?')
  await ada.item('Are the slides')
  await ada.say('Almost. I am on the train.')
  await guest.item('Almost')
  const { page } = ada
  await page.setViewportSize({ width: 390, height: 844 })
  await page.emulateMedia({ colorScheme: 'dark' })
  await ada.press('Interrupt the network')
  await ada.say('There is a tunnel, this may arrive later')
  await page.getByText('Waiting for the network').waitFor()
  await page.screenshot({ path: join(FOLDER, 'chat-dark-390.png'), animations: 'disabled' })
  console.log('chat, dark, 390 px')
}
