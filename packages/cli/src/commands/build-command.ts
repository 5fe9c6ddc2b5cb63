import { buildProject } from '../build.ts'
import type { Command } from '../command.ts'
import { openProject } from '../discover.ts'
import { loadSound } from '../load-once.ts'
import { readConfig } from '../read-config.ts'
import { writeRouteTypes } from '../route-types.ts'

/** `sdk build` */
export const buildCommand: Command = {
  summary: 'the production bundle, in dist/server and dist/web',
  options: { json: { summary: 'what was built, as JSON' } },
  examples: ['sdk build', 'sdk build --json'],
  async run({ cwd, terminal, has }) {
    const { out, paint } = terminal
    process.env['NODE_ENV'] = 'production' // whatever the shell says: else React's development code is built in
    const project = openProject(cwd)
    const { app, pointers } = await loadSound(project, terminal)
    writeRouteTypes({ project, routes: app.routes, pointers })
    const built = await buildProject(project, await readConfig(project.root))
    if (has('json')) return out(JSON.stringify(built, null, 2))
    const { serverSize, externals, web } = built
    const needs = Object.entries(externals).map(([name, version]) => `${name}@${version}`)
    out(`  ${paint.bold('dist/server/index.js')}  ${kB(serverSize)}`)
    if (needs.length > 0) out(paint.dim(`    needs ${needs.join(', ')}`))
    for (const { name, size } of web) out(`  ${paint.bold(`dist/web/${name}`)}  ${kB(size)}`)
    out(paint.dim(`  built in ${Math.round(process.uptime() * 1000)} ms; run it with sdk start`))
  },
}

function kB(bytes: number): string {
  return `${(bytes / 1000).toFixed(1)} kB`
}
