import { gzipSync } from 'node:zlib'
import { expect } from 'vitest'
import { findFaults } from '../workbench/axe.ts'
import type { Stage, Visitor } from './stage.ts'

/** Who is there: Ada, signed in and with tasks, and a guest, who is not. */
export interface Scene {
  stage: Stage
  ada: Visitor
  guest: Visitor
}

/** The scripts that a browser loads until the first page is there: 120 kB at most, as gzip makes them. */
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

/** The first paint needs the page and its style alone: scripts never come here. */
export async function expectShell({ ada: { page }, stage: { url } }: Scene): Promise<void> {
  const tab = await page.context().newPage()
  await tab.route(/\.js(\?|$)/, () => {})
  await tab.goto(url, { waitUntil: 'commit' })
  await tab.getByRole('main').getByText('Tasks').waitFor()
  expect(await tab.locator('.mark').boundingBox()).toMatchObject({ width: expect.closeTo(20.8, 0) as number })
  await tab.close()
}

/** In development every page leads to the workbench and its own source. */
export async function expectDevLinks({ ada: { page, goTo } }: Scene): Promise<void> {
  await goTo('Tasks')
  const links = page.getByRole('navigation', { name: 'Development' })
  expect(await links.getByRole('link', { name: 'Workbench' }).getAttribute('href')).toBe('/_workbench')
  expect(await links.getByRole('button').allInnerTexts()).toEqual(['src/web/App.tsx', 'README.md'])
}

/** A build has neither. */
export async function expectNoDevLinks({ ada: { page, goTo } }: Scene): Promise<void> {
  await goTo('Tasks')
  expect(await page.getByRole('navigation', { name: 'Development' }).count()).toBe(0)
}

/** No page has a fault that axe knows. */
export async function expectAccessible({ ada, guest }: Scene): Promise<void> {
  expect(await findFaults(guest.page)).toEqual([])
  for (const name of ['Tasks', 'Chat', 'Assistant', 'Files', 'Account']) {
    await ada.goTo(name)
    if (name === 'Assistant') {
      await ada.press('Plan my day')
      await ada.page.getByRole('list', { name: 'Suggested tasks' }).waitFor()
    }
    expect([name, await findFaults(ada.page)]).toEqual([name, []])
  }
}

/** The console has only an answer of this status, which the browser itself reports there. */
export function expectOnlyStatus(stage: Stage, status: number): void {
  expect(stage.takeComplaints().filter((text) => !text.includes(`status of ${status}`))).toEqual([])
}

/** On a phone nothing is wider than the screen, and the button that restores the network can be reached. */
export async function expectNoOverflow({ page }: Visitor): Promise<void> {
  const before = page.viewportSize()
  await page.setViewportSize({ width: 390, height: 844 })
  const box = await page.getByRole('button', { name: /^Restore/ }).boundingBox()
  expect((box?.x ?? 999) + (box?.width ?? 0)).toBeLessThanOrEqual(390)
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
  if (before !== null) await page.setViewportSize(before)
}
