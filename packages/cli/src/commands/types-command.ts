import { relative } from 'node:path'
import type { Command } from '../command.ts'
import { openProject } from '../discover.ts'
import { loadSound } from '../load-once.ts'
import { routeTypesFile, writeRouteTypes } from '../route-types.ts'

/** `sdk types` */
export const typesCommand: Command = {
  summary: 'writes src/sdk-routes.d.ts, which gives every route its types',
  options: {},
  examples: ['sdk types', 'sdk types && git diff --exit-code src/sdk-routes.d.ts'],
  async run({ cwd, terminal }) {
    const project = openProject(cwd)
    const { app, pointers } = await loadSound(project, terminal)
    const hasChanged = writeRouteTypes({ project, routes: app.routes, pointers })
    const file = relative(project.root, routeTypesFile(project.root))
    terminal.out(`${file} ${hasChanged ? 'written' : 'is current'}`)
  },
}
