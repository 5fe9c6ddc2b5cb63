import { join } from 'node:path'
import type { Problem } from '@sdk/workbench'
import type { HotPayload, Plugin, ViteDevServer } from 'vite'
import { CONFIG_FILE } from '../config.ts'

/**
 * Creates a function that shows the first problem in Vite's error overlay, on all open pages and on pages that are
 * opened later. If there are no problems, it removes the overlay.
 */
export function createOverlay(vite: ViteDevServer, root: string): (problems: readonly Problem[]) => void {
  const { hot } = vite.environments.client
  let payload: HotPayload | null = null
  hot.on('vite:client:connect', (_, client) => {
    if (payload !== null) client.send(payload)
  })

  return ([problem]) => {
    const isShown = payload !== null
    payload = problem === undefined ? null : toErrorPayload(problem, root)
    // If no page is open, Vite would keep the error for the next page, even if it has been fixed by then.
    if (vite.ws.clients.size === 0 || (payload === null && !isShown)) return
    hot.send(payload ?? { type: 'update', updates: [] })
  }
}

/**
 * A plugin that corrects the hint in Vite's error overlay about how to disable it: projects set this option in
 * `sdk.config.ts`, not in `vite.config.js`.
 */
export const overlayHintPlugin: Plugin = {
  name: 'sdk:overlay-hint',
  enforce: 'pre',
  transform: {
    filter: { id: /\/vite\/dist\/client\/client\.mjs$/ },
    handler: (code) =>
      code
        .replace('__HMR_CONFIG_NAME__', JSON.stringify(CONFIG_FILE))
        .replace('"server.hmr.overlay"', '"vite.server.hmr.overlay"'),
  },
}

function toErrorPayload({ message, file, place, frame }: Problem, root: string): HotPayload {
  const id = join(root, file)
  const where = place === null ? {} : { loc: { file: id, ...place } }
  // The overlay trims the frame, which would shift its first line. A zero-width space is not trimmed.
  return { type: 'error', err: { message, stack: '', id, frame: `\u200B${frame}`, plugin: 'sdk', ...where } }
}
