import type { Page } from '@sdk/test-kit'
import type { RunningApp } from './created-app.ts'

/** The actions of a user in an app of a template: in a browser, or over HTTP if it has no page. */
export interface Visit {
  readonly hasPage: boolean
  /** An edit of the agent's output. */
  readonly edit: readonly [file: string, from: string, to: string]
  /** The text that appears only after the edit. */
  readonly newText: string
  /** Calls the agent and returns its complete response. */
  callAgent(app: RunningApp, page: Page): Promise<string>
  /** Further actions in development. */
  explore?(page: Page): Promise<void>
  /** The actions of the same user in production. */
  comeBack?(page: Page): Promise<void>
}

const ADA = { name: 'Ada', email: 'ada@example.com', password: 'correct horse' }

/** The visits by template. */
export const visits: Readonly<Record<string, Visit>> = {
  default: {
    hasPage: true,
    edit: ['src/agent/plan/agent.ts', 'Write down what', 'Draw what'],
    newText: 'Draw what',
    async callAgent(_app, page) {
      await press(page, { button: 'Plan', route: '/agent/plan' })
      return page.getByRole('region', { name: 'Ask an agent' }).getByRole('list').innerText()
    },
    async explore(page) {
      await cancel(page, { button: 'Plan', route: '/agent/plan' })
      await page.getByText('Server ok').waitFor()
      await page.getByLabel('Name').fill(ADA.name)
      await page.getByLabel('Email').fill(ADA.email)
      await page.getByLabel('Password').fill(ADA.password)
      await page.getByRole('button', { name: 'Sign up' }).click()
      await page.getByLabel('New note').fill('Tea at five')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByRole('list', { name: 'Notes' }).getByText('Tea at five').waitFor()
      await sendMessage(page, 'hello')
    },
    async comeBack(page) {
      await page.getByRole('button', { name: 'I have an account' }).click()
      await page.getByLabel('Email').fill(ADA.email)
      await page.getByLabel('Password').fill(ADA.password)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByRole('list', { name: 'Notes' }).getByText('Tea at five').waitFor()
      await sendMessage(page, 'hello again')
      await page.getByRole('button', { name: 'Sign out' }).click()
      await page.getByRole('button', { name: 'Sign up' }).waitFor()
    },
  },
  minimal: {
    hasPage: true,
    edit: ['src/agent/greet/agent.ts', 'every word of this sentence was streamed', 'this is another answer'],
    newText: 'this is another answer',
    async callAgent(_app, page) {
      await press(page, { button: 'Greet', route: '/agent/greet' })
      return page.locator('.greeting').innerText()
    },
    explore: (page) => cancel(page, { button: 'Greet', route: '/agent/greet' }),
  },
  'api-only': {
    hasPage: false,
    edit: ['src/agent/summarize/agent.ts', '`${words.slice(0, 8)', '`In short: ${words.slice(0, 8)'],
    newText: 'In short: This one',
    async callAgent({ url }) {
      await call(url, 'POST /api/v1/tasks', { title: 'Tea' })
      const tasks = await call(url, 'GET /api/v1/tasks?done=false')
      if (!tasks.includes('"Tea"')) throw new Error(`there is no tea in ${tasks}`)
      return call(url, 'POST /agent/summarize', { text: 'Short. This one has more than eight words in it, surely.' })
    },
  },
}

/** Clicks a button that changes until the complete response has arrived. */
async function press(page: Page, { button, route }: { button: string; route: string }): Promise<void> {
  const responded = page.waitForResponse((response) => response.url().endsWith(route))
  await page.getByRole('button', { name: button }).click()
  await responded
  await page.getByRole('button', { name: button }).waitFor()
}

/** Sends a request and cancels it before the response. */
async function cancel(page: Page, { button, route }: { button: string; route: string }): Promise<void> {
  let calls = 0
  await page.route(`**${route}`, () => void calls++)
  await page.getByRole('button', { name: button }).click()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: button }).waitFor()
  await page.unroute(`**${route}`)
  if (calls !== 1) throw new Error(`the agent was called ${calls} times`)
}

/** Sends a message to the room, and waits until it arrives. */
async function sendMessage(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Message' }).fill(text)
  await page.getByRole('button', { name: 'Send' }).click()
  await page.getByRole('list', { name: 'Messages' }).getByText(`${ADA.name} ${text}`).waitFor()
}

async function call(url: string, route: string, input?: unknown): Promise<string> {
  const [method = 'GET', path = '/'] = route.split(' ')
  const body = { headers: { 'content-type': 'application/json' }, body: JSON.stringify(input) }
  const response = await fetch(url + path, { method, ...(input === undefined ? {} : body) })
  const text = await response.text()
  if (!response.ok) throw new Error(`${route} responded with ${response.status}: ${text}`)
  return text
}
