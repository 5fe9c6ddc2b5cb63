import { join } from 'node:path'
import type { Problem } from '@sdk/workbench'
import type { HotPayload, ViteDevServer } from 'vite'

/**
 * Creates a function that shows the first of some problems in Vite's error overlay, on all pages that are open or will
 * be, and takes the overlay away where the list is empty.
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
    // With no page open, Vite would keep the error for the next page, even if it is corrected by then.
    if (vite.ws.clients.size === 0 || (payload === null && !isShown)) return
    hot.send(payload ?? { type: 'update', updates: [] })
  }
}

function toErrorPayload({ message, file, place, frame }: Problem, root: string): HotPayload {
  const id = join(root, file)
  const where = place === null ? {} : { loc: { file: id, ...place } }
  // The overlay trims the frame, which would shift its first line. A zero-width space is not trimmed.
  return { type: 'error', err: { message, stack: '', id, frame: `\u200B${frame}`, plugin: 'sdk', ...where } }
}
