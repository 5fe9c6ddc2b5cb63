import type { Problem } from '@sdk/workbench'
import type { ViteDevServer } from 'vite'

/** Shows the project's problems over the page in the browser, and takes them away again. */
export function showOverlay(vite: ViteDevServer, [problem]: readonly Problem[]): void {
  const { hot } = vite.environments.client
  if (problem === undefined) return hot.send({ type: 'update', updates: [] })
  const { message, file, place, frame } = problem
  const where = place === null ? {} : { loc: { file, ...place } }
  hot.send({
    type: 'error',
    err: { message: `${file}: ${message}`, stack: '', id: file, frame, plugin: 'sdk', ...where },
  })
}
