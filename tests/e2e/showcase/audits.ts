import { gzipSync } from 'node:zlib'
import { expect } from 'vitest'
import { findFaults } from '../workbench/axe.ts'
import type { Stage, Visitor } from './stage.ts'

/** The users: Ada, signed in and with tasks, and a guest, who is not. */
export interface Scene {
  stage: Stage
  ada: Visitor
  guest: Visitor
}

/** Expects that the scripts of the first page have at most 120 kB with gzip. */
export async function expectSmall({ ada: { page }, stage: { url } }: Scene): Promise<void> {
  const scripts: Promise<Buffer>[] = []
  const tab = await page.context().newPage()
  tab.on('response', (response) => {
    if (/\.js(\?|$)/.test(response.url())) scripts.push(response.body())
  })
  await tab.goto(url)
  await tab.getByRole('checkbox').first().waitFor()
  const sizes = (await Promise.all(scripts)).map((script) => gzipSync(script).length)
  expect(sizes.length).toBeGreaterThan(0)
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(120_000)
  await tab.close()
}

/** Expects that the first paint needs only the HTML and its style: scripts never load here. */
export async function expectShell({ ada: { page }, stage: { url } }: Scene): Promise<void> {
  const tab = await page.context().newPage()
  await tab.route(/\.js(\?|$)/, () => {})
  await tab.goto(url, { waitUntil: 'commit' })
  await tab.getByRole('main').getByText('Tasks').waitFor()
  expect(await tab.locator('.mark').boundingBox()).toMatchObject({ width: expect.closeTo(20.8, 0) as number })
  await tab.close()
}

/** Expects that in development every page links to the workbench and to its source. */
export async function expectDevLinks({ ada: { page, goTo } }: Scene): Promise<void> {
  await goTo('Tasks')
  const links = page.getByRole('navigation', { name: 'Development' })
  expect(await links.getByRole('link', { name: 'Workbench' }).getAttribute('href')).toBe('/_workbench')
  expect(await links.getByRole('button').allInnerTexts()).toEqual(['src/web/App.tsx', 'README.md'])
}

/** Expects that a build has neither. */
export async function expectNoDevLinks({ ada: { page, goTo } }: Scene): Promise<void> {
  await goTo('Tasks')
  expect(await page.getByRole('navigation', { name: 'Development' }).count()).toBe(0)
}

/** Expects that axe finds no violation on the pages of a signed-in user. */
export async function expectAccessible({ ada }: Scene): Promise<void> {
  for (const name of ['Tasks', 'Chat', 'Assistant', 'Files', 'Account']) {
    await ada.goTo(name)
    if (name === 'Tasks') {
      await ada.press('Details of Call the dentist, 0 comments')
      await ada.page.getByText('No comments yet.').waitFor()
    }
    if (name === 'Assistant') {
      await ada.say('Hello')
      await ada.page.getByText('My tools').last().waitFor()
    }
    const known = name === 'Tasks' ? undefined : 'nav'
    expect([name, await findFaults(ada.page, { known })]).toEqual([name, []])
  }
}

/** Expects that the console has only a response of this status, which the browser reports. */
export function expectOnlyStatus(stage: Stage, status: number): void {
  expect(stage.takeWarnings().filter((text) => !text.includes(`status of ${status}`))).toEqual([])
}

/** Expects that nothing overflows on a phone, and that the button that restores the network is reachable. */
export async function expectNoOverflow({ page }: Visitor): Promise<void> {
  const before = page.viewportSize()
  await page.setViewportSize({ width: 390, height: 844 })
  const box = await page.getByRole('button', { name: /^Restore/ }).boundingBox()
  expect((box?.x ?? 999) + (box?.width ?? 0)).toBeLessThanOrEqual(390)
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
  if (before !== null) await page.setViewportSize(before)
}
