import { join } from 'node:path'
import type { Problem } from '@sdk/workbench'
import type { ViteDevServer } from 'vite'

/** Shows the first problem of a project over the page in the browser, or takes it away again. */
export function showOverlay(vite: ViteDevServer, root: string, [problem]: readonly Problem[]): void {
  const { hot } = vite.environments.client
  if (problem === undefined) return hot.send({ type: 'update', updates: [] })
  const { message, place } = problem
  const id = join(root, problem.file)
  // The overlay trims the frame, which would move its first line; it does not know this space.
  const frame = `\u200B${problem.frame}`
  const where = place === null ? {} : { loc: { file: id, ...place } }
  hot.send({ type: 'error', err: { message, stack: '', id, frame, plugin: 'sdk', ...where } })
}
