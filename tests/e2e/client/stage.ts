import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Browser, shareBrowser, type Page, temporaryFolder, type TemporaryFolder } from '@sdk/test-kit'
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest'
import { bundle, toHtml } from '../bundle.ts'
import { type Actor, createActor } from './actor.ts'
import { type Component, IN_BROWSER, ON_SERVER } from './page.ts'
import { installReact } from './react.ts'
import { type Place, startPlace } from './server.ts'

/** The environment of a test. */
export interface Stage {
  readonly browser: Browser
  readonly place: Place
  readonly page: Page
  readonly actor: Actor
  /** Renders components on the server, and serves the page with them at `/hydrate`. */
  render(components: readonly Component[]): Promise<string>
}

/**
 * Sets up the environment of all tests in a `describe`: a browser, a server, and the page at `/`. After each test, the
 * console must be empty.
 */
export function setStage(react: '18' | '19'): Stage {
  const stage = {} as { -readonly [Key in keyof Stage]: Stage[Key] }
  let folder: TemporaryFolder | undefined

  beforeAll(async () => {
    const { path } = (folder = temporaryFolder(`react-${react}`))
    const modules = react === '19' ? undefined : await installReact(react, path)
    const development = await bundle({ files: IN_BROWSER, mode: 'development', react: modules })
    ;[stage.place, stage.browser] = await Promise.all([startPlace(), shareBrowser({ hasTabs: react === '19' })])
    const page = await stage.browser.newPage()
    stage.page = page
    stage.actor = createActor((work, input) => page.evaluate(work as never, input))
    const { pages } = stage.place
    pages.set('/', toHtml('Client', development))
    stage.render = async (components) => {
      const file = join(path, 'server.cjs')
      writeFileSync(file, await bundle({ files: ON_SERVER, mode: 'development', platform: 'node', react: modules }))
      const { render } = (await import(pathToFileURL(file).href)) as { render(components: unknown): string }
      const markup = render(components)
      const data = JSON.stringify(components).replaceAll('"', '&quot;')
      pages.set('/hydrate', toHtml('Client', development, `<div id="root" data-components="${data}">${markup}</div>`))
      return markup
    }
  })
  afterAll(async () => {
    await stage.browser?.close()
    await stage.place?.close()
    folder?.remove()
  })
  beforeEach(async () => {
    stage.place.requests.length = 0
    await stage.page.goto(stage.place.url)
  })
  afterEach(async () => expect(await stage.actor.faults()).toEqual([]))
  return stage
}
